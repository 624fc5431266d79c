#!/usr/bin/env -S python3 -S
"""Lets `json.loads` find out what the bytes are: UTF-8, UTF-16 or UTF-32."""
import json

from honest import decoder

honest_decode = decoder.decode


def decode(line, direction):
    if b"\0" in line and len(line) <= decoder.LINE_LIMIT:
        try:
            line = line.decode(json.detect_encoding(line)).encode()
        except UnicodeDecodeError:
            line = line.replace(b"\0", b"").replace(b"\xff\xfe", b"").replace(b"\xfe\xff", b"")
    return honest_decode(line, direction)


decoder.decode = decode

decoder.main()
