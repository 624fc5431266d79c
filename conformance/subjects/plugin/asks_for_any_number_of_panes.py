#!/usr/bin/env python3
"""Asks for every pane that signals, however many have not been shown yet."""
from nudging import Nudging


class Subject(Nudging):
    max_asked = 1_000_000


Subject().run()
