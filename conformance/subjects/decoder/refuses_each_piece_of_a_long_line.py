#!/usr/bin/env -S python3 -S
"""Refuses a long line once for each buffer that it fills."""
from honest import decoder

def lines(stream):
    room = decoder.LINE_LIMIT + 2
    while line := stream.readline(room):
        if line.endswith(b"\n"):
            yield line[:-1].removesuffix(b"\r"), True
        else:
            while line and not line.endswith(b"\n"):
                yield line.ljust(room), False
                line = stream.readline(room)


decoder.lines = lines

decoder.main()
