#!/usr/bin/env -S python3 -S
"""Keeps integers as floating-point numbers, and takes what it cannot tell from 2^53 - 1."""
from honest import decoder, parse_with, test_member

def parse_integer(text):
    number = decoder.parse_integer(text)
    return int(float(number)) if type(number) is int else number


parse_with(parse_int=parse_integer)
test_member("deadline_epoch", decoder.integer(-(2**53), 2**53))
test_member("idle_ms", decoder.integer(0, 2**53))

decoder.main()
