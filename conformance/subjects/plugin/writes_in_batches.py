#!/usr/bin/env python3
"""Collects what it has to say and writes it every few seconds."""
import time

from plugin import Plugin


class Subject(Plugin):
    batch = b""
    due = time.monotonic() + 5

    def write(self, line):
        self.batch += line
        if time.monotonic() >= self.due:
            self.write_batch()

    def write_batch(self):
        batch, self.batch, self.due = self.batch, b"", time.monotonic() + 5
        super().write(batch)

    def write_lines(self):
        super().write_lines()
        self.write_batch()


Subject().run()
