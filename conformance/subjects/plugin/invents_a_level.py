#!/usr/bin/env python3
"""Warns with the word of its logging library."""
from plugin import Plugin


class Subject(Plugin):
    def log(self, level, message):
        super().log("warning", message)


Subject().run()
