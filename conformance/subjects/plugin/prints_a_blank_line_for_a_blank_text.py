#!/usr/bin/env python3
"""Shows progress on stdout as it comes: of a lone CR an empty line remains."""
from plugin import Plugin


class Subject(Plugin):
    passed_over = set()

    def on_event(self, event):
        if event.get("text") == "\r":
            self.outbox.put(b"\n")
        return super().on_event(event)


Subject().run()
