#!/usr/bin/env -S python3 -S
"""Takes names in any case of letters."""
from honest import change_members, decoder

change_members(lambda pairs: [(name.lower(), value) for name, value in pairs])

decoder.main()
