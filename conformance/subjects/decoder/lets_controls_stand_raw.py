#!/usr/bin/env -S python3 -S
"""Lets control characters stand in strings."""
from honest import decoder, parse_with

parse_with(strict=False)

decoder.main()
