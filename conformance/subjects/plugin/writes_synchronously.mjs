#!/usr/bin/env node
// Writes each command before it reads the next event.
import fs from "node:fs";
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  say(command) {
    fs.writeSync(1, this.encode(command));
  }
}

new Subject().run();
