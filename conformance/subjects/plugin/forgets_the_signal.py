#!/usr/bin/env python3
"""Asks for a pane that signals, and waits for another signal once it has it."""
from nudging import Nudging


class Subject(Nudging):
    def pane_opened(self, event):
        self.asked.clear()
        super().pane_opened(event)


Subject().run()
