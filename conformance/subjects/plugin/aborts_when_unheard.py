#!/usr/bin/env python3
"""Aborts when its stdout is closed."""
import os

from plugin import Plugin


class Subject(Plugin):
    def on_unheard(self):
        os.abort()


Subject().run()
