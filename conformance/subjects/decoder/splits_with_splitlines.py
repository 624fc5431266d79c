#!/usr/bin/env -S python3 -S
"""Splits where `str.splitlines` does."""
from honest import decoder

honest_lines = decoder.lines


def lines(stream):
    for line, ended in honest_lines(stream):
        parts = line.decode("utf-8", "surrogateescape").splitlines() or [""]
        for part in parts:
            yield part.encode("utf-8", "surrogateescape"), ended


decoder.lines = lines

decoder.main()
