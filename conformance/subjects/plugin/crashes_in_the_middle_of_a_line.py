#!/usr/bin/env python3
"""Dies while it writes."""
import os

from plugin import Plugin


class Subject(Plugin):
    def write(self, line):
        if b'"pane_exited"' in line:
            super().write(line[:40])
            os.abort()
        super().write(line)


Subject().run()
