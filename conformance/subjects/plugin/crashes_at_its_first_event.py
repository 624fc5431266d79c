#!/usr/bin/env python3
"""Was never tried with a host."""
from plugin import Plugin


class Subject(Plugin):
    def on_event(self, event):
        raise KeyError("paneToken")


Subject().run()
