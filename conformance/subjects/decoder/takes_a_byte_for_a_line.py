#!/usr/bin/env -S python3 -S
"""Has lost patience with a short line when a read brings a single byte of it."""
from honest import decoder

def lines(stream):
    rest = b""
    while chunk := stream.read1(4096):
        *whole, rest = (rest + chunk).split(b"\n")
        if len(chunk) == 1 and 0 < len(rest) < 256:
            whole, rest = [rest], b""
        for line in whole:
            yield line.removesuffix(b"\r"), True
        rest = rest[: decoder.LINE_LIMIT + 2]
    if rest:
        yield rest, False


decoder.lines = lines

decoder.main()
