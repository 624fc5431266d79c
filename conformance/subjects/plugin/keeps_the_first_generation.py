#!/usr/bin/env python3
"""Remembers a pane as it was when it first opened."""
from nudging import Nudging


class Subject(Nudging):
    def pane_opened(self, event):
        if event["token"] in self.panes:
            self.panes[event["token"]].is_live = True
        else:
            super().pane_opened(event)

    def pane_of(self, event):
        return self.panes.get(event["token"])


Subject().run()
