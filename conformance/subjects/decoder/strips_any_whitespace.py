#!/usr/bin/env -S python3 -S
"""Strips whatever Unicode calls whitespace."""
from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    try:
        stripped = line.decode().strip().encode() if len(line) <= decoder.LINE_LIMIT else line
    except UnicodeDecodeError:
        stripped = line
    return honest_decode(stripped, direction)


decoder.decode = decode

decoder.main()
