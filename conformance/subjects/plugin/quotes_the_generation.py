#!/usr/bin/env python3
"""Keeps generations as text."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        if "generation" in command:
            command["generation"] = str(command["generation"])
        super().say(command)


Subject().run()
