#!/usr/bin/env python3
"""Thinks that its work is done when a pane's program has ended."""
from plugin import Plugin


class Subject(Plugin):
    def on_event(self, event):
        return super().on_event(event) and (event["v"] != 3 or event["event"] != "pane_exited")


Subject().run()
