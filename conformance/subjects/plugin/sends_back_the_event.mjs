#!/usr/bin/env node
// Makes a status out of an event by adding to it.
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  status(event, state) {
    this.say({ ...event, cmd: "status", state, attempt: 0 });
  }
}

new Subject().run();
