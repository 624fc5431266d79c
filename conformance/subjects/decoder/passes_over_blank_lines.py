#!/usr/bin/env -S python3 -S
"""Says nothing about blank lines, and does not count them."""
from honest import decoder

honest_lines = decoder.lines


def lines(stream):
    return ((line, ended) for line, ended in honest_lines(stream) if line.strip(b" \t\r"))


decoder.lines = lines

decoder.main()
