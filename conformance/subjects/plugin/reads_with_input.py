#!/usr/bin/env python3
"""Reads with input(), which ends with an exception."""
from plugin import Plugin


class Subject(Plugin):
    def lines(self):
        while True:
            yield input().encode()


Subject().run()
