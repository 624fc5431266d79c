#!/usr/bin/env -S python3 -S
"""Lets a line have one byte more."""
from honest import decoder

decoder.LINE_LIMIT += 1

decoder.main()
