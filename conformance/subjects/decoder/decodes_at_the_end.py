#!/usr/bin/env -S python3 -S
"""Reads everything before it decodes anything, and prints everything at once."""
import io

from honest import decoder

honest_verdicts = decoder.verdicts


def verdicts(stream, direction):
    yield from list(honest_verdicts(io.BytesIO(stream.read()), direction))


decoder.verdicts = verdicts

decoder.main()
