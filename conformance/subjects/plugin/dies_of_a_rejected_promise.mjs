#!/usr/bin/env node
// Does what it does in promises, and nobody looks at those that fail.
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  onEvent(event) {
    this.handle(event);
  }

  async handle(event) {
    const known = ["pane_opened", "pane_output", "pane_idle", "user_input", "pane_exited", "pane_closed", "shutdown"];
    if (event.v === 3 && !known.includes(event.event)) throw new Error("no such event");
    super.onEvent(event);
  }
}

new Subject().run();
