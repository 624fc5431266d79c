#!/usr/bin/env -S python3 -S
"""Counts the bytes of data before it resolves the escapes."""
import re

from honest import decoder

honest_decode = decoder.decode
DATA = re.compile(rb'"data":"((?:[^"\\]|\\.)*)"')


def decode(line, direction):
    message = honest_decode(line, direction)
    written = DATA.search(line)
    if message and written and len(written[1]) > decoder.DATA_LIMIT:
        raise decoder.Refusal("input_too_large", "data")
    return message


decoder.decode = decode

decoder.main()
