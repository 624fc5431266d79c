#!/usr/bin/env python3
"""Takes the last line of what was printed: an empty text has none."""
from plugin import Plugin


class Subject(Plugin):
    passed_over = set()

    def on_event(self, event):
        if event["event"] == "pane_output":
            self.last_line = event["text"].splitlines()[-1]
        return super().on_event(event)


Subject().run()
