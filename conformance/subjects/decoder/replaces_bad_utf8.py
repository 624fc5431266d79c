#!/usr/bin/env -S python3 -S
"""Replaces bytes that are no UTF-8."""
from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    if len(line) <= decoder.LINE_LIMIT:
        line = line.decode("utf-8", "replace").encode()
    return honest_decode(line, direction)


decoder.decode = decode

decoder.main()
