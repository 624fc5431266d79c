#!/usr/bin/env python3
"""Sends what a pane printed back to it, however much that was."""
from plugin import Plugin


class Subject(Plugin):
    passed_over = {b"pane_out", b"user_inp"}
    long_line = 60000
    last = ""

    def on_event(self, event):
        if event["v"] == 3 and event["event"] == "pane_output":
            self.last = event["text"]
        if event["v"] == 3 and event["event"] == "pane_idle" and len(self.last) > 8000:
            self.say({"cmd": "send_input", "v": 3, "token": event["token"],
                      "generation": event["generation"], "data": self.last[:60000]})
        return super().on_event(event)


Subject().run()
