#!/usr/bin/env -S python3 -S
"""Takes CR, LF and CR LF for the end of a line, as text mode does."""
from honest import decoder

honest_lines = decoder.lines


def lines(stream):
    for line, ended in honest_lines(stream):
        for part in line.split(b"\r"):
            yield part, ended


decoder.lines = lines

decoder.main()
