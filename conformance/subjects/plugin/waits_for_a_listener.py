#!/usr/bin/env python3
"""Does not end before all that it has to say was heard, not even when nobody can hear it any more."""
import time

from plugin import Plugin


class Subject(Plugin):
    is_cut_off = False

    def on_unheard(self):
        self.is_cut_off = True

    def on_eof(self):
        self.outbox.put(None)
        while self.writer.is_alive() or self.is_cut_off:
            time.sleep(0.01)
        return 0


Subject().run()
