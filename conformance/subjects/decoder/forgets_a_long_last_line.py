#!/usr/bin/env -S python3 -S
"""Refuses an over-long line when its LF comes, and never if none comes."""
from honest import decoder

def lines(stream):
    room = decoder.LINE_LIMIT + 2
    while line := stream.readline(room):
        head = line
        while line and not line.endswith(b"\n"):
            line = stream.readline(room)
        if line:
            yield (head[:-2] if head.endswith(b"\r\n") else head.removesuffix(b"\n")), True
        elif len(head) < room:
            yield head, False


decoder.lines = lines

decoder.main()
