#!/usr/bin/env -S python3 -S
"""Drops a byte order mark, as `utf-8-sig` does."""
from honest import decoder

honest_decode = decoder.decode
decoder.decode = lambda line, direction: honest_decode(line.removeprefix(b"\xef\xbb\xbf"), direction)

decoder.main()
