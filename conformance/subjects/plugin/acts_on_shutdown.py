#!/usr/bin/env python3
"""Reports on its pane once more when it is told to end."""
from plugin import Plugin


class Subject(Plugin):
    pane = None

    def on_event(self, event):
        if event["v"] == 3 and event["event"] == "pane_opened":
            self.pane = event
        return super().on_event(event)

    def on_shutdown(self, event):
        if self.pane:
            self.status(self.pane, "stopping")
        return False


Subject().run()
