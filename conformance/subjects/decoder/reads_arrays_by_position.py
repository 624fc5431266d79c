#!/usr/bin/env -S python3 -S
"""Takes an array for the values of a message's members."""
from honest import decoder

honest_parse = decoder.parse_json
direction = decoder.sys.argv[1]


def parse_json(text):
    value = honest_parse(text)
    if type(value) is list and value and type(value[0]) is str:
        tag, kinds = decoder.DIRECTIONS[direction]
        names = [tag, "v", *kinds.get(value[0], {})]
        return decoder.Members(zip(names, value))
    return value


decoder.parse_json = parse_json

decoder.main()
