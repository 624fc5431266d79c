#!/usr/bin/env -S python3 -S
"""Prints what it thinks of bad lines between its verdicts."""
from honest import change_verdicts, decoder

def complain(verdict):
    if "refuse" in verdict:
        print("warning: refused line", verdict["n"])
    return verdict


change_verdicts(complain)

decoder.main()
