//! What stands between a host and a plugin: proxy, recordings, lint and replay, from outside.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use common::{conformance, file, require_interpreters};

const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// Longer than anything here takes on the slowest machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A host that speaks to a plugin through the proxy.
struct Host {
    proxy: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Host {
    fn new(options: &[&str], plugin: &[&str]) -> Self {
        let mut proxy = conformance()
            .arg("proxy")
            .args(options)
            .arg("--")
            .args(plugin)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (proxy.stdin.take(), proxy.stdout.take().map(BufReader::new));
        Self {
            proxy,
            stdin,
            stdout,
        }
    }

    /// With a plugin in Python.
    fn with_python(options: &[&str], code: &str) -> Self {
        Self::new(options, &["python3", "-c", code])
    }

    fn send(&mut self, text: impl AsRef<[u8]>) {
        self.stdin
            .as_mut()
            .unwrap()
            .write_all(text.as_ref())
            .unwrap();
    }

    fn event(&mut self, kind: &str, generation: u32, more: &str) {
        self.send(event(kind, generation, more));
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.proxy), signal).unwrap();
    }

    /// Waits for the end, with everything that was not closed still open; returns status and stderr.
    fn end(mut self) -> (i32, String) {
        let until = Instant::now() + DEADLINE;
        let status = loop {
            if let Some(status) = self.proxy.try_wait().unwrap() {
                break status.code().unwrap();
            }
            assert!(Instant::now() < until, "the proxy does not end");
            thread::sleep(Duration::from_millis(5));
        };
        let mut stderr = String::new();
        self.proxy
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        (status, stderr)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // The plugin ends with its stdin.
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

fn event(kind: &str, generation: u32, more: &str) -> String {
    format!(
        "{{\"event\":\"{kind}\",\"v\":3,\"token\":\"{TOKEN}\",\"generation\":{generation}{more}}}\n"
    )
}

const OPENED: &str = r#","title":null,"command":"tool","cwd":"/home/ann""#;

fn nudge() -> String {
    file("examples/node/nudge.mjs").to_str().unwrap().to_owned()
}

/// A life of a pane with the Node example, recorded; `text` is what its program prints.
fn record(options: &[&str], text: &str, is_prompt: bool) -> (tempfile::TempDir, PathBuf, String) {
    require_interpreters();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording.ndjson");
    let mut all = vec!["--record", path.to_str().unwrap()];
    all.extend(options);
    let mut host = Host::new(&all, &["node", &nudge()]);
    host.event("pane_opened", 1, OPENED);
    assert!(host.line().contains("nudge has started"));
    assert!(host.line().contains("watching"));
    host.event("pane_output", 1, &format!(r#","text":"{text}""#));
    host.event("pane_idle", 1, r#","idle_ms":10000"#);
    if is_prompt {
        assert!(host.line().contains("send_input"));
    }
    host.event("pane_exited", 1, "");
    assert!(host.line().contains("exited"));
    assert!(host.line().contains("relaunch"));
    host.event("pane_opened", 2, OPENED);
    assert!(host.line().contains("watching"));
    host.send("{\"event\":\"shutdown\",\"v\":3}\n");
    host.stdin = None;
    assert_eq!(host.line(), "");
    let (status, stderr) = host.end();
    assert_eq!(status, 0);
    (folder, path, stderr)
}

fn tool(arguments: &[&str]) -> Output {
    conformance().args(arguments).output().unwrap()
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[test]
fn the_proxy_changes_no_byte_either_way() {
    let mut noise = vec![0; 3 << 20];
    getrandom::fill(&mut noise).unwrap();
    noise.extend([b'x'; 200_000]);
    noise.extend(b"\r\n\n{\"cmd\":\"log\"}\xff\n\r");
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording");
    for options in [
        &["--quiet"][..],
        &[],
        &["--record", recording.to_str().unwrap(), "--no-redact"],
    ] {
        let mut host = Host::new(options, &["cat"]);
        let (mut stdin, sent) = (host.stdin.take().unwrap(), noise.clone());
        let writing = thread::spawn(move || stdin.write_all(&sent).unwrap());
        let mut echo = Vec::new();
        host.stdout
            .as_mut()
            .unwrap()
            .read_to_end(&mut echo)
            .unwrap();
        writing.join().unwrap();
        assert!(echo == noise, "{options:?}");
        assert_eq!(host.end().0, 0);
    }
    // The whole of it is in the recording too, both ways.
    let mut bytes = [Vec::new(), Vec::new()];
    for line in fs::read_to_string(&recording).unwrap().lines().skip(1) {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let stream = match entry["dir"].as_str().unwrap() {
            "in" => &mut bytes[0],
            "out" => &mut bytes[1],
            _ => continue,
        };
        use base64::Engine;
        let chunk = entry["bytes"].as_str().unwrap();
        stream.extend(
            base64::engine::general_purpose::STANDARD
                .decode(chunk)
                .unwrap(),
        );
    }
    assert!(bytes[0] == noise && bytes[1] == noise);
}

#[test]
fn a_recording_is_private_clean_and_says_the_same_again() {
    let (_folder, path, stderr) = record(&[], "The quick brown fox", false);
    assert_eq!(stderr, "", "nothing is violated");
    let recording = fs::read_to_string(&path).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    for secret in [TOKEN, "ann", "quick", "nudge has"] {
        assert!(!recording.contains(secret), "{secret}");
    }
    let path = path.to_str().unwrap();
    let lint = tool(&["lint", path]);
    assert_eq!(status(&lint), 0, "{}", text(&lint.stdout));
    let replay = tool(&["replay", path]);
    assert_eq!(status(&replay), 0, "{}", text(&replay.stdout));
    assert_eq!(text(&replay.stdout), "");
}

#[test]
fn an_unredacted_recording_holds_all_and_another_plugin_answers_otherwise() {
    let (_folder, path, _) = record(&["--no-redact"], "Press enter to continue", true);
    let path = path.to_str().unwrap();
    assert!(fs::read_to_string(path).unwrap().contains(TOKEN));
    assert_eq!(status(&tool(&["lint", path])), 0);
    let same = tool(&["replay", path]);
    assert_eq!(status(&same), 0, "{}", text(&same.stdout));
    let other = tool(&[
        "replay",
        "--timeout=1s",
        path,
        "--",
        "sh",
        "-c",
        "echo hello; cat >/dev/null",
    ]);
    let diff = text(&other.stdout);
    assert_eq!(status(&other), 1, "{diff}");
    assert!(
        diff.starts_with("--- recorded\n+++ replayed\n@@ -1,"),
        "{diff}"
    );
    assert!(diff.contains("\n-{\"cmd\":\"send_input\""), "{diff}");
    assert!(diff.contains("\n+hello\n"), "{diff}");
    assert!(!diff.contains(TOKEN), "{diff}");
}

#[test]
fn a_plugin_that_reads_texts_answers_a_redacted_recording_otherwise_and_the_reason_is_given() {
    let (_folder, path, _) = record(&[], "Press enter to continue", true);
    let replay = tool(&["replay", "--timeout=1s", path.to_str().unwrap()]);
    assert_eq!(status(&replay), 1);
    let diff = text(&replay.stdout);
    let missing: Vec<_> = diff.lines().filter(|line| line.starts_with('-')).collect();
    assert_eq!(missing.len(), 2, "{diff}");
    assert!(missing[1].contains("send_input"), "{diff}");
    assert!(text(&replay.stderr).contains("the recording is redacted"));
}

#[test]
fn violations_of_both_sides_are_reported_and_quote_nothing() {
    let plugin =
        "import sys\nsys.stdin.readline()\nprint('secret words', flush=True)\nsys.stdin.read()";
    let told = "violation PLG-701 by the plugin, line 1, byte 0: not_json";
    let order = "violation PLG-810 by the host, line 1, byte 0: pane_output of pane 001122…";
    let converse = |options: &[&str]| {
        let mut host = Host::with_python(options, plugin);
        host.event("pane_output", 1, r#","text":"private""#);
        assert_eq!(host.line(), "secret words\n");
        host.stdin = None;
        let (status, stderr) = host.end();
        assert_eq!(status, 0);
        stderr
    };
    let stderr = converse(&[]);
    assert!(stderr.contains(told) && stderr.contains(order), "{stderr}");
    assert!(
        stderr.ends_with("conformance proxy: 1 violations by the plugin and 1 by the host\n"),
        "{stderr}"
    );
    for secret in ["secret", "private", TOKEN] {
        assert!(!stderr.contains(secret), "{stderr}");
    }
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    assert_eq!(converse(&["--report", report.to_str().unwrap()]), "");
    assert!(fs::read_to_string(report).unwrap().contains(told));
    assert_eq!(converse(&["--quiet"]), "");
}

#[test]
fn the_plugins_end_is_the_proxys_end() {
    for (code, expected) in [("exit 0", 0), ("exit 5", 5), ("kill -9 $$", 137)] {
        // The host's ends stay open.
        let host = Host::new(&[], &["sh", "-c", code]);
        assert_eq!(host.end().0, expected, "{code}");
    }
    let missing = tool(&["proxy", "--", "./no/such/plugin"]);
    assert_eq!(status(&missing), 3);
    assert!(text(&missing.stderr).contains("there is no `./no/such/plugin`"));
    let nowhere = tool(&["proxy", "--record", "/no/such/folder/file", "--", "cat"]);
    assert_eq!(status(&nowhere), 2);
}

#[test]
fn last_words_are_passed_on_and_a_grandchild_holds_nothing_up() {
    let mut host = Host::new(&[], &["sh", "-c", "sleep 600 2>&- & echo $!; exit 3"]);
    let grandchild = host.line().trim().parse().unwrap();
    let mut rest = String::new();
    host.stdout
        .as_mut()
        .unwrap()
        .read_to_string(&mut rest)
        .unwrap();
    assert_eq!((rest.as_str(), host.end().0), ("", 3));
    kill_process(Pid::from_raw(grandchild).unwrap(), Signal::KILL).unwrap();

    // More than a pipe holds, unread until the plugin has ended.
    let mut host = Host::new(&[], &["sh", "-c", "head -c 150000 /dev/zero; exit 4"]);
    let mut all = Vec::new();
    host.stdout.as_mut().unwrap().read_to_end(&mut all).unwrap();
    assert_eq!((all.len(), host.end().0), (150_000, 4));
}

#[test]
fn signals_are_passed_on() {
    require_interpreters();
    for (signal, name) in [
        (Signal::TERM, "SIGTERM"),
        (Signal::INT, "SIGINT"),
        (Signal::HUP, "SIGHUP"),
    ] {
        let code = format!(
            "import signal, sys\nsignal.signal(signal.{name}, lambda *_: sys.exit(40))\n\
             print('ready', flush=True)\nwhile True: signal.pause()"
        );
        let mut host = Host::with_python(&[], &code);
        assert_eq!(host.line(), "ready\n");
        host.signal(signal);
        assert_eq!(host.end().0, 40, "{name}");
    }
    let mut host = Host::new(&[], &["sh", "-c", "echo ready; exec sleep 600"]);
    assert_eq!(host.line(), "ready\n");
    host.signal(Signal::TERM);
    assert_eq!(host.end().0, 128 + 15);
}

#[test]
fn closed_ends_are_passed_on_at_once() {
    require_interpreters();
    // The plugin never writes: it sees that nobody would read.
    let code = "import select, sys\nprint('ready', flush=True)\np = select.poll()\np.register(1, 0)\n\
                p.poll(60000)\nsys.exit(9)";
    let mut host = Host::with_python(&[], code);
    assert_eq!(host.line(), "ready\n");
    host.stdout = None;
    let (status, _) = host.end();
    assert_eq!(status, 9);

    // The host never writes: it sees that nobody would read.
    let code = "import os, signal\nos.close(0)\nos.write(1, b'closed\\n')\nsignal.pause()";
    let mut host = Host::with_python(&[], code);
    assert_eq!(host.line(), "closed\n");
    let stdin = host.stdin.take().unwrap();
    let mut end = [PollFd::new(&stdin, PollFlags::empty())];
    let timeout = Timespec::try_from(DEADLINE).unwrap();
    assert_eq!(poll(&mut end, Some(&timeout)).unwrap(), 1);
    assert!(end[0].revents().contains(PollFlags::ERR));
    host.signal(Signal::TERM);
    host.end();

    // The plugin closes its stdout and lives on.
    let code = "import os, sys\nos.close(1)\nsys.stdin.read()\nos._exit(6)";
    let mut host = Host::with_python(&[], code);
    assert_eq!(host.line(), "");
    host.stdin = None;
    assert_eq!(host.end().0, 6);
}

#[test]
fn a_plugin_that_does_not_read_holds_its_host_up() {
    let mut host = Host::new(&["--quiet"], &["sh", "-c", "exec sleep 600"]);
    let stdin = host.stdin.take().unwrap();
    rustix::io::ioctl_fionbio(&stdin, true).unwrap();
    let chunk = [b'x'; 4096];
    let mut taken = 0;
    let patience = Timespec::try_from(Duration::from_secs(1)).unwrap();
    while poll(&mut [PollFd::new(&stdin, PollFlags::OUT)], Some(&patience)).unwrap() > 0 {
        taken += rustix::io::write(&stdin, &chunk).unwrap_or(0);
        assert!(taken < 1 << 20, "the proxy swallows what nobody reads");
    }
    assert!(taken > 0);
    host.signal(Signal::TERM);
    assert_eq!(host.end().0, 143);
}

#[test]
fn what_a_check_wrote_down_is_linted_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let run = conformance()
        .args([
            "run",
            "--report=json",
            "--only=FRM-016",
            "--only=LIM-018",
            "--only=LIF-002",
            "--only=LIF-003",
            "--results",
        ])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(run.status.success());
    let mut recordings = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "ndjson")
        {
            continue;
        }
        let lint = conformance().arg("lint").arg(&path).output().unwrap();
        assert_eq!(
            status(&lint),
            0,
            "{}: {}",
            path.display(),
            text(&lint.stdout)
        );
        let replay = conformance().arg("replay").arg(&path).output().unwrap();
        assert_eq!(
            status(&replay),
            0,
            "{}: {}",
            path.display(),
            text(&replay.stdout)
        );
        recordings += 1;
    }
    assert!(recordings > 3);
}

/// Lints what is given on stdin.
#[test]
fn a_replay_without_what_was_done_besides_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = conformance()
        .args(["run", "--report=json", "--only=WAT-009", "--results"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(run.status.success());
    let recording = folder.path().join("WAT-009.ndjson");
    let replay = tool(&["replay", "--timeout=1s", recording.to_str().unwrap()]);
    assert_eq!(status(&replay), 1, "{}", text(&replay.stdout));
    let notes = text(&replay.stderr);
    assert!(notes.contains("such as a signal of a program"), "{notes}");
    assert!(!notes.contains("--timeout"), "{notes}");
}

fn lint_stdin(options: &[&str], input: &[u8]) -> Output {
    let mut lint: Command = conformance();
    let mut lint = lint
        .arg("lint")
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    lint.stdin.take().unwrap().write_all(input).unwrap();
    lint.wait_with_output().unwrap()
}

#[test]
fn raw_streams_are_linted_line_by_line() {
    let commands = format!(
        "{{\"cmd\":\"watch_pane\",\"v\":3,\"token\":\"{TOKEN}\"}}\nhello \x1b[2J\n{{\"v\":3,\"cmd\":\"log\",\"level\":\"info\",\"message\":\"\"}}\n"
    );
    let lint = lint_stdin(&["--commands"], commands.as_bytes());
    assert_eq!(status(&lint), 1);
    let said = text(&lint.stdout);
    assert!(
        said.contains("violation PLG-701 by the plugin, line 2, byte 70: not_json at byte 0"),
        "{said}"
    );
    assert!(said.contains(r"    hello \x1b[2J"), "{said}");
    assert!(
        said.contains("note PLG-113 by the plugin, line 3"),
        "{said}"
    );
    assert!(
        said.ends_with(
            "stdin: 1 violations and 1 notes in 0 lines of the host and 3 of the plugin\n"
        ),
        "{said}"
    );

    let lint = lint_stdin(
        &["--events", "--json"],
        event("pane_opened", 0, OPENED).as_bytes(),
    );
    assert_eq!(status(&lint), 1);
    let lines: Vec<serde_json::Value> = text(&lint.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["requirement"], "PLG-402");
    assert_eq!(lines[0]["sender"], "host");
    assert_eq!(lines[1]["sum"]["violations"], 1);

    let shutdown = lint_stdin(&["--events"], b"{\"event\":\"shutdown\",\"v\":3}\n");
    assert_eq!(status(&shutdown), 0);
}

#[test]
fn what_is_no_recording_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let complaint = |task: &str, path: &Path| {
        let output = conformance().arg(task).arg(path).output().unwrap();
        assert_eq!(status(&output), 2);
        assert_eq!(text(&output.stdout), "");
        text(&output.stderr).to_owned()
    };
    for task in ["lint", "replay"] {
        assert!(complaint(task, &path).contains("cannot be read"));
    }
    File::create(&path).unwrap().write_all(b"hello\n").unwrap();
    assert!(complaint("lint", &path).contains(":1: this is no recording"));
    assert!(complaint("replay", &path).contains(":1: this is no recording"));
    let header = r#"{"format":"nightcrow-recording","version":1,"source":"proxy","check":null,"subject":null,"redacted":true}"#;
    fs::write(&path, format!("{header}\n{{\"dir\":\"out\",\"t\":0}}\n")).unwrap();
    for task in ["lint", "replay"] {
        let complaint = complaint(task, &path);
        assert!(
            complaint.contains(":2: column ") && complaint.contains("missing field `bytes`"),
            "{complaint}"
        );
    }
    fs::write(&path, format!("{header}\n")).unwrap();
    assert!(complaint("replay", &path).contains("name one behind the file"));
}

#[test]
fn an_old_recording_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let first = path("traffic.ndjson");
    for _ in 0..3 {
        let host = Host::new(&["--record", first.to_str().unwrap()], &["true"]);
        assert_eq!(host.end().0, 0);
    }
    for name in ["traffic.ndjson", "traffic.2.ndjson", "traffic.3.ndjson"] {
        let linted = tool(&["lint", path(name).to_str().unwrap()]);
        assert_eq!(status(&linted), 0, "{}", text(&linted.stderr));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}
