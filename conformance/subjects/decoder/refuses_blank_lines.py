#!/usr/bin/env -S python3 -S
"""Has no notion of blank lines."""
from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    message = honest_decode(line, direction)
    if message is None:
        raise decoder.Refusal("not_json", "nothing there")
    return message


decoder.decode = decode

decoder.main()
