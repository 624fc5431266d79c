#!/usr/bin/env python3
"""Writes a byte order mark before its first line."""
from plugin import Plugin


class Subject(Plugin):
    def start(self):
        self.outbox.put(b"\xef\xbb\xbf")
        super().start()


Subject().run()
