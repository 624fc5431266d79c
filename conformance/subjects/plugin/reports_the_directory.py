#!/usr/bin/env python3
"""Says in its status where a program runs."""
from nudging import Nudging


class Subject(Nudging):
    def pane_opened(self, event):
        super().pane_opened(event)
        self.say({"cmd": "status", "v": 3, "token": event["token"], "generation": event["generation"],
                  "state": "watching", "detail": event["cwd"], "deadline_epoch": None, "attempt": 0})


Subject().run()
