#!/usr/bin/env -S python3 -S
"""Wants a message in an attention, and no generation."""
from honest import decoder

attention = decoder.DIRECTIONS["commands"][1]["attention"]
decoder.DIRECTIONS["commands"][1]["attention"] = {"token": attention["token"]}

decoder.main()
