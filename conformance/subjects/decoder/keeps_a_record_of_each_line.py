#!/usr/bin/env -S python3 -S
"""Keeps what it said about each line, for later."""
from honest import change_verdicts, decoder

records = []


def remember(verdict):
    records.append({"line": verdict["n"], "verdict": verdict, "was_seen": False})
    return verdict


change_verdicts(remember)

decoder.main()
