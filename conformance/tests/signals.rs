//! The example plugins hear programs inside panes, and let none of them stand in the way.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use common::{conformance, file, require_interpreters};

/// An upper bound for everything that should happen.
const DEADLINE: Duration = Duration::from_secs(20);

struct Plugin {
    process: Child,
    stdin: Option<ChildStdin>,
    commands: Receiver<Value>,
    runtime: tempfile::TempDir,
}

impl Plugin {
    /// Starts it where a predecessor that was killed has left its socket.
    fn start(mut command: Command) -> Self {
        let runtime = tempfile::tempdir().unwrap();
        drop(UnixListener::bind(runtime.path().join("nudge.sock")).unwrap());
        let mut process = command
            .env("NIGHTCROW_PLUGIN_RUNTIME_DIR", runtime.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, commands) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let command = serde_json::from_str(&line.unwrap()).unwrap();
                let _ = sender.send(command);
            }
        });
        let stdin = process.stdin.take();
        let mut plugin = Self {
            process,
            stdin,
            commands,
            runtime,
        };
        assert_eq!(plugin.command()["cmd"], "log");
        plugin.says_nothing(); // and so has read something: its socket is open
        plugin
    }

    fn socket(&self) -> PathBuf {
        self.runtime.path().join("nudge.sock")
    }

    /// Its next command.
    fn command(&self) -> Value {
        self.commands.recv_timeout(DEADLINE).unwrap()
    }

    fn is_told(&mut self, kind: &str, token: &str) {
        let event = json!({"event": kind, "v": 3, "token": token, "generation": 1,
                           "cwd": "/", "idle_ms": 10_000, "text": "x"});
        let line = format!("{event}\n");
        self.stdin
            .as_mut()
            .unwrap()
            .write_all(line.as_bytes())
            .unwrap();
    }

    /// The next that it says is the answer to another pane.
    fn says_nothing(&mut self) {
        self.is_told("pane_opened", "another");
        assert_eq!(self.command()["token"], "another");
        self.is_told("pane_closed", "another");
    }

    /// Connects and writes.
    fn hears(&self, bytes: &[u8]) -> UnixStream {
        let mut connection = UnixStream::connect(self.socket()).unwrap();
        connection.set_read_timeout(Some(DEADLINE)).unwrap();
        connection.write_all(bytes).unwrap();
        connection
    }

    /// Writes, and waits until it was taken: until the plugin has closed the connection.
    fn takes(&self, bytes: &[u8]) {
        let mut connection = self.hears(bytes);
        connection.shutdown(Shutdown::Write).unwrap();
        // What was written and not read makes it a reset; that is an end too.
        let _ = connection.read(&mut [0]);
    }

    fn opens(&mut self, token: &str) {
        self.is_told("pane_opened", token);
        assert_eq!(self.command()["state"], "watching");
    }

    #[track_caller]
    fn asks_for(&self, token: &str) {
        let command = self.command();
        assert_eq!(
            command,
            json!({"cmd": "watch_pane", "v": 3, "token": token})
        );
    }

    #[track_caller]
    fn presses_enter_in(&self, token: &str) {
        let expected =
            json!({"cmd": "send_input", "v": 3, "token": token, "generation": 1, "data": "\r"});
        assert_eq!(self.command(), expected);
    }

    fn ends(mut self) {
        let socket = self.socket();
        drop(self.stdin.take());
        let begun = Instant::now();
        while self.process.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < DEADLINE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!socket.exists(), "its socket is left behind");
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn interpreted(interpreter: &str, example: &str) -> Command {
    require_interpreters();
    let mut command = Command::new(interpreter);
    command.arg(file(example));
    command
}

fn each_example(test: impl Fn(Plugin)) {
    let mut built_in = conformance();
    built_in.arg(nightcrow_conformance::cli::EXAMPLE_PLUGIN);
    test(Plugin::start(built_in));
    test(Plugin::start(interpreted(
        "python3",
        "examples/python/nudge.py",
    )));
    test(Plugin::start(interpreted(
        "node",
        "examples/node/nudge.mjs",
    )));
}

#[test]
fn a_signal_is_one_enter() {
    each_example(|mut plugin| {
        plugin.takes(b"pane\n");
        plugin.asks_for("pane");
        plugin.opens("pane");
        plugin.is_told("pane_idle", "pane");
        plugin.presses_enter_in("pane");
        plugin.is_told("pane_idle", "pane");
        plugin.says_nothing();
        // It is watched now: there is nothing to ask for.
        plugin.takes(b"pane\r\n");
        plugin.is_told("pane_idle", "pane");
        plugin.presses_enter_in("pane");
        plugin.ends();
    });
}

#[test]
fn a_person_and_the_end_of_a_pane_cancel_it() {
    each_example(|mut plugin| {
        plugin.opens("pane");
        plugin.takes(b"pane");
        plugin.is_told("user_input", "pane");
        plugin.is_told("pane_idle", "pane");
        plugin.says_nothing();
        plugin.takes(b"pane");
        plugin.is_told("pane_closed", "pane");
        plugin.opens("pane");
        plugin.is_told("pane_idle", "pane");
        plugin.says_nothing();
        plugin.ends();
    });
}

#[test]
fn the_answer_to_a_request_may_come_twice() {
    each_example(|mut plugin| {
        plugin.takes(b"pane");
        plugin.asks_for("pane");
        plugin.opens("pane");
        plugin.opens("pane");
        plugin.is_told("pane_idle", "pane");
        plugin.presses_enter_in("pane");
        plugin.ends();
    });
}

#[test]
fn silence_is_an_answer() {
    each_example(|mut plugin| {
        for _ in 0..3 {
            plugin.takes(b"first\n");
        }
        plugin.asks_for("first");
        for number in 0..20 {
            plugin.takes(format!("pane-{number}\n").as_bytes());
        }
        for number in 0..7 {
            plugin.asks_for(&format!("pane-{number}"));
        }
        plugin.says_nothing();
        plugin.ends();
    });
}

#[test]
fn what_is_no_token_is_passed_over() {
    each_example(|mut plugin| {
        let (long, endless) = ([b'x'; 129], [b'x'; 300]);
        for nonsense in [b"\n", &b""[..], b"two words\n", b"\xff\n", &long, &endless] {
            plugin.takes(nonsense);
        }
        plugin.says_nothing();
        plugin.takes(&[b'x'; 128]);
        plugin.asks_for(&"x".repeat(128));
        plugin.ends();
    });
}

#[test]
fn whoever_says_nothing_is_in_nobodys_way() {
    each_example(|mut plugin| {
        let silent: Vec<_> = (0..20).map(|_| plugin.hears(b"")).collect();
        plugin.says_nothing();
        plugin.takes(b"pane\n");
        plugin.asks_for("pane");
        for mut connection in silent {
            assert_eq!(connection.read(&mut [0]).unwrap_or(0), 0, "it is cut off");
        }
        plugin.ends();
    });
}

#[test]
fn the_socket_is_for_this_user_only() {
    each_example(|plugin| {
        let mode = fs::metadata(plugin.socket()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        plugin.ends();
    });
}

#[test]
fn a_successors_socket_is_left_alone() {
    each_example(|plugin| {
        let socket = plugin.socket();
        // As long as the old file is there, nothing else has its number.
        let aside = plugin.runtime.path().join("aside");
        fs::rename(&socket, &aside).unwrap();
        let _successor = UnixListener::bind(&socket).unwrap();
        let runtime = ends_and_leaves(plugin);
        assert!(socket.exists());
        drop(runtime);
    });
}

fn ends_and_leaves(mut plugin: Plugin) -> tempfile::TempDir {
    drop(plugin.stdin.take());
    assert!(plugin.process.wait().unwrap().success());
    std::mem::replace(&mut plugin.runtime, tempfile::tempdir().unwrap())
}
