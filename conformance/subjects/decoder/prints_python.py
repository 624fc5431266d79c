#!/usr/bin/env -S python3 -S
"""Prints its verdicts as Python writes them."""
from honest import decoder

decoder.json.dumps = repr

decoder.main()
