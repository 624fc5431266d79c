#!/usr/bin/env -S python3 -S
"""Counts the characters of a line and not its bytes."""
from honest import decoder

honest_decode = decoder.decode
limit = decoder.LINE_LIMIT
decoder.LINE_LIMIT = 4 * limit  # for the reading


def decode(line, direction):
    if len(line.decode("utf-8", "replace")) > limit:
        raise decoder.Refusal("line_too_long", "characters")
    return honest_decode(line, direction)


decoder.decode = decode

decoder.main()
