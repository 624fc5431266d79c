#!/usr/bin/env node
// A small honest plugin: it presses Enter where a program waits for it, and starts a program that
// ended once again. Node's standard library only; a place to start from.

const PHRASE = "press enter to continue";
const KEPT = 200; // characters of a pane's last text: a phrase may come in two events
const MAX_LINE = 65536; // bytes of a line without its terminator
const MAX_WAITING = 256; // lines that may wait for a slow host
const LF = 0x0a;
const CR = 0x0d;

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
  else if (isEnding) process.exit(0);
}

function log(level, message) {
  say("log", { level, message });
}

function status(pane, state) {
  say("status", { ...pane.id, state, detail: null, deadline_epoch: null, attempt: 0 });
}

// Nobody reads any more.
process.stdout.on("error", () => process.exit(0));

// process.exit() throws away what still waits, so the last lines go out first, but not for ever: a
// host waits for two seconds.
function end() {
  isEnding = true;
  process.stdin.destroy();
  if (!isWriting) process.exit(0);
  setTimeout(() => process.exit(0), 1000);
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

const panes = new Map();

// The pane of an event, unless the event is about a process that was replaced.
function paneOf(event) {
  const pane = panes.get(event.token);
  return pane?.id.generation === event.generation ? pane : undefined;
}

const handlers = {
  pane_opened({ token, generation, command }) {
    const wasRelaunched = panes.get(token)?.wasRelaunched ?? false;
    // Commands carry the newest generation: one about an older process would be refused.
    const pane = { id: { token, generation }, canRelaunch: command != null, wasRelaunched, isLive: true, text: "" };
    panes.set(token, pane);
    status(pane, "watching");
  },
  pane_output(event) {
    const pane = paneOf(event);
    if (pane) pane.text = (pane.text + event.text.slice(-KEPT).toLowerCase()).slice(-KEPT);
  },
  pane_idle(event) {
    const pane = paneOf(event);
    if (!pane?.isLive || !pane.text.includes(PHRASE)) return;
    pane.text = "";
    say("send_input", { ...pane.id, data: "\r" });
  },
  user_input(event) {
    const pane = paneOf(event);
    if (pane) pane.text = ""; // a person took over: whatever we had in mind is off
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
process.stdin.on("data", lineReader(onLine));
process.stdin.on("end", end);
process.stdin.on("error", end);
