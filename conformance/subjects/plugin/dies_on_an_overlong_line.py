#!/usr/bin/env python3
"""Does not live through a line over the limit."""
from plugin import Plugin


class Subject(Plugin):
    def on_overlong_line(self):
        raise ValueError("line too long")


Subject().run()
