//! Reports as files: several at once, whole or not at all, and there even when a run ends early.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use common::{conformance, file, require_interpreters};

const KINDS: [&str; 7] = ["pretty", "json", "junit", "tap", "github", "md", "html"];

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn validate(report: &Value) {
    let schema = serde_json::from_str(nightcrow_conformance::report::SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<_> = validator
        .iter_errors(report)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| PathBuf::from(entry.unwrap().file_name()))
        .collect();
    names.sort();
    names
}

#[test]
fn every_kind_at_once_and_one_always() {
    require_interpreters();
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results");
    let mut command = conformance();
    command.args(["run", "--only=FRM-016", "--only=VER-005", "--results"]);
    command.arg(&results);
    for kind in KINDS {
        let path = folder.path().join(kind);
        command.arg(format!("--report={kind}={}", path.display()));
    }
    let subject = file("subjects/plugin/logs_on_stdout.py");
    let output = command.arg("--").arg(subject).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    for kind in KINDS {
        let path = folder.path().join(kind);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("FRM-016"), "{kind}");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o600, 0o600, "{kind}");
    }
    let report = read_json(&folder.path().join("json"));
    validate(&report);
    assert_eq!(report["interrupted"], false);
    assert_eq!(report, read_json(&results.join("report.json")));
    assert_eq!(names(folder.path()).len(), KINDS.len() + 1);
    assert_eq!(names(&results).len(), 3);
}

#[test]
fn what_cannot_be_written_is_known_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results");
    let refused = |reports: &[String]| {
        let mut command = conformance();
        command
            .args(["run", "--only=FRM-016", "--results"])
            .arg(&results);
        let output = command.args(reports).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(!results.exists(), "nothing was run");
        String::from_utf8(output.stderr).unwrap()
    };
    let path = folder.path().display();
    let missing = format!("--report=html={path}/no/such/folder/report.html");
    let there_is_none = format!("there is no folder `{path}/no/such/folder`");
    assert!(refused(&[missing]).contains(&there_is_none));
    assert!(refused(&[format!("--report=html={path}")]).contains("is a directory"));
    let twice = ["html", "md"].map(|kind| format!("--report={kind}={path}/same"));
    assert!(refused(&twice).contains("two reports cannot go to"));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_run_that_never_begins_leaves_an_old_report_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    fs::write(&path, "old").unwrap();
    let report = format!("--report=json={}", path.display());
    let run = conformance()
        .args(["run", &report, "./no/such/plugin"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(3));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names(folder.path()).len(), 1);
}

/// A run of two checks, of which the first is done and the second goes on for ever.
struct HalfDone {
    folder: tempfile::TempDir,
    run: Child,
}

impl HalfDone {
    fn start(before: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let plugin = path("plugin");
        // The first two starts are the trial and the first check.
        let text = format!(
            "#!/bin/sh\necho start >>{0}\n\
             if [ $(wc -l <{0}) -gt 2 ]; then echo running >{1}; exec sleep 600; fi\n\
             exec cat >/dev/null\n",
            path("starts"),
            path("stuck"),
        );
        fs::write(&plugin, text).unwrap();
        fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = std::process::Command::new("sh");
        let run = command
            .args(["-c", &format!("{before} exec \"$@\"; :"), "sh"])
            .arg(conformance().get_program())
            .args(["run", "--jobs=1", "--only=LIF-002", "--only=LIF-003"])
            .args([
                "--timeout=10m",
                "--startup-timeout=10m",
                "--check-timeout=60m",
            ])
            .args(["--results", &path("results")])
            .arg(format!("--report=junit={}", path("report.xml")))
            .args(["--", &plugin])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut half_done = Self { folder, run };
        half_done.wait_until_stuck();
        half_done
    }

    fn wait_until_stuck(&mut self) {
        let patience = Instant::now() + Duration::from_secs(120);
        while !self.folder.path().join("stuck").exists() {
            assert!(Instant::now() < patience, "the second check never began");
            assert!(
                self.run.try_wait().unwrap().is_none(),
                "the run ended early"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.run), signal).unwrap();
    }
}

#[test]
fn an_interrupted_run_reports_what_was_done() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let half_done = HalfDone::start("");
        half_done.signal(signal);
        let HalfDone { folder, run } = half_done;
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal:?}");
        let report = read_json(&folder.path().join("results/report.json"));
        validate(&report);
        assert_eq!(report["interrupted"], true);
        assert_ne!(report["verdict"], "conformant");
        assert_eq!(report["exit_code"], 130);
        assert_eq!(report["not_started"], 1);
        assert_eq!(report["checks"].as_array().unwrap().len(), 1);
        let xml = fs::read_to_string(folder.path().join("report.xml")).unwrap();
        assert!(xml.contains("the run was interrupted: 1 more check was not done"));
    }
}

#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    let half_done = HalfDone::start("trap '' HUP;");
    half_done.signal(Signal::HUP);
    half_done.signal(Signal::TERM);
    let output = half_done.run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
}

/// What a person at a terminal sees on stderr while the results go elsewhere.
#[test]
fn progress_goes_to_a_terminal_on_stderr_and_nowhere_else() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let folder = tempfile::tempdir().unwrap();
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let side = File::options()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap());
    let mut run = conformance()
        .args([
            "run",
            "--only=LIF-001",
            "--only=LIF-002",
            "--only=LIF-003",
            "--only=LIF-004",
            "--results",
        ])
        .arg(folder.path())
        .env("TERM", "xterm")
        .stdout(Stdio::piped())
        .stderr(side.unwrap())
        .spawn()
        .unwrap();
    let reader = std::thread::spawn(move || {
        let mut seen = Vec::new();
        // Ends with an error when the last writer is gone.
        let _ = File::from(terminal).read_to_end(&mut seen);
        String::from_utf8_lossy(&seen).into_owned()
    });
    let mut stdout = String::new();
    run.stdout
        .take()
        .unwrap()
        .read_to_string(&mut stdout)
        .unwrap();
    assert!(run.wait().unwrap().success());
    let seen = reader.join().unwrap();
    assert!(seen.contains("/4 ") && seen.contains("LIF-001"), "{seen:?}");
    assert!(stdout.contains("CONFORMANT  4 passed"), "{stdout}");
    assert!(!stdout.contains(['\x1b', '\r', '━']), "{stdout:?}");
}

#[test]
fn colours_are_as_the_environment_says() {
    let run = |variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = conformance();
        command
            .args(["run", "--only=LIF-002", "--results"])
            .arg(folder.path());
        command
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied());
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(!run(&[]));
    assert!(run(&[("CLICOLOR_FORCE", "1")]));
    assert!(!run(&[("NO_COLOR", "1")]));
}
