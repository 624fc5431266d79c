#!/usr/bin/env python3
"""Reports everything that happens to a pane, its end too."""
from plugin import Plugin


class Subject(Plugin):
    def on_event(self, event):
        if event["v"] == 3 and event["event"] == "pane_closed":
            self.status(event, "closed")
        return super().on_event(event)


Subject().run()
