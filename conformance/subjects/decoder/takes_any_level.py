#!/usr/bin/env -S python3 -S
"""Takes any string for a level."""
from honest import decoder, test_member

test_member("level", decoder.string)

decoder.main()
