#!/usr/bin/env python3
"""Writes accents, in the character set of its author's system."""
import json

from plugin import Plugin


class Subject(Plugin):
    def encode(self, command):
        if "state" in command:
            command = {**command, "detail": "à l'écoute"}
        return json.dumps(command, ensure_ascii=False).encode("latin-1") + b"\n"


Subject().run()
