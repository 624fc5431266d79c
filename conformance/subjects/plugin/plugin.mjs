// An honest plugin, for the faulty ones beside it to derive from. It answers each pane_opened and
// pane_exited with a status. Reading and writing are done as the example in `examples/node` does and
// explains.

const MAX_LINE = 65536;
const MAX_WAITING = 256;

export class Plugin {
  waiting = [];
  isWriting = false;
  isEnding = false;

  // --- what a subject may do differently ---

  start() {
    this.log("info", "started");
  }

  onEvent(event) {
    if (event.v !== 3) this.log("warn", "another version");
    else if (event.event === "shutdown") this.onShutdown();
    else if (event.event === "pane_opened" || event.event === "pane_exited") this.status(event, event.event);
  }

  onShutdown() {
    this.waiting.length = 0;
    this.end();
  }

  onEnd() {
    this.end();
  }

  encode(command) {
    return JSON.stringify(command) + "\n";
  }

  say(command) {
    if (this.isEnding || this.waiting.length >= MAX_WAITING) return;
    this.waiting.push(this.encode(command));
    if (!this.isWriting) this.writeNext();
  }

  // --- the rest ---

  log(level, message) {
    this.say({ cmd: "log", v: 3, level, message });
  }

  status({ token, generation }, state) {
    this.say({ cmd: "status", v: 3, token, generation, state, detail: null, deadline_epoch: null, attempt: 0 });
  }

  writeNext() {
    const line = this.waiting.shift();
    this.isWriting = line !== undefined;
    if (this.isWriting) process.stdout.write(line, () => this.writeNext());
    else if (this.isEnding) process.exit(0);
  }

  end() {
    this.isEnding = true;
    process.stdin.destroy();
    if (!this.isWriting) process.exit(0);
    setTimeout(() => process.exit(0), 500);
  }

  onLine(line) {
    if (line.at(-1) === 13) line = line.subarray(0, -1);
    if (line.length > MAX_LINE) this.log("warn", "over-long line");
    else this.onEvent(JSON.parse(line.toString()));
  }

  run() {
    let rest = Buffer.alloc(0);
    process.stdout.on("error", () => process.exit(0));
    process.stdin.on("data", (chunk) => {
      let start = 0;
      for (let at; (at = chunk.indexOf(10, start)) >= 0; start = at + 1) {
        this.onLine(Buffer.concat([rest, chunk.subarray(start, at)]));
        rest = Buffer.alloc(0);
      }
      // What is too long already need not grow.
      if (rest.length <= MAX_LINE + 1) rest = Buffer.concat([rest, chunk.subarray(start)]);
    });
    process.stdin.on("end", () => this.onEnd());
    this.start();
  }
}
