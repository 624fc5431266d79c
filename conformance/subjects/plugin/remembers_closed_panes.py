#!/usr/bin/env python3
"""Keeps the last screen of each pane, for a history that nobody asks for."""
from nudging import Nudging


class Subject(Nudging):
    def pane_closed(self, event):
        self.history = [*getattr(self, "history", []), bytearray(65536)]
        super().pane_closed(event)


Subject().run()
