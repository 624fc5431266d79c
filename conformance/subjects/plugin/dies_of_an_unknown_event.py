#!/usr/bin/env python3
"""Knows all events that there are."""
from nudging import Nudging


class Subject(Nudging):
    def on_event(self, event):
        if event["v"] == 3 and event["event"] not in (*self.kinds, "shutdown"):
            raise ValueError("no such event")
        return super().on_event(event)


Subject().run()
