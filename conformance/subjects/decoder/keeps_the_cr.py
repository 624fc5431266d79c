#!/usr/bin/env -S python3 -S
"""Lets the CR of CR LF be part of the line, as whitespace, and counts it."""
from honest import decoder

def lines(stream):
    room = decoder.LINE_LIMIT + 2
    while line := stream.readline(room):
        ended = line.endswith(b"\n")
        yield line.removesuffix(b"\n"), ended
        while line and not line.endswith(b"\n"):
            line = stream.readline(room)


decoder.lines = lines

decoder.main()
