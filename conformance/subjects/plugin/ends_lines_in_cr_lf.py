#!/usr/bin/env python3
"""Ends its lines in CR LF."""
from plugin import Plugin


class Subject(Plugin):
    def encode(self, command):
        return super().encode(command)[:-1] + b"\r\n"


Subject().run()
