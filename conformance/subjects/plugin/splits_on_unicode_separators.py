#!/usr/bin/env python3
"""Reads text and splits it wherever a text editor would begin a new line."""
from plugin import Plugin


class Subject(Plugin):
    def lines(self):
        text = ""
        while chunk := self.read():
            text += chunk.decode()
            end = text.rfind("\n") + 1
            yield from (line for line in text[:end].splitlines() if line)
            text = text[end:]


Subject().run()
