#!/usr/bin/env python3
"""Writes text as its platform does."""
from plugin import Plugin


class Subject(Plugin):
    def encode(self, command):
        return super().encode(command).decode().encode("utf-16")


Subject().run()
