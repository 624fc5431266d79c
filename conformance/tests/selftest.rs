//! The runner's own proof, as its users run it: every faulty subject fails exactly what it should, and
//! every check is failed by somebody.

#![allow(clippy::unwrap_used)]

mod common;

use common::{conformance, require_interpreters};

#[test]
fn everybody_fails_what_is_expected_and_nothing_else() {
    require_interpreters();
    let output = conformance().arg("selftest").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let wrong: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("WRONG"))
        .collect();
    assert!(
        output.status.success(),
        "{}\n{}",
        wrong.join("\n"),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        said.contains("x caught as expected"),
        "the matrix is shown: {said}"
    );
}

#[test]
fn part_of_it_can_be_asked_for() {
    require_interpreters();
    let some = [
        "--role",
        "plugin",
        "--subject",
        "ignores_shutdown",
        "--check",
        "LIF-00?",
    ];
    let output = conformance().arg("selftest").args(some).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("s  ignores_shutdown.py  LIF-001\n"), "{said}");
    let none = conformance()
        .args(["selftest", "--subject", "no_such_subject"])
        .output()
        .unwrap();
    assert_eq!(none.status.code(), Some(1), "nothing tried is no success");
}
