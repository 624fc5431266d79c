#!/usr/bin/env python3
"""Ignores shutdown, the end of stdin and signals, so that nothing interrupts its work."""
import signal
import time

from plugin import Plugin

for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(ignored, signal.SIG_IGN)


class Subject(Plugin):
    def on_shutdown(self, event):
        return True

    def on_eof(self):
        while True:
            time.sleep(0.1)


Subject().run()
