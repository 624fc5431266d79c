#!/usr/bin/env python3
"""Does not look at the version of a line."""
from plugin import Plugin


class Subject(Plugin):
    def on_event(self, event):
        return super().on_event({**event, "v": 3})


Subject().run()
