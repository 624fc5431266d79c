#!/usr/bin/env python3
"""Remembers which panes were closed and is sure that they never come back."""
from plugin import Plugin


class Subject(Plugin):
    def __init__(self):
        super().__init__()
        self.closed = set()

    def on_event(self, event):
        if event["event"] == "pane_closed":
            self.closed.add(event["token"])
        elif event["event"] == "pane_opened":
            assert event["token"] not in self.closed
        return super().on_event(event)


Subject().run()
