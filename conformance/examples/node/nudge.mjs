#!/usr/bin/env node
// A small honest plugin: it presses Enter where a program waits for it, or has signalled that it will,
// and starts a program that ended once again. Node's standard library only; a place to start from.
//
// A program in a pane signals by writing its token to the plugin's socket and closing; from a shell:
//
//   echo $NIGHTCROW_PANE_TOKEN | nc -NU $NIGHTCROW_PLUGIN_RUNTIME_DIR/nudge.sock

import fs from "node:fs";
import net from "node:net";

const PHRASE = "press enter to continue";
const KEPT = 200; // characters of a pane's last text: a phrase may come in two events
const MAX_LINE = 65536; // bytes of a line without its terminator
const MAX_WAITING = 256; // lines that may wait for a slow host
const LF = 0x0a;
const CR = 0x0d;

const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;
const MAX_ASKED = 8; // panes that were asked for and not shown yet
const PATIENCE = 30_000; // ms in which a host answers; silence is a refusal

const MAX_CONNECTIONS = 16;
const MAX_SIGNAL = 256; // bytes that a connection may write
const SIGNAL_TIME = 2_000; // ms that a connection may take

// --- what goes out ------------------------------------------------------------------------------

// On a pipe process.stdout.write never blocks and never drops: what the host does not read piles up
// in memory. So lines wait here, and are written one at a time. The queue is bounded; what does not
// fit is dropped, as if it had been refused.
const waiting = [];
let isWriting = false;
let isEnding = false;

function say(cmd, members) {
  if (isEnding || waiting.length >= MAX_WAITING) return;
  // JSON.stringify writes no raw line feed, so this is one line.
  waiting.push(JSON.stringify({ cmd, v: 3, ...members }) + "\n");
  if (!isWriting) writeNext();
}

function writeNext() {
  const line = waiting.shift();
  isWriting = line !== undefined;
  if (isWriting) process.stdout.write(line, writeNext);
  else if (isEnding) exit();
}

function log(level, message) {
  say("log", { level, message });
}

function status(pane, state) {
  say("status", { ...pane.id, state, detail: null, deadline_epoch: null, attempt: 0 });
}

// Nobody reads any more.
process.stdout.on("error", exit);

// process.exit() throws away what still waits, so the last lines go out first, but not for ever: a
// host waits for two seconds.
function end() {
  isEnding = true;
  process.stdin.destroy();
  if (!isWriting) exit();
  setTimeout(exit, 1000);
}

// After shutdown what still waits is dropped; a line that was begun is written to its end.
function shutdown() {
  waiting.length = 0;
  end();
}

// --- what comes in ------------------------------------------------------------------------------

// Bytes, not text: a read may end inside a character, and readline may split at U+2028 and at a lone
// CR. Only LF ends a line. What is kept is bounded.
function lineReader(onLine) {
  let parts = [];
  let length = 0;
  let skipping = false;
  const finishLine = (tail) => {
    let line = parts.length ? Buffer.concat([...parts, tail]) : tail;
    parts = [];
    length = 0;
    if (line.length && line[line.length - 1] === CR) line = line.subarray(0, -1); // part of CR LF
    const tooLong = skipping || line.length > MAX_LINE;
    skipping = false;
    onLine(tooLong ? null : line);
  };
  return (chunk) => {
    let start = 0;
    for (let at; (at = chunk.indexOf(LF, start)) >= 0; start = at + 1) finishLine(chunk.subarray(start, at));
    const rest = chunk.subarray(start);
    if (!rest.length || skipping) return;
    parts.push(rest);
    length += rest.length;
    if (length > MAX_LINE + 1) [parts, length, skipping] = [[], 0, true];
  };
}

// --- who signals --------------------------------------------------------------------------------

let removeSocket = () => {};

function exit() {
  removeSocket();
  process.exit(0);
}

// Each program that connects writes its pane's token and closes. Whoever runs as the same user can
// connect, often, and then say nothing. So a connection is cut off in time, or when there are too many
// after it.
function listenAt(path) {
  const open = new Set(); // what ends each connection, the oldest first
  const server = net.createServer((connection) => {
    if (open.size === MAX_CONNECTIONS) open.values().next().value();
    let said = "";
    const finish = () => {
      clearTimeout(timer);
      open.delete(finish);
      connection.destroy();
    };
    open.add(finish);
    const timer = setTimeout(finish, SIGNAL_TIME);
    const onEnd = () => {
      const token = said.split("\n")[0].replace(/\r$/, "");
      if (TOKEN.test(token)) onSignal(token);
      finish();
    };
    connection.setEncoding("latin1"); // a byte is a character; a token is ASCII
    connection.on("data", (chunk) => {
      said += chunk;
      if (said.length > MAX_SIGNAL) finish();
      else if (said.includes("\n")) onEnd();
    });
    connection.on("end", onEnd);
    connection.on("error", finish);
  });
  server.on("error", (error) => log("warn", `nobody can signal: ${error.code}`));
  fs.rmSync(path, { force: true }); // a predecessor that was killed has left it
  const mask = process.umask(0o177); // no other user may connect, from the first moment on
  server.listen(path);
  process.umask(mask);
  server.on("listening", () => {
    const { ino } = fs.statSync(path);
    removeSocket = () => {
      // Unless a successor has put its own there.
      if (fs.statSync(path, { throwIfNoEntry: false })?.ino === ino) fs.unlinkSync(path);
    };
  });
}

const panes = new Map();
const asked = new Map(); // when each pane was asked for

// A program in this pane wants Enter to be pressed when it is idle.
function onSignal(token) {
  const pane = panes.get(token);
  if (pane) {
    pane.hasSignalled = true;
    return;
  }
  // Not ours yet. A host that does not want us to have it does not answer, so we neither ask again at
  // once nor remember it for long.
  for (const [token, at] of asked) if (Date.now() - at >= PATIENCE) asked.delete(token);
  if (asked.has(token) || asked.size >= MAX_ASKED) return;
  asked.set(token, Date.now());
  say("watch_pane", { token });
}

// --- what happens in panes ----------------------------------------------------------------------

// The pane of an event, unless the event is about a process that was replaced.
function paneOf(event) {
  const pane = panes.get(event.token);
  return pane?.id.generation === event.generation ? pane : undefined;
}

const handlers = {
  pane_opened({ token, generation, command }) {
    const before = panes.get(token);
    const hasSignalled = Date.now() - asked.get(token) < PATIENCE; // never, if it was not asked for
    asked.delete(token);
    // If it is not announced once more, to answer a watch_pane:
    if (before?.id.generation !== generation) {
      panes.set(token, {
        // Commands carry the newest generation: one about an older process would be refused.
        id: { token, generation },
        canRelaunch: command != null,
        wasRelaunched: before?.wasRelaunched ?? false,
        isLive: true,
        hasSignalled,
        text: "",
      });
    }
    status(panes.get(token), "watching");
  },
  pane_output(event) {
    const pane = paneOf(event);
    if (pane) pane.text = (pane.text + event.text.slice(-KEPT).toLowerCase()).slice(-KEPT);
  },
  pane_idle(event) {
    const pane = paneOf(event);
    if (!pane?.isLive || !(pane.hasSignalled || pane.text.includes(PHRASE))) return;
    Object.assign(pane, { hasSignalled: false, text: "" }); // once
    say("send_input", { ...pane.id, data: "\r" });
  },
  user_input(event) {
    const pane = paneOf(event);
    // A person took over: whatever we had in mind is off.
    if (pane) Object.assign(pane, { hasSignalled: false, text: "" });
  },
  pane_exited(event) {
    const pane = paneOf(event);
    if (!pane) return;
    pane.isLive = false;
    status(pane, "exited");
    if (pane.canRelaunch && !pane.wasRelaunched) {
      pane.wasRelaunched = true;
      say("relaunch", { ...pane.id, resume_args: [] });
    }
  },
  pane_closed(event) {
    panes.delete(event.token);
  },
  shutdown,
};

function onLine(line) {
  if (line === null) return log("warn", "the host sent an over-long line");
  let event;
  try {
    const text = line.toString("utf8");
    if (!text.trim()) return;
    event = JSON.parse(text);
  } catch {
    return log("warn", "the host sent a line that is not JSON");
  }
  if (event?.v !== 3) {
    // The same words may mean something else there: never act on them.
    return log("warn", `the host sent version ${String(event?.v).slice(0, 20)}, this plugin speaks 3`);
  }
  // Events that we do not know are ignored.
  if (Object.hasOwn(handlers, event.event)) handlers[event.event](event);
}

log("info", "nudge has started");
// Whoever tries a plugin by hand has no runtime directory; everything else works without.
const folder = process.env.NIGHTCROW_PLUGIN_RUNTIME_DIR;
if (folder) listenAt(`${folder}/nudge.sock`);
process.stdin.on("data", lineReader(onLine));
process.stdin.on("end", end);
process.stdin.on("error", end);
