#!/usr/bin/env python3
"""Prints to stdout, but only what went wrong."""
from plugin import Plugin


class Subject(Plugin):
    def on_other_version(self, event):
        self.outbox.put(b"unsupported version\n")
        return True


Subject().run()
