#!/usr/bin/env python3
"""Asks for a pane until it is shown."""
from nudging import Nudging


class Subject(Nudging):
    def watch(self, token):
        if token not in self.panes:
            super().watch(token)
            self.later(0.02, self.watch, token)


Subject().run()
