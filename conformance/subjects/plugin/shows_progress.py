#!/usr/bin/env python3
"""Shows on stdout how far its start has come."""
from plugin import Plugin


class Subject(Plugin):
    def start(self):
        for percent in range(0, 101, 20):
            self.outbox.put(b"\rloading %3d%%" % percent)
        self.outbox.put(b"\n")
        super().start()


Subject().run()
