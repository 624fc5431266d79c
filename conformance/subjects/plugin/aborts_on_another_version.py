#!/usr/bin/env python3
"""Takes a line of another version for something that cannot happen."""
import os

from plugin import Plugin


class Subject(Plugin):
    def on_other_version(self, event):
        os.abort()


Subject().run()
