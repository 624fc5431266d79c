#!/usr/bin/env python3
"""Presses Enter, and in a moment once more if nothing came of it, whoever typed meanwhile."""
from nudging import Nudging


class Subject(Nudging):
    def press_enter(self, pane):
        super().press_enter(pane)
        self.later(0.1, self.press_again, pane)

    def press_again(self, pane):
        if pane.is_live and self.panes.get(pane.token) is pane and not pane.text:
            super().press_enter(pane)


Subject().run()
