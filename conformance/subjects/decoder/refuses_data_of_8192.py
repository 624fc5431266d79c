#!/usr/bin/env -S python3 -S
"""Takes the limit of data for the first length that is too much."""
from honest import decoder

decoder.DATA_LIMIT -= 1

decoder.main()
