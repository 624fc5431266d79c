#!/usr/bin/env -S python3 -S
"""Takes half of a surrogate pair for a character."""
import re

from honest import decoder

decoder.ESCAPE = re.compile("(?!)()")

decoder.main()
