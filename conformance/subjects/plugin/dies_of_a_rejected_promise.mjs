#!/usr/bin/env node
// Handles one event after the other in promises, and nobody looks at those that fail.
import { Plugin } from "./plugin.mjs";

const KINDS = ["pane_opened", "pane_output", "pane_idle", "user_input", "pane_exited", "pane_closed", "shutdown"];

class Subject extends Plugin {
  last = Promise.resolve();

  onEvent(event) {
    this.last = this.last.then(() => this.handle(event));
  }

  handle(event) {
    if (event.v === 3 && !KINDS.includes(event.event)) throw new Error("no such event");
    super.onEvent(event);
  }
}

new Subject().run();
