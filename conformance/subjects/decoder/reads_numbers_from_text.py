#!/usr/bin/env -S python3 -S
"""Takes a string of digits for the number."""
from honest import change_members, decoder

NUMBERS = {"v", "generation", "attempt", "deadline_epoch", "idle_ms"}


def read(pair):
    name, value = pair
    if name in NUMBERS and type(value) is str and value.isdigit():
        value = int(value)
    return name, value


change_members(lambda pairs: map(read, pairs))

decoder.main()
