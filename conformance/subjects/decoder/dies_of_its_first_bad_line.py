#!/usr/bin/env -S python3 -S
"""Has no place for a refusal."""
from honest import decoder

def verdicts(stream, direction):
    for n, (line, _) in enumerate(decoder.lines(stream), start=1):
        message = decoder.decode(line, direction)
        yield {"n": n, "blank": True} if message is None else {"n": n, "ok": message}


decoder.verdicts = verdicts

decoder.main()
