#!/usr/bin/env -S python3 -S
"""Counts messages and not lines."""
from honest import change_verdicts, decoder

messages = 0


def count(verdict):
    global messages
    messages += "ok" in verdict
    return {**verdict, "n": messages}


change_verdicts(count)

decoder.main()
