#!/usr/bin/env python3
"""Keeps a few words about each event for ever, few enough for a short flood."""
from plugin import Plugin


class Subject(Plugin):
    def __init__(self):
        super().__init__()
        self.notes = []

    def read(self):
        chunk = super().read()
        self.notes += [f"{number:60}" for number in range(chunk.count(b"\n"))]
        return chunk


Subject().run()
