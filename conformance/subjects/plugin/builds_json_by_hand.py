#!/usr/bin/env python3
"""Puts text between quotes and calls it JSON."""
from plugin import Plugin


class Subject(Plugin):
    def log(self, level, message):
        text = f"my plugin:\n  {message}"
        self.outbox.put(f'{{"cmd":"log","v":3,"level":"{level}","message":"{text}"}}\n'.encode())


Subject().run()
