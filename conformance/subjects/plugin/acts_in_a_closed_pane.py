#!/usr/bin/env python3
"""Waits a moment before it presses Enter, whatever becomes of the pane meanwhile."""
from nudging import Nudging


class Subject(Nudging):
    def press_enter(self, pane):
        self.later(0.1, super().press_enter, pane)


Subject().run()
