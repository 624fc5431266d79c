#!/usr/bin/env -S python3 -S
"""Has a default for each member that may be missing."""
from honest import decoder

DEFAULTS = {"token": "none", "generation": 1, "data": "", "resume_args": [], "state": "", "attempt": 0, "level": "info",
            "message": "", "cwd": "", "text": "", "idle_ms": 0}
honest_check = decoder.check


def check(name, test, members):
    if name in DEFAULTS:
        members.setdefault(name, DEFAULTS[name])
    honest_check(name, test, members)


decoder.check = check

decoder.main()
