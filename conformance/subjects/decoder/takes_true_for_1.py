#!/usr/bin/env -S python3 -S
"""Takes true for 1 and false for 0."""
from honest import decoder, test_member

def integer(low, high):
    return lambda value: isinstance(value, int) and low <= value <= high


decoder.version = integer(0, decoder.MAX_U32)
test_member("generation", integer(1, decoder.MAX_U32))
test_member("attempt", integer(0, decoder.MAX_U32))
test_member("idle_ms", integer(0, decoder.MAX_SAFE))
test_member("deadline_epoch", integer(-decoder.MAX_SAFE, decoder.MAX_SAFE))

decoder.main()
