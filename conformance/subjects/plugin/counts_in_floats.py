#!/usr/bin/env python3
"""Was brought over from a language in which all numbers are floating."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        if "generation" in command:
            command["generation"] = float(command["generation"])
        super().say(command)


Subject().run()
