#!/usr/bin/env node
// Has a timer that nobody stops, and counts on Node to end when there is nothing left to do.
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  start() {
    setInterval(() => {}, 60_000);
    super.start();
  }

  end() {
    process.stdin.destroy();
  }
}

new Subject().run();
