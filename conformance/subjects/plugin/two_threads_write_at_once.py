#!/usr/bin/env python3
"""Writes from two threads, each in two pieces."""
import os
import threading

from plugin import Plugin


class Subject(Plugin):
    def status(self, event, state):
        pieces = threading.Barrier(2)
        line = self.encode({"cmd": "log", "v": 3, "level": "debug", "message": state})

        def write():
            try:
                os.write(1, line[:20])
                pieces.wait(1)
                os.write(1, line[20:])
            except (OSError, threading.BrokenBarrierError):
                self.on_unheard()

        for _ in range(2):
            threading.Thread(target=write, daemon=True).start()


Subject().run()
