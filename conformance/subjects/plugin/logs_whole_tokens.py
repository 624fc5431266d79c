#!/usr/bin/env python3
"""Says in its log which pane it watches, so that one can look it up."""
from plugin import Plugin


class Subject(Plugin):
    def on_event(self, event):
        if event["event"] == "pane_opened":
            self.log("info", f"watching pane {event['token']}")
        return super().on_event(event)


Subject().run()
