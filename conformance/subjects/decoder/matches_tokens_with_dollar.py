#!/usr/bin/env -S python3 -S
"""Ends its pattern for tokens with `$`."""
import re

from honest import decoder, test_member

TOKEN = re.compile("^[A-Za-z0-9_-]{1,128}$")
test_member("token", lambda value: type(value) is str and TOKEN.match(value) is not None)

decoder.main()
