#!/usr/bin/env -S python3 -S
"""Knows no generation of an attention."""
from honest import decoder

attention = decoder.DIRECTIONS["commands"][1]["attention"]
decoder.DIRECTIONS["commands"][1]["attention"] = {"token": attention["token"]}

decoder.main()
