#!/usr/bin/env python3
"""Says in its status what the program had asked."""
from nudging import Nudging


class Subject(Nudging):
    def pane_idle(self, event):
        pane = self.pane_of(event)
        if pane and self.wants_enter(pane):
            prompt = pane.text.splitlines()[-1] if pane.text else ""
            self.say({"cmd": "status", "v": 3, "token": pane.token, "generation": pane.generation,
                      "state": "answering", "detail": prompt, "deadline_epoch": None, "attempt": 0})
        super().pane_idle(event)


Subject().run()
