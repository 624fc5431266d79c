#!/usr/bin/env -S python3 -S
"""Looks at the tag before the version, and calls what is cut no JSON."""
from honest import change_verdicts, decoder

honest_check = decoder.check
tag, kinds = decoder.DIRECTIONS[decoder.sys.argv[1]]


def check(name, test, members):
    if name == "v" and type(members.get(tag)) is str and members[tag] not in kinds:
        raise decoder.Refusal("unknown_kind", members[tag])
    honest_check(name, test, members)


def blame(verdict):
    return {"n": verdict["n"], "refuse": "not_json"} if verdict.get("refuse") == "truncated" else verdict


decoder.check = check
change_verdicts(blame)

decoder.main()
