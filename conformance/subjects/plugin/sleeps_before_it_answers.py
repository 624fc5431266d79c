#!/usr/bin/env python3
"""Is honest, but takes its time."""
import time

from plugin import Plugin


class Subject(Plugin):
    def write(self, line):
        time.sleep(0.1)
        super().write(line)


Subject().run()
