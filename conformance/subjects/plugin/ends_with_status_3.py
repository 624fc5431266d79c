#!/usr/bin/env python3
"""Takes the end of stdin for an error."""
from plugin import Plugin


class Subject(Plugin):
    def on_eof(self):
        return 3


Subject().run()
