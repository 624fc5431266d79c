#!/usr/bin/env python3
"""Reads lines with asyncio's default limit of 64 KiB, which counts a CR too."""
import asyncio
import json
import sys

from plugin import Plugin


class Subject(Plugin):
    def listen(self):
        return asyncio.run(self.listen_to_stream())

    async def listen_to_stream(self):
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
        while line := await reader.readline():
            if b'"pane_output"' in line:
                continue
            if not self.on_event(json.loads(line)) or self.is_unheard:
                break
        return 0


Subject().run()
