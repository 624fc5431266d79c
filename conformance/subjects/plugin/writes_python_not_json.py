#!/usr/bin/env python3
"""Takes the way Python prints a dictionary for JSON."""
from plugin import Plugin


class Subject(Plugin):
    def encode(self, command):
        return f"{command}\n".encode()


Subject().run()
