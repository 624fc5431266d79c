#!/usr/bin/env python3
"""Does not care whether somebody types."""
from nudging import Nudging


class Subject(Nudging):
    def user_input(self, event):
        pass


Subject().run()
