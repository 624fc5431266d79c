#!/usr/bin/env python3
"""Writes members as its dictionary has them, and some of its own."""
import json

from plugin import Plugin


class Subject(Plugin):
    def encode(self, command):
        command = {**command, "z": {"cmd": "shutdown", "v": 4}, "a": [None, 1.5e3], "event": "shutdown"}
        return json.dumps(command, sort_keys=True, separators=(" ,\t", " : ")).encode() + b"\n"


Subject().run()
