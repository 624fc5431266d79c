//! The plugins that authors start from keep the contract, every bit of it that is checked.

#![allow(clippy::unwrap_used)]

mod common;

use nightcrow_conformance::checks::Role;

use common::{file, require_interpreters, run};

#[track_caller]
fn passes_everything(arguments: &[std::ffi::OsString]) {
    require_interpreters();
    let mut all = vec!["--check-timeout=10m".into(), "--".into()];
    all.extend_from_slice(arguments);
    let run = run(&all);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let passed = run.with_outcome("PASS");
    assert_eq!(
        passed.len(),
        nightcrow_conformance::checks::of(Role::Plugin).len(),
        "{}",
        run.stdout
    );
}

#[test]
fn the_built_in_example() {
    passes_everything(&[]);
}

#[test]
fn the_python_example() {
    passes_everything(&[file("examples/python/nudge.py").into()]);
}

#[test]
fn the_node_example() {
    passes_everything(&[file("examples/node/nudge.mjs").into()]);
}

#[test]
fn the_shell_example() {
    passes_everything(&[file("examples/shell/nudge.sh").into()]);
}
