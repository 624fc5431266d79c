#!/usr/bin/env python3
"""Puts all that a pane printed into the detail of a status, between words of its own."""
from plugin import Plugin


class Subject(Plugin):
    passed_over = {b"pane_out", b"user_inp"}
    long_line = 60000
    last = ""

    def on_event(self, event):
        if event["v"] == 3 and event["event"] == "pane_output":
            self.last = event["text"]
        if event["v"] == 3 and event["event"] == "pane_idle" and len(self.last) > 60000:
            self.say({"cmd": "status", "v": 3, "token": event["token"], "generation": event["generation"],
                      "state": "idle", "detail": self.last + "." * 1000, "deadline_epoch": None, "attempt": 0})
        return super().on_event(event)


Subject().run()
