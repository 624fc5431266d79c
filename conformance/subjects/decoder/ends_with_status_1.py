#!/usr/bin/env -S python3 -S
"""Ends with status 1 if it has refused anything."""
from honest import decoder

honest_verdicts = decoder.verdicts


def verdicts(stream, direction):
    refused = False
    for verdict in honest_verdicts(stream, direction):
        refused |= "refuse" in verdict
        yield verdict
    decoder.sys.stdout.flush()
    decoder.sys.exit(int(refused))


decoder.verdicts = verdicts

decoder.main()
