#!/usr/bin/env python3
"""Presses Enter a moment after the prompt was printed, whoever typed meanwhile."""
from nudging import Nudging


class Subject(Nudging):
    def pane_output(self, event):
        super().pane_output(event)
        pane = self.pane_of(event)
        if pane and self.wants_enter(pane):
            self.later(0.4, self.press_later, pane)

    def press_later(self, pane):
        if pane.is_live and self.panes.get(pane.token) is pane:
            self.forget_plans(pane)
            self.press_enter(pane)

    def pane_idle(self, event):
        pane = self.pane_of(event)
        if pane and pane.has_signalled:
            super().pane_idle(event)


Subject().run()
