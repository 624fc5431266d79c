#!/usr/bin/env -S python3 -S
"""Ends by a signal when a line is bad."""
import os

from honest import decoder


class Refusal(decoder.Refusal):
    def __init__(self, code, detail):
        decoder.sys.stdout.flush()
        os.abort()


decoder.Refusal = Refusal

decoder.main()
