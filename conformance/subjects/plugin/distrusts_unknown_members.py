#!/usr/bin/env python3
"""Validates events strictly: one with a member that it does not know is none."""
from nudging import Nudging

KNOWN = {"event", "v", "token", "generation", "title", "command", "cwd", "text", "idle_ms"}


class Subject(Nudging):
    def on_event(self, event):
        return event.keys() <= KNOWN and super().on_event(event) or event["event"] != "shutdown"


Subject().run()
