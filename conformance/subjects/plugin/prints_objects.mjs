#!/usr/bin/env node
// Prints objects as the console shows them.
import { inspect } from "node:util";
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  encode(command) {
    return `${inspect(command)}\n`;
  }
}

new Subject().run();
