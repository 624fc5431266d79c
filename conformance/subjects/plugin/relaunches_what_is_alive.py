#!/usr/bin/env python3
"""Starts a program again that it takes for stuck."""
from nudging import Nudging


class Subject(Nudging):
    def press_enter(self, pane):
        self.relaunch(pane)


Subject().run()
