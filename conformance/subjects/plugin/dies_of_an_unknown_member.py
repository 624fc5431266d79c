#!/usr/bin/env python3
"""Knows all members that a pane can have."""
from nudging import Nudging


class Subject(Nudging):
    def pane_opened(self, event):
        self.remember(**event)
        super().pane_opened(event)

    def remember(self, event, v, token, generation, title=None, command=None, cwd=None):
        self.last = token


Subject().run()
