#!/usr/bin/env -S python3 -S
"""Keeps the lower 32 bits of an integer."""
from honest import decoder, parse_with

def parse_integer(text):
    number = decoder.parse_integer(text)
    return number & decoder.MAX_U32 if type(number) is int else number


parse_with(parse_int=parse_integer)

decoder.main()
