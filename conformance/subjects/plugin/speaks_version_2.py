#!/usr/bin/env python3
"""Was written for version 2 and only half brought up to date."""
from plugin import Plugin


class Subject(Plugin):
    def say(self, command):
        if command.get("state") == "pane_exited":
            command["v"] = 2
        super().say(command)


Subject().run()
