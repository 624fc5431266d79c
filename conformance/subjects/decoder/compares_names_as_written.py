#!/usr/bin/env -S python3 -S
"""Compares names before it resolves their escapes, and then keeps the last."""
import re

from honest import decoder

honest_parse = decoder.parse_json
NAME = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t\r]*:')


def parse_json(text):
    value = honest_parse(text)
    written = NAME.findall(text)
    if type(value) is decoder.Members and len(set(written)) == len(written):
        value = decoder.Members(dict(value).items())
    return value


decoder.parse_json = parse_json

decoder.main()
