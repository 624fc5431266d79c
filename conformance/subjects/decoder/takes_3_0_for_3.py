#!/usr/bin/env -S python3 -S
"""Takes a number without a fraction for an integer, however it is written."""
from honest import decoder, parse_with

def parse_number(text):
    number = decoder.parse_number(text)
    return int(number) if number == int(number) else number


parse_with(parse_float=parse_number)

decoder.main()
