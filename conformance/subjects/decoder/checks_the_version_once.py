#!/usr/bin/env -S python3 -S
"""Looks at the version of its first message only."""
from honest import decoder

honest_decode = decoder.decode
honest_check = decoder.check
seen = False


def check(name, test, members):
    honest_check(name, test, members)
    if name == "v" and seen:
        members["v"] = 3


def decode(line, direction):
    global seen
    message = honest_decode(line, direction)
    seen = True
    return message


decoder.decode = decode
decoder.check = check

decoder.main()
