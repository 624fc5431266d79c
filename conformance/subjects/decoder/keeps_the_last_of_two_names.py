#!/usr/bin/env -S python3 -S
"""Keeps the last of members that share a name, as most libraries do."""
from honest import change_members, decoder

change_members(lambda pairs: dict(pairs).items())

decoder.main()
