#!/usr/bin/env -S python3 -S
"""Takes a message without version for one of version 3."""
from honest import decoder

honest_check = decoder.check


def check(name, test, members):
    if name == "v":
        members.setdefault("v", 3)
    honest_check(name, test, members)


decoder.check = check

decoder.main()
