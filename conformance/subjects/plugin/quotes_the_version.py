#!/usr/bin/env python3
"""Reads its version from a configuration file, where everything is text."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        super().say({**command, "v": "3"})


Subject().run()
