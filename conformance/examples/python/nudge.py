#!/usr/bin/env python3
"""A small honest plugin: it presses Enter where a program waits for it, and starts a program that
ended once again. Python's standard library only; a place to start from."""

import json
import os
import queue
import sys
import threading

PHRASE = "press enter to continue"
KEPT = 200  # characters of a pane's last text: a phrase may come in two events
MAX_LINE = 65536  # bytes of a line without its terminator


def lines(fd):
    """Yields the lines of a stream of bytes, without their terminators; None for an over-long one.

    Bytes, not text: a read may end inside a character, a text reader also splits at CR, and
    str.splitlines() at U+2028 and others. Only LF ends a line. What is kept is bounded."""
    rest, skipping = b"", False
    while chunk := os.read(fd, 65536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            line = line.removesuffix(b"\r")  # a CR directly before the LF belongs to it
            if skipping or len(line) > MAX_LINE:
                skipping, line = False, None
            yield line
        if len(rest) > MAX_LINE + 1:
            rest, skipping = b"", True
    # An unterminated rest at the end of the stream was cut short, or comes too late to matter.


class Outbox:
    """Writes on a thread of its own: a host that does not read must not keep us from reading.

    The queue is bounded. What does not fit is dropped, as if the host had refused it."""

    def __init__(self, fd):
        self.fd = fd
        self.queue = queue.Queue(256)
        self.is_closed = False
        self.thread = threading.Thread(target=self._write, daemon=True)
        self.thread.start()

    def say(self, cmd, **members):
        # json.dumps keeps to ASCII and writes no raw line feed, so this is one line.
        line = json.dumps({"cmd": cmd, "v": 3, **members}, separators=(",", ":")) + "\n"
        try:
            self.queue.put_nowait(line.encode())
        except queue.Full:
            pass

    def _write(self):
        while line := self.queue.get():
            try:
                while line:  # os.write has no buffer to flush, but may take less than all
                    line = line[os.write(self.fd, line):]
            except OSError:  # nobody reads any more
                self.is_closed = True
                return

    def drop(self):
        """Forgets what still waits; a line that was begun is written to its end."""
        try:
            while True:
                self.queue.get_nowait()
        except queue.Empty:
            pass

    def finish(self):
        """Lets the last lines out, but not for ever: a host waits for two seconds."""
        try:
            self.queue.put(b"", timeout=0.5)
        except queue.Full:
            pass
        self.thread.join(timeout=0.5)


class Nudge:
    def __init__(self, outbox):
        self.panes = {}
        self.say = outbox.say
        self.drop = outbox.drop
        self.log("info", "nudge has started")

    def log(self, level, message):
        self.say("log", level=level, message=message)

    def status(self, pane, state):
        self.say("status", **pane["id"], state=state, detail=None, deadline_epoch=None, attempt=0)

    def on_line(self, line):
        """Returns False when the plugin is to end."""
        if line is None:
            self.log("warn", "the host sent an over-long line")
            return True
        if not line.strip(b" \t\r"):
            return True
        try:
            event = json.loads(line)
            version, kind = event["v"], event["event"]
        except (ValueError, TypeError, KeyError, RecursionError):
            self.log("warn", "the host sent a line that is no event")
            return True
        if version != 3:  # the same words may mean something else there: never act on them
            self.log("warn", f"the host sent version {version!r:.20}, this plugin speaks 3")
            return True
        if kind == "shutdown":
            self.drop()  # no pane command after it; at the end of stdin the queue is written out
            return False
        handle = self.HANDLERS.get(kind)  # events that we do not know are ignored
        if handle:
            handle(self, event)
        return True

    def on_opened(self, event):
        token = event["token"]
        before = self.panes.get(token, {})
        pane = self.panes[token] = {
            # Commands carry the newest generation: one about an older process would be refused.
            "id": {"token": token, "generation": event["generation"]},
            "can_relaunch": event.get("command") is not None,
            "was_relaunched": before.get("was_relaunched", False),
            "is_live": True,
            "text": "",
        }
        self.status(pane, "watching")

    def pane_of(self, event):
        """The pane of an event, unless the event is about a process that was replaced."""
        pane = self.panes.get(event["token"])
        return pane if pane and pane["id"]["generation"] == event["generation"] else None

    def on_output(self, event):
        if pane := self.pane_of(event):
            pane["text"] = (pane["text"] + event["text"][-KEPT:].lower())[-KEPT:]

    def on_idle(self, event):
        pane = self.pane_of(event)
        if pane and pane["is_live"] and PHRASE in pane["text"]:
            pane["text"] = ""
            self.say("send_input", **pane["id"], data="\r")

    def on_user_input(self, event):
        if pane := self.pane_of(event):
            pane["text"] = ""  # a person took over: whatever we had in mind is off

    def on_exited(self, event):
        if pane := self.pane_of(event):
            pane["is_live"] = False
            self.status(pane, "exited")
            if pane["can_relaunch"] and not pane["was_relaunched"]:
                pane["was_relaunched"] = True
                self.say("relaunch", **pane["id"], resume_args=[])

    def on_closed(self, event):
        self.panes.pop(event["token"], None)

    HANDLERS = {
        "pane_opened": on_opened,
        "pane_output": on_output,
        "pane_idle": on_idle,
        "user_input": on_user_input,
        "pane_exited": on_exited,
        "pane_closed": on_closed,
    }


def main():
    outbox = Outbox(sys.stdout.fileno())
    nudge = Nudge(outbox)
    for line in lines(sys.stdin.fileno()):
        if outbox.is_closed or not nudge.on_line(line):
            break
    outbox.finish()


if __name__ == "__main__":
    main()
