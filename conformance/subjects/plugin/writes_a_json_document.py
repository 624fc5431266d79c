#!/usr/bin/env python3
"""Takes all that it ever says for one JSON document."""
from plugin import Plugin


class Subject(Plugin):
    count = 0

    def encode(self, command):
        self.count += 1
        return (b"[" if self.count == 1 else b",") + super().encode(command)


Subject().run()
