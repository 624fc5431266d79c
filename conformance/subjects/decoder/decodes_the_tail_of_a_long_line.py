#!/usr/bin/env -S python3 -S
"""Goes on with a new line in the middle of one that is too long."""
from honest import decoder

def lines(stream):
    room = decoder.LINE_LIMIT + 2
    while line := stream.readline(room):
        if line.endswith(b"\n"):
            yield line[:-1].removesuffix(b"\r"), True
        else:
            yield line, len(line) == room


decoder.lines = lines

decoder.main()
