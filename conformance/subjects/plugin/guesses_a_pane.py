#!/usr/bin/env python3
"""Reports on a pane that it remembers from another time."""
from plugin import Plugin


class Subject(Plugin):
    def start(self):
        super().start()
        self.status({"token": "00112233445566778899aabbccddeeff", "generation": 1}, "watching")


Subject().run()
