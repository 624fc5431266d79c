#!/usr/bin/env python3
"""Leaves out what never changes."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        del command["v"]
        super().say(command)


Subject().run()
