#!/usr/bin/env python3
"""Writes half a line, and the rest a moment later."""
import time

from plugin import Plugin


class Subject(Plugin):
    def write(self, line):
        super().write(line[:9])
        time.sleep(0.05)
        super().write(line[9:])


Subject().run()
