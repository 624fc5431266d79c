#!/usr/bin/env python3
"""Says goodbye without a line feed."""
from plugin import Plugin


class Subject(Plugin):
    def goodbye(self):
        self.outbox.put(b'{"cmd":"log","v":3,"level":"info","message":"goodbye"}')

    def on_shutdown(self, event):
        self.goodbye()
        return False

    def on_eof(self):
        self.goodbye()
        return 0


Subject().run()
