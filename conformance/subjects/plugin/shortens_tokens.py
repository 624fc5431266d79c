#!/usr/bin/env python3
"""Keeps the first eight characters of a token, which are enough to tell panes apart."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        if "token" in command:
            command["token"] = command["token"][:8]
        super().say(command)


Subject().run()
