"""An honest plugin that is quick, for the faulty ones beside it to derive from.

It answers each pane_opened and pane_exited with a status, and looks at output only where a subject
wants it. Reading and writing are done as the example in `examples/python` does and explains."""

import gc

# What is imported stays until the end: there is no need to look for what of it could go.
gc.disable()

import json  # noqa: E402
import os  # noqa: E402
import queue  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402

MAX_LINE = 65536

gc.freeze()
gc.enable()


class Plugin:
    # Events that are passed over unread, unless their line is long: what follows `{"event":"`.
    passed_over = {b"pane_out", b"pane_idl", b"user_inp"}
    long_line = MAX_LINE + 1

    def __init__(self):
        self.outbox = queue.Queue(256)
        self.is_unheard = False
        self.writer = threading.Thread(target=self.write_lines, daemon=True)

    # --- what a subject may do differently ---

    def start(self):
        self.log("info", "started")

    def on_event(self, event):
        """Returns False to end."""
        if event["v"] != 3:
            return self.on_other_version(event)
        if event["event"] == "shutdown":
            self.drop()
            return self.on_shutdown(event)
        if event["event"] in ("pane_opened", "pane_exited"):
            self.status(event, event["event"])
        return True

    def on_other_version(self, event):
        self.log("warn", "another version")
        return True

    def on_shutdown(self, event):
        return False

    def on_eof(self):
        """Returns the status to end with."""
        return 0

    def encode(self, command):
        return json.dumps(command, separators=(",", ":")).encode() + b"\n"

    def write(self, line):
        while line:
            line = line[os.write(1, line):]

    def on_unheard(self):
        self.is_unheard = True

    def on_overlong_line(self):
        self.log("warn", "over-long line")
        return True

    # --- the rest ---

    def log(self, level, message):
        self.say({"cmd": "log", "v": 3, "level": level, "message": message})

    def status(self, event, state):
        self.say({"cmd": "status", "v": 3, "token": event["token"], "generation": event["generation"],
                  "state": state, "detail": None, "deadline_epoch": None, "attempt": 0})

    def say(self, command):
        try:
            self.outbox.put_nowait(self.encode(command))
        except queue.Full:
            pass

    def drop(self):
        try:
            while True:
                self.outbox.get_nowait()
        except queue.Empty:
            pass

    def write_lines(self):
        while (line := self.outbox.get()) is not None:
            try:
                self.write(line)
            except OSError:
                self.on_unheard()
                return

    def lines(self):
        rest, skipping = b"", False
        while chunk := self.read():
            *whole, rest = (rest + chunk).split(b"\n")
            if skipping and whole:
                whole[0], skipping = b"." * (MAX_LINE + 2), False
            passed_over, long_line = self.passed_over, self.long_line
            whole = [line for line in whole if line[10:18] not in passed_over or len(line) >= long_line]
            for line in whole:
                line = line.removesuffix(b"\r")
                yield line if len(line) <= MAX_LINE else None
            if len(rest) > MAX_LINE + 1:
                rest, skipping = b"", True

    def read(self):
        return os.read(0, 65536)

    def run(self):
        self.writer.start()
        self.start()
        status = self.listen()
        try:
            self.outbox.put(None, timeout=0.5)
        except queue.Full:
            pass
        self.writer.join(timeout=0.5)
        sys.exit(status)

    def listen(self):
        for line in self.lines():
            goes_on = self.on_overlong_line() if line is None else self.on_event(json.loads(line))
            if not goes_on or self.is_unheard:
                return 0
        return self.on_eof()
