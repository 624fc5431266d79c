#!/usr/bin/env -S python3 -S
"""Reads commands and events alike."""
from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    try:
        return honest_decode(line, direction)
    except decoder.Refusal as refusal:
        try:
            return honest_decode(line, {"commands": "events", "events": "commands"}[direction])
        except decoder.Refusal:
            raise refusal from None


decoder.decode = decode

decoder.main()
