#!/usr/bin/env -S python3 -S
"""Stops reading a line at the end of its first value."""
from honest import decoder

honest_decode = decoder.JSON.decode


def decode(text):
    return decoder.JSON.raw_decode(text.lstrip(" \t\r"))[0]


decoder.JSON.decode = decode

decoder.main()
