#!/usr/bin/env python3
"""Logs several times a second that it is alive."""
import threading
import time

from plugin import Plugin


class Subject(Plugin):
    def start(self):
        threading.Thread(target=self.beat, daemon=True).start()

    def beat(self):
        while True:
            self.log("debug", "alive")
            time.sleep(0.2)


Subject().run()
