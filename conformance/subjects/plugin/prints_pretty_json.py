#!/usr/bin/env python3
"""Indents its JSON so that people can read it."""
import json

from plugin import Plugin


class Subject(Plugin):
    def encode(self, command):
        return json.dumps(command, indent=2).encode() + b"\n"


Subject().run()
