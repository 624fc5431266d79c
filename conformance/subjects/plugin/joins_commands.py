#!/usr/bin/env python3
"""Ends lines only where it is done talking."""
from plugin import Plugin


class Subject(Plugin):
    def status(self, event, state):
        line = {"cmd": "log", "v": 3, "level": "debug", "message": "a status follows"}
        self.outbox.put_nowait(self.encode(line).rstrip())
        super().status(event, state)


Subject().run()
