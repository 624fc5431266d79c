"""An honest plugin that acts, for the faulty ones beside it to derive from.

It does what the examples in `examples` do: it presses Enter where a program waits for it or has
signalled that it will, and starts a program that ended once again."""

import os
import socket
import threading
import time

from plugin import Plugin


class Pane:
    was_relaunched = False
    is_live = True
    has_signalled = False
    text = ""

    def __init__(self, event):
        self.token = event["token"]
        self.generation = event["generation"]
        self.can_relaunch = event.get("command") is not None


class Nudging(Plugin):
    passed_over = ()
    kinds = ("pane_opened", "pane_output", "pane_idle", "user_input", "pane_exited", "pane_closed")
    phrase = "press enter to continue"
    max_asked = 8
    patience = 30

    def __init__(self):
        super().__init__()
        self.panes = {}
        self.asked = {}
        self.lock = threading.RLock()  # signals come on a thread of their own

    # --- what happens in panes, and what a subject may do differently ---

    def pane_opened(self, event):
        token = event["token"]
        before = self.panes.get(token)
        if before and before.generation == event["generation"]:
            return
        pane = self.panes[token] = Pane(event)
        pane.was_relaunched = bool(before and before.was_relaunched)
        pane.has_signalled = time.monotonic() - self.asked.pop(token, -self.patience) < self.patience

    def pane_output(self, event):
        if pane := self.pane_of(event):
            pane.text = (pane.text + event["text"])[-200:]

    def pane_idle(self, event):
        pane = self.pane_of(event)
        if pane and pane.is_live and self.wants_enter(pane):
            self.forget_plans(pane)
            self.press_enter(pane)

    def user_input(self, event):
        if pane := self.pane_of(event):
            self.forget_plans(pane)

    def pane_exited(self, event):
        if pane := self.pane_of(event):
            pane.is_live = False
            if pane.can_relaunch and not pane.was_relaunched:
                pane.was_relaunched = True
                self.relaunch(pane)

    def pane_closed(self, event):
        self.panes.pop(event["token"], None)

    def signalled(self, token):
        if token in self.panes:
            self.panes[token].has_signalled = True
        elif self.may_ask(token):
            self.asked[token] = time.monotonic()
            self.watch(token)

    def may_ask(self, token):
        now = time.monotonic()
        self.asked = {token: asked for token, asked in self.asked.items() if now - asked < self.patience}
        return token not in self.asked and len(self.asked) < self.max_asked

    # --- the rest ---

    def wants_enter(self, pane):
        return pane.has_signalled or self.phrase in pane.text.lower()

    def forget_plans(self, pane):
        pane.has_signalled, pane.text = False, ""

    def pane_of(self, event):
        pane = self.panes.get(event["token"])
        return pane if pane and pane.generation == event["generation"] else None

    def press_enter(self, pane):
        self.say({"cmd": "send_input", "v": 3, "token": pane.token, "generation": pane.generation, "data": "\r"})

    def relaunch(self, pane):
        self.say({"cmd": "relaunch", "v": 3, "token": pane.token, "generation": pane.generation,
                  "resume_args": []})

    def watch(self, token):
        self.say({"cmd": "watch_pane", "v": 3, "token": token})

    def on_event(self, event):
        with self.lock:
            if not super().on_event(event):
                return False
            if event["v"] == 3 and event["event"] in self.kinds:
                getattr(self, event["event"])(event)
            return True

    def later(self, seconds, act, *arguments):
        """Does something after a while, on a thread that ends with the plugin."""
        def wait():
            time.sleep(seconds)
            with self.lock:
                act(*arguments)
        threading.Thread(target=wait, daemon=True).start()

    def start(self):
        super().start()
        if folder := os.environ.get("NIGHTCROW_PLUGIN_RUNTIME_DIR"):
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(f"{folder}/nudge.sock")
            listener.listen()
            threading.Thread(target=self.listen_to_signals, args=(listener,), daemon=True).start()

    def listen_to_signals(self, listener):
        while True:
            connection, _ = listener.accept()
            with connection, self.lock:
                connection.settimeout(2)
                self.signalled(connection.recv(256).decode().strip())
