#!/usr/bin/env -S python3 -S
"""Reads a message only if its tag comes first."""
from honest import change_members, decoder

def insist(pairs):
    if pairs and pairs[0][0] not in ("cmd", "event"):
        raise decoder.Refusal("missing_member", "the tag")
    return pairs


change_members(insist)

decoder.main()
