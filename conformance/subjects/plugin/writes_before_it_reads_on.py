#!/usr/bin/env python3
"""Writes each command before it reads the next event."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        try:
            self.write(self.encode(command))
        except OSError:
            self.on_unheard()


Subject().run()
