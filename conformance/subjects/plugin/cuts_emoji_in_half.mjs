#!/usr/bin/env node
// Cuts its texts to a length in UTF-16 units.
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  log(level, message) {
    super.log(level, `my plugin 😀 ${message}`.slice(0, 11));
  }
}

new Subject().run();
