#!/usr/bin/env python3
"""Has its encoder turn all names into camel case."""
import re

from nudging import Nudging


class Subject(Nudging):
    def say(self, command):
        super().say({re.sub("_(.)", lambda found: found[1].upper(), name): value
                     for name, value in command.items()})


Subject().run()
