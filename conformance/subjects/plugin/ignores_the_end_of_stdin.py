#!/usr/bin/env python3
"""Lives on when its host is gone."""
import time

from plugin import Plugin


class Subject(Plugin):
    def on_eof(self):
        while not self.is_unheard:
            time.sleep(0.1)
        return 0


Subject().run()
