#!/usr/bin/env python3
"""Has a helper, and does not end before it."""
import subprocess

from plugin import Plugin


class Subject(Plugin):
    def __init__(self):
        super().__init__()
        self.helper = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def listen(self):
        status = super().listen()
        self.helper.wait()
        return status


Subject().run()
