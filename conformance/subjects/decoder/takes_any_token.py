#!/usr/bin/env -S python3 -S
"""Takes any string that is not empty for a token."""
from honest import decoder, test_member

test_member("token", lambda value: type(value) is str and value != "")

decoder.main()
