//! Nothing outlives a run, however it ends.

#![allow(clippy::unwrap_used)]
// Other systems do not tell who left the process group.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use common::{conformance, require_interpreters};

/// A plugin with a child, a grandchild, two that left its process group, and a socket.
const PLUGIN: &str = r#"#!/usr/bin/env python3
import os, socket, subprocess, sys, time

listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["NIGHTCROW_PLUGIN_RUNTIME_DIR"] + "/plugin.sock")
quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
subprocess.Popen(["sh", "-c", "sleep 600 & wait"], **quiet)
subprocess.Popen(["sh", "-c", "setsid sleep 600 & wait"], start_new_session=True, **quiet)
sys.stdin.buffer.readline()
with open(os.environ["TEST_FOLDER"] + "/starts", "a") as starts:
    starts.write("x\n")
print('{"cmd":"log","v":3,"level":"info","message":"here"}', flush=True)
sys.stdin.buffer.read()
if "--stay" in sys.argv:
    time.sleep(600)
"#;

/// A run whose leftovers would be found.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        require_interpreters();
        let folder = tempfile::tempdir().unwrap();
        let scene = Self { folder };
        for folder in ["tmp", "results"] {
            fs::create_dir(scene.path(folder)).unwrap();
        }
        fs::write(scene.path("plugin"), PLUGIN).unwrap();
        fs::set_permissions(scene.path("plugin"), fs::Permissions::from_mode(0o755)).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Command {
        let mut command = conformance();
        command
            .env("TMPDIR", self.path("tmp"))
            .args(["run", "--check-timeout=10m", "--jobs=2", "--results"])
            .arg(self.path("results"))
            .arg("--env")
            .arg(format!("TEST_FOLDER={}", self.folder.path().display()))
            .args(["--only=LIF-002", "--only=LIF-003", "--only=FRM-016"])
            .arg("--close-grace=60s")
            .arg("--")
            .arg(self.path("plugin"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Waits until the plugin was started that often.
    fn wait_for_starts(&self, starts: usize, run: &mut Child) {
        until(|| {
            let text = fs::read_to_string(self.path("starts")).unwrap_or_default();
            assert!(run.try_wait().unwrap().is_none(), "the run ended too early");
            text.lines().count() >= starts
        });
    }

    #[track_caller]
    fn nothing_is_left(&self) {
        let starts = fs::read_to_string(self.path("starts")).unwrap();
        assert!(starts.lines().count() >= 2, "the first start and a check");
        let left: Vec<_> = fs::read_dir(self.path("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        // A process that was killed may take a moment to be gone.
        until(|| processes_with(self.folder.path()).is_empty());
    }
}

/// The processes in whose environment this path is.
fn processes_with(path: &Path) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc")
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let marked = |process: &PathBuf| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        let variable = [b"TEST_FOLDER=", path.as_os_str().as_bytes()].concat();
        variables.any(|found| found == variable)
    };
    processes.filter(marked).collect()
}

#[track_caller]
fn until(mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "it never came true"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn when_all_checks_are_done() {
    let scene = Scene::new();
    let output = scene.run(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    scene.nothing_is_left();
}

#[test]
fn when_a_signal_ends_it() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let scene = Scene::new();
        let mut run = scene.run(&["--stay"]).spawn().unwrap();
        scene.wait_for_starts(2, &mut run);
        assert!(!processes_with(scene.folder.path()).is_empty());
        rustix::process::kill_process(Pid::from_child(&run), signal).unwrap();
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal:?}: {output:?}");
        scene.nothing_is_left();
    }
}

#[test]
fn when_nobody_reads_its_output_any_more() {
    let scene = Scene::new();
    let mut run = scene.run(&[]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141), "{line}{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    scene.nothing_is_left();
}
