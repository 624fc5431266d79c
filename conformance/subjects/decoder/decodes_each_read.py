#!/usr/bin/env -S python3 -S
"""Turns bytes into text read by read, at least where a read is short."""
import io

from honest import decoder

honest_lines = decoder.lines
SHORT = 128  # what comes of a long write may be cut anywhere


class Text(io.RawIOBase):
    def __init__(self, stream):
        self.stream = stream

    def readable(self):
        return True

    def readinto(self, to):
        chunk = self.stream.read1(min(len(to), 4096))
        if len(chunk) < SHORT:
            chunk = chunk.decode("utf-8", "replace").encode()
        to[: len(chunk)] = chunk
        return len(chunk)


decoder.lines = lambda stream: honest_lines(io.BufferedReader(Text(stream)))
decoder.main()
