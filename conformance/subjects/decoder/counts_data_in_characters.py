#!/usr/bin/env -S python3 -S
"""Counts the characters of data and not their bytes."""
from honest import decoder

honest_decode = decoder.decode
limit, decoder.DATA_LIMIT = decoder.DATA_LIMIT, 1 << 20


def decode(line, direction):
    message = honest_decode(line, direction)
    if message and len(message.get("data", "")) > limit:
        raise decoder.Refusal("input_too_large", "data")
    return message


decoder.decode = decode

decoder.main()
