#!/usr/bin/env -S python3 -S
"""Lets numbers be NaN and infinite, as Python's `json` does."""
from honest import decoder, parse_with

parse_with(parse_float=float, parse_constant=float)

decoder.main()
