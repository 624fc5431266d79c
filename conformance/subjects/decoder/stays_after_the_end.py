#!/usr/bin/env -S python3 -S
"""Waits for more when there is no more."""
import time

from honest import decoder

honest_verdicts = decoder.verdicts


def verdicts(stream, direction):
    yield from honest_verdicts(stream, direction)
    decoder.sys.stdout.flush()
    while True:
        time.sleep(60)


decoder.verdicts = verdicts

decoder.main()
