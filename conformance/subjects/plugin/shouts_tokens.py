#!/usr/bin/env python3
"""Writes tokens in upper case, as hexadecimal numbers should be."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        if "token" in command:
            command["token"] = command["token"].upper()
        super().say(command)


Subject().run()
