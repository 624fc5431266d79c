#!/usr/bin/env python3
"""Reports the end of a program with the generation of the pane that was opened last."""
from plugin import Plugin


class Subject(Plugin):
    def on_event(self, event):
        if event["event"] == "pane_opened":
            self.generation = event["generation"]
        elif event["event"] == "pane_exited":
            event["generation"] = self.generation
        return super().on_event(event)


Subject().run()
