#!/usr/bin/env python3
"""Passes over lines of another version without a word."""
from plugin import Plugin


class Subject(Plugin):
    def on_other_version(self, event):
        return True


Subject().run()
