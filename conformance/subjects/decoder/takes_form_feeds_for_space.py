#!/usr/bin/env -S python3 -S
"""Takes whatever `str.isspace` does for space between tokens."""
from honest import decoder

honest_parse = decoder.parse_json


def parse_json(text):
    try:
        return honest_parse(text)
    except decoder.Refusal:
        return honest_parse("".join(" " if c.isspace() else c for c in text))


decoder.parse_json = parse_json

decoder.main()
