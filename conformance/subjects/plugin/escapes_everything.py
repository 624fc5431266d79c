#!/usr/bin/env python3
"""Escapes each character of its texts and names, in upper case."""
import re

from plugin import Plugin


def escaped(found):
    return "".join(rf"\u{ord(character):04X}" for character in found[0])


class Subject(Plugin):
    def encode(self, command):
        # What stands between quotes; its own texts hold none.
        return re.sub(r'(?<=")\w[^":,]*(?=")', escaped, super().encode(command).decode()).encode()


Subject().run()
