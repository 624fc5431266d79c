#!/usr/bin/env python3
"""Tells stderr all that it sees, and more than fits a pipe, in no known encoding."""
import os

from plugin import Plugin


class Subject(Plugin):
    def on_event(self, event):
        os.write(2, b"\xff\x1b[31m" + str(event).encode()[:100] + b"." * 100_000 + b"\r\n")
        return super().on_event(event)


Subject().run()
