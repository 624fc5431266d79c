#!/usr/bin/env -S python3 -S
"""Takes tags in any case of letters and with space round them."""
from honest import decoder

direction = decoder.sys.argv[1]
tag, kinds = decoder.DIRECTIONS[direction]


class Kinds(dict):
    def __contains__(self, kind):
        return super().__contains__(kind.strip().lower())

    def __getitem__(self, kind):
        return super().__getitem__(kind.strip().lower())


decoder.DIRECTIONS = {direction: (tag, Kinds(kinds))}

decoder.main()
