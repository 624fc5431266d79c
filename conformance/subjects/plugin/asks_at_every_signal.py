#!/usr/bin/env python3
"""Asks for a pane whenever a program in it signals."""
from nudging import Nudging


class Subject(Nudging):
    def may_ask(self, token):
        return True


Subject().run()
