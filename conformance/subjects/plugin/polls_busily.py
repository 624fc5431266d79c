#!/usr/bin/env python3
"""Looks a hundred times a second whether there is something to do, and takes its time for that."""
import os
import select
import time

from plugin import Plugin


class Subject(Plugin):
    def read(self):
        while not select.select([0], [], [], 0.01)[0]:
            looked = time.process_time()
            while time.process_time() - looked < 0.001:
                pass
        return os.read(0, 65536)


Subject().run()
