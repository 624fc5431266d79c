#!/usr/bin/env -S python3 -S
"""Takes CR for the end of a line and LF for another."""
from honest import decoder

honest_lines = decoder.lines


class Raw:
    """A stream in which each CR is an LF."""

    def __init__(self, stream):
        self.stream = stream
        self.held = []

    def readline(self, room):
        if not self.held:
            self.held = self.stream.readline(room).replace(b"\r", b"\n").splitlines(keepends=True)
        return self.held.pop(0) if self.held else b""


decoder.lines = lambda stream: honest_lines(Raw(stream))

decoder.main()
