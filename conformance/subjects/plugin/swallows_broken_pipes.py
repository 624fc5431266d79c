#!/usr/bin/env python3
"""Tries again for ever when a write fails."""
import os

from plugin import Plugin


class Subject(Plugin):
    def write(self, line):
        while line:
            try:
                line = line[os.write(1, line):]
            except OSError:
                pass

    def on_eof(self):
        self.outbox.put(None)
        self.writer.join()
        return 0


Subject().run()
