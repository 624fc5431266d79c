#!/usr/bin/env node
// Presses Enter a moment after the prompt, whatever became of the pane meanwhile.
import { Plugin } from "./plugin.mjs";

class Subject extends Plugin {
  onEvent(event) {
    if (event.v === 3 && event.event === "pane_output" && /press enter to continue/i.test(event.text)) {
      const { token, generation } = event;
      setTimeout(() => this.say({ cmd: "send_input", v: 3, token, generation, data: "\r" }), 400);
    }
    super.onEvent(event);
  }
}

new Subject().run();
