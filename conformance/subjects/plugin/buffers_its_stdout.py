#!/usr/bin/env python3
"""Writes in blocks of 8 KiB, as a C library does on a pipe."""
from plugin import Plugin


class Subject(Plugin):
    buffer = b""

    def write(self, line):
        self.buffer += line
        if len(self.buffer) >= 8192:
            buffer, self.buffer = self.buffer, b""
            super().write(buffer)

    def write_lines(self):
        super().write_lines()
        super().write(self.buffer)


Subject().run()
