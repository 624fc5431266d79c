#!/usr/bin/env -S python3 -S
"""Sorts members, spaces them out, escapes letters and ends its lines in CR LF."""
import json

from honest import decoder

honest_dumps = json.dumps


def dumps(verdict):
    text = honest_dumps(verdict, sort_keys=True, separators=(" , ", " : "))
    return text.replace("info", "\\u0069nfo") + "\r"


decoder.json.dumps = dumps

decoder.main()
