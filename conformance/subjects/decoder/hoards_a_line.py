#!/usr/bin/env -S python3 -S
"""Reads a line to its end, however long it is."""
from honest import decoder

def lines(stream):
    while line := stream.readline():
        if line.endswith(b"\n"):
            yield line[:-1].removesuffix(b"\r"), True
        else:
            yield line, False


decoder.lines = lines

decoder.main()
