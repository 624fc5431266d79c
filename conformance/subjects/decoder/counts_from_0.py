#!/usr/bin/env -S python3 -S
"""Counts lines from 0."""
from honest import change_verdicts, decoder

change_verdicts(lambda verdict: {**verdict, "n": verdict["n"] - 1})

decoder.main()
