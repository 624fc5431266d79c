//! Baselines and rounds, as somebody with known failures uses them.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{Run, file, require_interpreters, run};

fn subject(name: &str) -> String {
    file("subjects/plugin")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

/// Runs a few quick checks against a subject.
fn quick(options: &[String], name: &str) -> Run {
    let mut arguments = vec!["--only=FRM-016".to_owned(), "--only=VER-005".to_owned()];
    arguments.extend_from_slice(options);
    arguments.extend(["--".to_owned(), subject(name)]);
    run(&arguments)
}

fn standings(run: &Run) -> Vec<(String, String)> {
    let checks = run.report["checks"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    checks
        .map(|check| (text(&check["id"]), text(&check["standing"])))
        .collect()
}

#[test]
fn known_failures_do_not_fail_a_run_and_gone_ones_do() {
    require_interpreters();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baseline.toml");
    let write = [format!("--write-baseline={}", path.display())];
    let first = quick(&write, "speaks_version_2.py");
    assert_eq!(first.status, 1, "{}", first.stdout);
    assert!(
        first.stderr.contains("wrote 2 known failures"),
        "{}",
        first.stderr
    );
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.contains("reason = \"wrong_version\""), "{written}");

    let written = written.replace("why = \"\"", "why = \"not yet\"");
    fs::write(&path, &written).unwrap();
    let with = [format!("--baseline={}", path.display())];
    let known = quick(&with, "speaks_version_2.py");
    assert_eq!(known.status, 0, "{}", known.stdout);
    assert!(known.stdout.contains("KNOWN") && known.stdout.contains("not yet"));
    assert!(!known.stdout.contains("transcript "), "{}", known.stdout);
    assert!(
        standings(&known)
            .iter()
            .all(|(_, standing)| standing == "known")
    );

    // Mended: both entries are stale. Broken otherwise: one is, and one has another reason.
    let gone = quick(&with, "talks_on_stderr.py");
    assert_eq!(gone.status, 1, "{}", gone.stdout);
    assert!(gone.stdout.contains("STALE"), "{}", gone.stdout);
    assert!(
        gone.stdout.contains("\nBASELINE OUT OF DATE  ")
            && gone
                .stdout
                .contains("are gone: `--write-baseline` renews it."),
        "{}",
        gone.stdout
    );
    let renewed = quick(&write, "speaks_version_2.py");
    assert_eq!(renewed.status, 1);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        written,
        "what was said of them stays"
    );
}

#[test]
fn another_reason_is_another_failure() {
    require_interpreters();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baseline.toml");
    let entry = "[[known]]\ncheck = \"FRM-016\"\nreason = \"blank_line\"\n";
    fs::write(&path, entry).unwrap();
    let with = [format!("--baseline={}", path.display())];
    let run = quick(&with, "logs_on_stdout.py");
    assert_eq!(run.status, 1);
    assert!(
        run.stdout.contains("expects another reason: blank_line"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_baseline_that_cannot_be_meant_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baseline.toml");
    fs::write(&path, "[[known]]\ncheck = \"FRM-999\"\nreason = \"x\"\n").unwrap();
    let refused = run(&[format!("--baseline={}", path.display())]);
    assert_eq!(refused.status, 2);
    assert!(
        refused
            .stderr
            .contains("baseline.toml:2:9: there is no check `FRM-999`"),
        "{}",
        refused.stderr
    );
}

#[test]
fn every_round_counts() {
    let run = run(&["--only=LIF-003", "--repeat=3"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let rounds = run.report["checks"][0]["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 3);
}
