#!/usr/bin/env -S python3 -S
"""Says in its own words why it refuses a line."""
from honest import change_verdicts, decoder

def translate(verdict):
    if "refuse" in verdict:
        verdict["refuse"] = "E-" + verdict["refuse"].replace("_", "-").upper()
    return verdict


change_verdicts(translate)

decoder.main()
