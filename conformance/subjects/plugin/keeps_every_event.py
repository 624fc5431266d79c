#!/usr/bin/env python3
"""Never forgets anything."""
from plugin import Plugin


class Subject(Plugin):
    def __init__(self):
        super().__init__()
        self.chunks = []

    def read(self):
        chunk = super().read()
        self.chunks.append(chunk)
        return chunk


Subject().run()
