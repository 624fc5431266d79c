#!/usr/bin/env -S python3 -S
"""Hands on the members that it does not know."""
from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    message = honest_decode(line, direction)
    if message is not None:
        message = {**dict(decoder.parse_json(line.decode())), **message}
    return message


decoder.decode = decode

decoder.main()
