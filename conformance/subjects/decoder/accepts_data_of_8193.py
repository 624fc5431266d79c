#!/usr/bin/env -S python3 -S
"""Lets data have one byte more."""
from honest import decoder

decoder.DATA_LIMIT += 1

decoder.main()
