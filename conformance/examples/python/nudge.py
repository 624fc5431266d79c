#!/usr/bin/env python3
"""A small honest plugin: it presses Enter where a program waits for it, or has signalled that it will,
and starts a program that ended once again. Python's standard library only; a place to start from.

A program in a pane signals by writing its token to the plugin's socket and closing; from a shell:

    echo $NIGHTCROW_PANE_TOKEN | nc -NU $NIGHTCROW_PLUGIN_RUNTIME_DIR/nudge.sock
"""

import json
import os
import queue
import re
import select
import socket
import sys
import threading
import time

PHRASE = "press enter to continue"
KEPT = 200  # characters of a pane's last text: a phrase may come in two events
MAX_LINE = 65536  # bytes of a line without its terminator

TOKEN = re.compile(rb"[A-Za-z0-9_-]{1,128}")
MAX_ASKED = 8  # panes that were asked for and not shown yet
PATIENCE = 30  # seconds in which a host answers; silence is a refusal

MAX_CONNECTIONS = 16
MAX_SIGNAL = 256  # bytes that a connection may write
SIGNAL_TIME = 2  # seconds that a connection may take


def lines(read):
    """Yields the lines of a stream of bytes, without their terminators; None for an over-long one.

    Bytes, not text: a read may end inside a character, a text reader also splits at CR, and
    str.splitlines() at U+2028 and others. Only LF ends a line. What is kept is bounded."""
    rest, skipping = b"", False
    while chunk := read():
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


class Signals:
    """Hears the programs that connect to our socket. Each writes its pane's token and closes.

    Whoever runs as the same user can connect, often, and then say nothing. So a connection is cut off
    in time, and while there are many the next one waits until it is accepted."""

    def __init__(self, path, on_token):
        self.path, self.on_token = path, on_token
        self.connections = {}  # what each has said, and when it is cut off
        self.listener = socket.socket(socket.AF_UNIX)
        if os.path.exists(path):
            os.unlink(path)  # a predecessor that was killed has left it
        mask = os.umask(0o177)  # no other user may connect, from the first moment on
        try:
            self.listener.bind(path)
        finally:
            os.umask(mask)
        self.listener.listen()
        self.inode = os.stat(path).st_ino

    def wait_for(self, fd):
        """Listens until there is something to read from fd."""
        readable = []
        while fd not in readable:
            watched, timeout = [fd, *self.connections], None
            if len(self.connections) < MAX_CONNECTIONS:
                watched.append(self.listener)
            if self.connections:
                until = min(until for _, until in self.connections.values())
                timeout = max(0, until - time.monotonic())
            readable, _, _ = select.select(watched, [], [], timeout)
            for source in readable:
                if source is self.listener:
                    connection, _ = self.listener.accept()
                    self.connections[connection] = b"", time.monotonic() + SIGNAL_TIME
                elif source != fd:
                    self._hear(source)
            self._cut_off()

    def _hear(self, connection):
        said, until = self.connections[connection]
        try:
            chunk = connection.recv(MAX_SIGNAL - len(said))
        except OSError:
            chunk = b""
        said += chunk
        self.connections[connection] = said, until
        if chunk and b"\n" not in said and len(said) < MAX_SIGNAL:
            return
        token = said.split(b"\n")[0].removesuffix(b"\r")
        if TOKEN.fullmatch(token):  # `match` and `$` would let a line feed pass
            self.on_token(token.decode())
        self._close(connection)

    def _cut_off(self):
        now = time.monotonic()
        for connection, (_, until) in list(self.connections.items()):
            if until <= now:
                self._close(connection)

    def _close(self, connection):
        del self.connections[connection]
        connection.close()

    def finish(self):
        if os.path.exists(self.path) and os.stat(self.path).st_ino == self.inode:
            os.unlink(self.path)  # unless a successor has put its own there


class Nudge:
    def __init__(self, outbox):
        self.panes = {}
        self.asked = {}  # when each pane was asked for
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

    def on_signal(self, token):
        """A program in this pane wants Enter to be pressed when it is idle."""
        if token in self.panes:
            self.panes[token]["has_signalled"] = True
            return
        # Not ours yet. A host that does not want us to have it does not answer, so we neither ask again
        # at once nor remember it for long.
        now = time.monotonic()
        self.asked = {token: asked for token, asked in self.asked.items() if now - asked < PATIENCE}
        if token not in self.asked and len(self.asked) < MAX_ASKED:
            self.asked[token] = now
            self.say("watch_pane", token=token)

    def on_opened(self, event):
        token = event["token"]
        asked = self.asked.pop(token, None)
        before = self.panes.get(token, {})
        if not self.pane_of(event):  # else it is announced once more, to answer a watch_pane
            self.panes[token] = {
                # Commands carry the newest generation: one about an older process would be refused.
                "id": {"token": token, "generation": event["generation"]},
                "can_relaunch": event.get("command") is not None,
                "was_relaunched": before.get("was_relaunched", False),
                "is_live": True,
                "has_signalled": asked is not None and time.monotonic() - asked < PATIENCE,
                "text": "",
            }
        self.status(self.panes[token], "watching")

    def pane_of(self, event):
        """The pane of an event, unless the event is about a process that was replaced."""
        pane = self.panes.get(event["token"])
        return pane if pane and pane["id"]["generation"] == event["generation"] else None

    def on_output(self, event):
        if pane := self.pane_of(event):
            pane["text"] = (pane["text"] + event["text"][-KEPT:].lower())[-KEPT:]

    def on_idle(self, event):
        pane = self.pane_of(event)
        if pane and pane["is_live"] and (pane["has_signalled"] or PHRASE in pane["text"]):
            pane["has_signalled"], pane["text"] = False, ""  # once
            self.say("send_input", **pane["id"], data="\r")

    def on_user_input(self, event):
        if pane := self.pane_of(event):
            # A person took over: whatever we had in mind is off.
            pane["has_signalled"], pane["text"] = False, ""

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
    outbox, stdin = Outbox(sys.stdout.fileno()), sys.stdin.fileno()
    nudge = Nudge(outbox)
    signals = open_signals(nudge)

    def read():
        if signals:
            signals.wait_for(stdin)
        return os.read(stdin, 65536)

    for line in lines(read):
        if outbox.is_closed or not nudge.on_line(line):
            break
    if signals:
        signals.finish()
    outbox.finish()


def open_signals(nudge):
    """Whoever tries a plugin by hand has no runtime directory; everything else works without."""
    folder = os.environ.get("NIGHTCROW_PLUGIN_RUNTIME_DIR")
    try:
        return Signals(f"{folder}/nudge.sock", nudge.on_signal) if folder else None
    except OSError as error:
        nudge.log("warn", f"nobody can signal: {error.strerror}")
        return None


if __name__ == "__main__":
    main()
