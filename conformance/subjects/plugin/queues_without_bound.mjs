#!/usr/bin/env node
// Leaves it to Node to keep what the host does not read.
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  say(command) {
    if (!this.isEnding) process.stdout.write(this.encode(command));
  }
}

new Subject().run();
