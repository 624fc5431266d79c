#!/usr/bin/env python3
"""A decoder for version 3 of the plugin contract (plugin-v3.md, section 18).

    decoder.py commands|events  < stream  > verdicts

`lines` cuts a byte stream into lines (section 3), `decode` makes a message of one line or refuses it (sections 4 to 9), and
`verdicts` joins the two. A host reads `commands`, a plugin reads `events`. Only the standard library is used.
"""

import json
import math
import re
import sys

VERSION = 3
LINE_LIMIT = 65_536  # bytes, without the terminator (PLG-103, PLG-104)
DATA_LIMIT = 8_192  # bytes of UTF-8 after escapes are resolved (PLG-407)
MAX_U32 = 2**32 - 1
MAX_SAFE = 2**53 - 1


class Refusal(Exception):
    """Why a line is no message: a code of section 9, and what a log may say about it (never the text of a member)."""

    def __init__(self, code, detail):
        super().__init__(f"{code}: {detail}")
        self.code = code


# --- Members (section 6): one test per type. They get what `parse_json` made of the value. ---


def integer(low, high):
    # `type() is`, not isinstance: True is an int to Python. 3.0, 3e0 and -0 arrive as floats, see `parse_integer`.
    return lambda value: type(value) is int and low <= value <= high


def string(value):
    return type(value) is str


def token(value):
    # fullmatch, because `$` would let a final LF pass.
    return string(value) and re.fullmatch("[A-Za-z0-9_-]{1,128}", value) is not None


def level(value):
    # The type comes first: a list cannot be looked up in a set.
    return string(value) and value in {"error", "warn", "info", "debug"}


def strings(value):
    # `type() is` again: an object is a subclass of list here.
    return type(value) is list and all(map(string, value))


version = integer(0, MAX_U32)
generation = integer(1, MAX_U32)
attempt = integer(0, MAX_U32)
epoch = integer(-MAX_SAFE, MAX_SAFE)
idle_ms = integer(0, MAX_SAFE)

# --- Messages (sections 7 and 8): members in the order in which they are checked. ---

PANE = {"token": token, "generation": generation}

# Each direction has a tag of its own and is blind to the other's (PLG-304).
DIRECTIONS = {
    "commands": ("cmd", {
        "send_input": {**PANE, "data": string},
        "relaunch": {**PANE, "resume_args": strings},
        "status": {**PANE, "state": string, "detail": string, "deadline_epoch": epoch, "attempt": attempt},
        "watch_pane": {"token": token},
        "attention": PANE,
        "log": {"level": level, "message": string},
    }),
    "events": ("event", {
        "pane_opened": {**PANE, "title": string, "command": string, "cwd": string},
        "pane_output": {**PANE, "text": string},
        "pane_idle": {**PANE, "idle_ms": idle_ms},
        "pane_exited": PANE,
        "pane_closed": PANE,
        "user_input": PANE,
        "shutdown": {},
    }),
}

OPTIONAL = {"title", "command", "detail", "deadline_epoch"}  # may be absent or null, which is the same (PLG-307)


# --- Lines (section 3) ---


def lines(stream):
    """Yield each line of a buffered binary stream without its terminator, and whether an LF ended it.

    Of an over-long line only the beginning is yielded, still longer than LINE_LIMIT; the rest is dropped piece by piece.
    """
    room = LINE_LIMIT + 2  # the longest legal line and CR LF
    while line := stream.readline(room):
        if line.endswith(b"\r\n"):
            yield line[:-2], True
        elif line.endswith(b"\n"):
            yield line[:-1], True
        else:  # over-long, or the end of the stream; a CR that no LF follows belongs to the line
            yield line, False
            while line and not line.endswith(b"\n"):
                line = stream.readline(room)


# --- JSON (section 4): the `json` module, minus what it accepts and the contract refuses. ---


class Members(list):
    """An object as its (name, value) pairs. Kept as a list: whether names may repeat depends on how deep it stands."""


def parse_number(text):
    number = float(text)  # reads NaN and Infinity too, which the module takes for numbers
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    return number


def parse_integer(text):
    number = parse_number(text)  # first: bounds the digits too, and int() raises beyond 4,300 of them
    return number if text == "-0" else int(text)


# The rest of the grammar, raw control characters included, is kept by CPython's C scanner. (The pure Python one, which stands
# in where `_json` is missing, takes any Unicode digit for a digit.)
JSON = json.JSONDecoder(
    object_pairs_hook=Members, parse_float=parse_number, parse_int=parse_integer, parse_constant=parse_number
)

# Matches every escape as a whole, so that in `\\ud83d` (a backslash and five letters) no `\ud83d` is found.
# A surrogate that is not half of a pair lands in group 1.
ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")


def parse_json(text):
    try:
        value = JSON.decode(text)
    except RecursionError:  # hundreds of levels; 64 must be read, more may be refused (PLG-207)
        raise Refusal("not_json", "nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refusal("not_json", f"at character {error.pos}") from None
    except ValueError as error:  # from parse_number
        raise Refusal("not_json", error) from None
    # Now that the grammar holds, a backslash stands only in strings. The text is searched and not the value, as values are
    # nested. Without lone surrogates every string can be encoded again.
    for escape in ESCAPE.finditer(text):
        if escape[1]:
            raise Refusal("not_json", f"lone surrogate at character {escape.start()}")
    return value


# --- Messages (sections 5 and 9): the order of the checks is that of PLG-305. ---


def decode(line, direction):
    """The message in a line, with all members of its kind; None if the line is blank. Raises Refusal."""
    tag, kinds = DIRECTIONS[direction]
    if len(line) > LINE_LIMIT:
        raise Refusal("line_too_long", f"more than {LINE_LIMIT} bytes")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal("not_utf8", f"at byte {error.start}") from None
    if not text.strip(" \t\r"):  # not strip(): that takes U+00A0 and others too
        return None
    value = parse_json(text)
    if type(value) is not Members:
        raise Refusal("not_an_object", "the line is another JSON value")
    members = dict(value)
    if len(members) < len(value):
        raise Refusal("duplicate_member", "in the message's object")

    check("v", version, members)
    if members["v"] != VERSION:
        raise Refusal("version_mismatch", f"the line says {members['v']}, this decoder speaks {VERSION}")
    check(tag, string, members)
    if members[tag] not in kinds:
        raise Refusal("unknown_kind", tag)
    message = {tag: members[tag], "v": VERSION}
    for name, test in kinds[members[tag]].items():
        if name in OPTIONAL and members.get(name) is None:
            message[name] = None
        else:
            check(name, test, members)
            message[name] = members[name]
    if "data" in message and len(message["data"].encode("utf-8")) > DATA_LIMIT:
        raise Refusal("input_too_large", "data")
    return message


def check(name, test, members):
    if name not in members:  # null is not absence (PLG-306)
        raise Refusal("missing_member", name)
    if not test(members[name]):
        raise Refusal("invalid_member", name)


# --- The program (section 18) ---


def verdicts(stream, direction):
    for n, (line, ended) in enumerate(lines(stream), start=1):
        try:
            message = decode(line, direction)
        except Refusal as refusal:  # a real receiver records str(refusal) and goes on
            cut = not ended and refusal.code in {"not_utf8", "not_json"}
            yield {"n": n, "refuse": "truncated" if cut else refusal.code}
        else:
            yield {"n": n, "blank": True} if message is None else {"n": n, "ok": message}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in DIRECTIONS:
        sys.exit("usage: decoder.py commands|events")
    for verdict in verdicts(sys.stdin.buffer, sys.argv[1]):
        print(json.dumps(verdict))


if __name__ == "__main__":
    main()
