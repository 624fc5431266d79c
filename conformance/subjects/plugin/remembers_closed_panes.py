#!/usr/bin/env python3
"""Keeps the last screen of each pane, for a history that nobody asks for."""
from plugin import Plugin


class Subject(Plugin):
    history = []

    def on_event(self, event):
        if event["event"] == "pane_closed":
            self.history.append(bytearray(65536))
        return super().on_event(event)


Subject().run()
