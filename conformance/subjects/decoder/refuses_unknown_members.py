#!/usr/bin/env -S python3 -S
"""Refuses a message with members that it does not know."""
from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    message = honest_decode(line, direction)
    if message is not None and dict(decoder.parse_json(line.decode())).keys() - message.keys():
        raise decoder.Refusal("invalid_member", "unknown")
    return message


decoder.decode = decode

decoder.main()
