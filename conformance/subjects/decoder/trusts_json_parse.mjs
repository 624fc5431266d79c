#!/usr/bin/env node
// Splits at LF, believes whatever JSON.parse makes of a line, and looks at types alone.
import { readSync, writeSync } from "node:fs";

const pane = { token: "string", generation: "number" };
const [tag, kinds] = {
  commands: ["cmd", {
    send_input: { ...pane, data: "string" },
    relaunch: { ...pane, resume_args: "object" },
    status: { ...pane, state: "string", detail: "string?", deadline_epoch: "number?", attempt: "number" },
    watch_pane: { token: "string" },
    attention: pane,
    log: { level: "string", message: "string" },
  }],
  events: ["event", {
    pane_opened: { ...pane, title: "string?", command: "string?", cwd: "string" },
    pane_output: { ...pane, text: "string" },
    pane_idle: { ...pane, idle_ms: "number" },
    pane_exited: pane,
    pane_closed: pane,
    user_input: pane,
    shutdown: {},
  }],
}[process.argv[2]];

function decode(line) {
  if (line.length > 65536) throw new Error("line_too_long");
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error("not_json");
  }
  if (value?.v !== 3) throw new Error("version_mismatch");
  const members = kinds[value[tag]];
  if (!members) throw new Error("unknown_kind");
  const message = { [tag]: value[tag], v: 3 };
  for (const [name, type] of Object.entries(members)) {
    message[name] = value[name] ?? null;
    const optional = type.endsWith("?") && message[name] === null;
    if (!optional && typeof message[name] !== type.replace("?", "")) throw new Error("invalid_member");
  }
  return message;
}

let n = 0;
function verdict(line) {
  n += 1;
  let said;
  try {
    said = line.trim() === "" ? { n, blank: true } : { n, ok: decode(line) };
  } catch (error) {
    said = { n, refuse: error.message };
  }
  let bytes = Buffer.from(JSON.stringify(said) + "\n");
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function read() {
  for (;;) {
    try {
      const chunk = Buffer.alloc(65536);
      return chunk.subarray(0, readSync(0, chunk));
    } catch (error) {
      if (error.code === "EOF") return Buffer.alloc(0);
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

let rest = Buffer.alloc(0);
for (let chunk = read(); chunk.length > 0; chunk = read()) {
  rest = Buffer.concat([rest, chunk]);
  for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
    const line = rest.subarray(0, end);
    verdict(line.at(-1) === 13 ? line.subarray(0, -1).toString() : line.toString());
    rest = rest.subarray(end + 1);
  }
}
if (rest.length > 0) verdict(rest.toString());
