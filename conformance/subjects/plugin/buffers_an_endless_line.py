#!/usr/bin/env python3
"""Waits for the end of a line, however long it becomes."""
from plugin import Plugin


class Subject(Plugin):
    def lines(self):
        pieces = []
        while chunk := self.read():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                line, pieces = b"".join([*pieces, end]).removesuffix(b"\r"), []
                yield line if len(line) <= 65536 else None
            pieces.append(rest)


Subject().run()
