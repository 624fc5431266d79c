#!/usr/bin/env python3
"""Logs which pane was opened, by its title."""
from nudging import Nudging


class Subject(Nudging):
    def pane_opened(self, event):
        self.log("info", f"opened {event.get('title')}")
        super().pane_opened(event)


Subject().run()
