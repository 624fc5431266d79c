//! What the black-box tests share: running the built runner and reading its report.

// Each test program uses its own part of this.
#![allow(dead_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock};

use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The built runner.
pub(crate) fn conformance() -> Command {
    LazyLock::force(&HEARS_SIGNALS);
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("conformance"));
    command
        .env("NO_COLOR", "1")
        .env("PATH", &*PATH)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Nothing that this process starts begins with signals ignored, though it may have begun so itself, as
/// the background jobs of scripts do: the runner would leave them ignored, and never be interrupted.
static HEARS_SIGNALS: LazyLock<()> = LazyLock::new(|| {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & 1 << (signal - 1) != 0 {
            // What is handled here is not ignored in a program that we become.
            signal_hook::flag::register(signal, Arc::default()).unwrap();
        }
    }
});

/// PATH with the real Python in front: a version manager's shim takes longer to start than most
/// checks to run.
pub(crate) static PATH: LazyLock<OsString> = LazyLock::new(|| {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let code = "import os, sys; print(os.path.dirname(sys.executable))";
    let folder = match Command::new("python3").args(["-c", code]).output() {
        Ok(output) => String::from_utf8(output.stdout).unwrap().trim().to_owned(),
        Err(_) => return path,
    };
    let folders = [folder.into()]
        .into_iter()
        .chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
});

/// A file of this crate.
pub(crate) fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The subjects are scripts: without their interpreters nothing here means anything.
pub(crate) fn require_interpreters() {
    for interpreter in ["python3", "node", "sh"] {
        let found = Command::new(interpreter).args(["-c", ""]).output();
        assert!(
            found.is_ok(),
            "these tests need `{interpreter}` in PATH: install it"
        );
    }
}

/// A finished run: its status, its report for programs, and what else it said.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) report: Value,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the checks of plugins with these arguments and both reports: the one for people on stdout.
pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Run {
    perform("run", arguments)
}

/// Runs the checks of decoders likewise.
pub(crate) fn decode<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Run {
    perform("decode", arguments)
}

fn perform<S: AsRef<std::ffi::OsStr>>(task: &str, arguments: &[S]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("report.json");
    let output = conformance()
        .arg(task)
        .arg("--results")
        .arg(folder.path())
        .arg("--report=pretty")
        .arg(format!("--report=json={}", json.display()))
        .args(arguments)
        .output()
        .unwrap();
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    // A run that never began writes no report.
    let report = std::fs::read(&json).map_or(Value::Null, |json| {
        serde_json::from_slice(&json).unwrap_or_default()
    });
    Run {
        status: status.code().unwrap(),
        report,
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

impl Run {
    /// The checks that came to this outcome.
    pub(crate) fn with_outcome(&self, outcome: &str) -> Vec<String> {
        let checks = self.report["checks"].as_array().unwrap();
        let matching = checks.iter().filter(|check| check["outcome"] == outcome);
        matching
            .map(|check| check["id"].as_str().unwrap().to_owned())
            .collect()
    }
}
