#!/usr/bin/env -S python3 -S
"""Compares each name with each other one."""
from honest import change_members, decoder

def compare(pairs):
    names = []
    for name, _ in pairs:
        if name not in names:
            names.append(name)
    return pairs


change_members(compare)

decoder.main()
