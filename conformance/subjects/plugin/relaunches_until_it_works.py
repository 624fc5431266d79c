#!/usr/bin/env python3
"""Asks for a program to be started again until it is."""
from nudging import Nudging


class Subject(Nudging):
    def relaunch(self, pane):
        if self.panes.get(pane.token) is pane:
            super().relaunch(pane)
            self.later(0.02, self.relaunch, pane)


Subject().run()
