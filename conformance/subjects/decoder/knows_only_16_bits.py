#!/usr/bin/env -S python3 -S
"""Has no place for characters beyond U+FFFF."""
import re

from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    message = honest_decode(line, direction)
    if message:
        for name, value in message.items():
            if type(value) is str:
                message[name] = re.sub("[^\0-\uffff]", "\ufffd", value)
    return message


decoder.decode = decode

decoder.main()
