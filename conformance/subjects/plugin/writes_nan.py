#!/usr/bin/env python3
"""Has not counted its attempts yet, and says so with a number that is none."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        super().say({**command, "attempt": float("nan")} if "attempt" in command else command)


Subject().run()
