#!/usr/bin/env -S python3 -S
"""Looks for two of a name only among the names that it knows."""
from honest import change_members, decoder

KNOWN = {name for _, kinds in decoder.DIRECTIONS.values() for members in kinds.values() for name in members}
KNOWN |= {"v", "cmd", "event"}


def forget(pairs):
    unknown = {name: value for name, value in pairs if name not in KNOWN}
    return [pair for pair in pairs if pair[0] in KNOWN] + list(unknown.items())


change_members(forget)

decoder.main()
