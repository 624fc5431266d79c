#!/usr/bin/env python3
"""Decodes what each read brings, though a character may come in two."""
import os

from plugin import Plugin


class Subject(Plugin):
    def read(self):
        chunk = os.read(0, 2)
        chunk.decode()
        return chunk


Subject().run()
