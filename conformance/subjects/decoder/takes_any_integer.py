#!/usr/bin/env -S python3 -S
"""Knows integers, but not their ranges."""
from honest import decoder, test_member

for name in ("generation", "attempt", "deadline_epoch", "idle_ms"):
    test_member(name, lambda value: type(value) is int)

decoder.main()
