#!/usr/bin/env -S python3 -S
"""Takes no notice of what stands behind the last LF."""
from honest import decoder

honest_lines = decoder.lines
limit = decoder.LINE_LIMIT


def lines(stream):
    for line, ended in honest_lines(stream):
        if ended or len(line) > limit + 1:
            yield line, ended


decoder.lines = lines

decoder.main()
