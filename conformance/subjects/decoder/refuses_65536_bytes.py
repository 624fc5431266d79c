#!/usr/bin/env -S python3 -S
"""Takes the limit of a line for the first length that is too much."""
from honest import decoder

decoder.LINE_LIMIT -= 1

decoder.main()
