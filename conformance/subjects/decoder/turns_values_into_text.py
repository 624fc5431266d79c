#!/usr/bin/env -S python3 -S
"""Turns whatever should be a text into one."""
from honest import decoder

TEXTS = {"state", "detail", "message", "title", "command", "cwd", "text"}
honest_check = decoder.check


def check(name, test, members):
    if name in TEXTS and name in members and type(members[name]) is not str:
        members[name] = str(members[name])
    honest_check(name, test, members)


decoder.check = check

decoder.main()
