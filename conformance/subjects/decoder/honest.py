"""The example decoder, as the module `decoder`, for the faulty ones beside this to change."""

import gc

# What is imported stays until the end: there is no need to look for what of it could go.
gc.disable()

import os  # noqa: E402
import sys  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../examples/python"))
import decoder  # noqa: E402

gc.freeze()
gc.enable()


def parse_with(**hooks):
    """Lets the JSON parser call other functions, or be less strict."""
    usual = {
        "object_pairs_hook": decoder.Members,
        "parse_float": decoder.parse_number,
        "parse_int": decoder.parse_integer,
        "parse_constant": decoder.parse_number,
    }
    decoder.JSON.__init__(**{**usual, **hooks})


def change_members(change):
    """Puts the members of each object that is a line through `change`: pairs to pairs."""
    honest_parse = decoder.parse_json

    def parse_json(text):
        value = honest_parse(text)
        if type(value) is decoder.Members:
            value = decoder.Members(change(value))
        return value

    decoder.parse_json = parse_json


def test_member(name, test):
    """Holds each member of this name against another test."""
    for _, kinds in decoder.DIRECTIONS.values():
        for members in kinds.values():
            if name in members:
                members[name] = test


def change_verdicts(change):
    """Puts each verdict through `change`."""
    honest_verdicts = decoder.verdicts
    decoder.verdicts = lambda stream, direction: map(change, honest_verdicts(stream, direction))
