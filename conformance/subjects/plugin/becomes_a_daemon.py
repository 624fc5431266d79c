#!/usr/bin/env python3
"""Moves into the background as soon as it hears something, as daemons do."""
import os
import time

from plugin import Plugin


class Subject(Plugin):
    def read(self):
        chunk = super().read()
        if chunk and os.fork():
            os._exit(0)
        if chunk:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nowhere, stream)
            time.sleep(600)
        return chunk


Subject().run()
