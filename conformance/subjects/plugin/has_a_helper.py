#!/usr/bin/env python3
"""Has a helper that ends with it."""
import subprocess

from plugin import Plugin


class Subject(Plugin):
    def __init__(self):
        super().__init__()
        self.helper = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def listen(self):
        status = super().listen()
        self.helper.stdin.close()
        self.helper.wait()
        return status


Subject().run()
