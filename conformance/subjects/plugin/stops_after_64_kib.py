#!/usr/bin/env python3
"""Takes a line of 64 KiB for the end of everything, because its buffer holds no more."""
from plugin import Plugin


class Subject(Plugin):
    is_deaf = False

    def lines(self):
        rest = b""
        while chunk := self.read():
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                self.is_deaf = self.is_deaf or len(line) + 1 > 65536
                if not self.is_deaf and b'"pane_output"' not in line:
                    yield line
            if self.is_deaf:
                rest = b""


Subject().run()
