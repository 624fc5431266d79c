#!/usr/bin/env -S python3 -S
"""Requires every member, though some may be null."""
from honest import decoder, test_member

for name in decoder.OPTIONAL:
    honest = decoder.epoch if name == "deadline_epoch" else decoder.string
    test_member(name, lambda value, honest=honest: value is None or honest(value))
decoder.OPTIONAL = set()

decoder.main()
