//! The plugins that authors start from keep the contract, every bit of it that is checked.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use nightcrow_conformance::checks::{self, Role};

use common::{file, require_interpreters, run};

/// Runs every check with a profile that says how the examples are made to act; returns those that were
/// not put to the test.
#[track_caller]
fn keeps_the_contract(example: &str, profile: &Path) -> Vec<String> {
    require_interpreters();
    let arguments = [
        "--check-timeout=10m".into(),
        "--profile".into(),
        profile.into(),
        "--".into(),
        OsString::from(file(example)),
    ];
    let run = run(&arguments);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let mut open = run.with_outcome("NOT-EXERCISED");
    open.extend(run.with_outcome("NOT-APPLICABLE"));
    let all = run.with_outcome("PASS").len() + open.len();
    assert_eq!(all, checks::of(Role::Plugin).len(), "{}", run.stdout);
    open
}

#[track_caller]
fn passes_everything(example: &str) {
    let open = keeps_the_contract(example, &file("examples/nudge.toml"));
    assert_eq!(open, Vec::<String>::new());
}

#[test]
fn the_built_in_example() {
    let run = run(&["--check-timeout=10m"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let passed = run.with_outcome("PASS").len();
    assert_eq!(passed, checks::of(Role::Plugin).len(), "{}", run.stdout);
}

#[test]
fn the_python_example() {
    passes_everything("examples/python/nudge.py");
}

#[test]
fn the_node_example() {
    passes_everything("examples/node/nudge.mjs");
}

/// It hears no signals, and what it says hardly fills a pipe.
#[test]
fn the_shell_example() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile.toml");
    let text = fs::read_to_string(file("examples/nudge.toml")).unwrap();
    let (without_signals, _) = text
        .split_once("# A program in a pane that was opened by hand")
        .unwrap();
    fs::write(&profile, without_signals).unwrap();
    let open = keeps_the_contract("examples/shell/nudge.sh", &profile);
    let may_stay_open = ["LIF-011", "LIF-027", "WAT-008", "WAT-009"];
    assert!(
        open.iter().all(|id| may_stay_open.contains(&id.as_str())),
        "{open:?}"
    );
}
