//! Every faulty subject fails exactly what it should, and every check is failed by somebody.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::Mutex;
use std::thread;

use common::{Run, file, require_interpreters, run};

/// Checks that take long: put only to who is expected to fail them, and to who is marked `+heavy`.
const HEAVY: [&str; 6] = [
    "LIF-009", "LIF-011", "LIF-026", "LIF-027", "LIF-028", "LIM-017",
];

/// The mark.
const MARK: &str = "+heavy";

/// The checks that each subject is expected to fail.
fn expected() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(file("tests/subjects/expected.txt")).unwrap();
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let words = lines.map(|line| line.split_whitespace().map(str::to_owned));
    words
        .filter_map(|mut words| Some((words.next()?, words.collect())))
        .collect()
}

/// What was found to be wrong about a run of a subject.
fn faults(subject: &str, expected: &BTreeSet<String>, run: &Run) -> Option<String> {
    if run.report.is_null() {
        return Some(format!("{subject}: status {}: {}", run.status, run.stderr));
    }
    let failed: BTreeSet<String> = run.with_outcome("FAIL").into_iter().collect();
    let errors = run.with_outcome("ERROR");
    let status = i32::from(!expected.is_empty());
    if failed != *expected || !errors.is_empty() || run.status != status {
        return Some(format!(
            "{subject}: expected {expected:?}, failed {failed:?}, errors {errors:?}, status {}\n{}",
            run.status, run.stdout
        ));
    }
    None
}

#[test]
fn each_subject_fails_exactly_what_it_should() {
    require_interpreters();
    // What takes long is taken first, from the end.
    let mut queue: Vec<_> = expected().into_iter().collect();
    queue.sort_by_key(|(_, expected)| {
        expected.contains(MARK) || HEAVY.iter().any(|id| expected.contains(*id))
    });
    let queue = Mutex::new(queue);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some((subject, mut expected)) = queue.lock().unwrap().pop() else {
                        return;
                    };
                    let path = file("tests/subjects").join(&subject);
                    let is_marked = expected.remove(MARK);
                    let patience = [
                        "--check-timeout=10m",
                        "--timeout=1s",
                        "--startup-timeout=1s",
                        "--close-grace=1s",
                    ];
                    let mut arguments: Vec<OsString> = patience.map(Into::into).into();
                    let unneeded = HEAVY
                        .into_iter()
                        .filter(|id| !is_marked && !expected.contains(*id));
                    arguments.extend(unneeded.map(|id| format!("--skip={id}").into()));
                    arguments.push("--".into());
                    arguments.push(path.into_os_string());
                    let run = run(&arguments);
                    complaints
                        .lock()
                        .unwrap()
                        .extend(faults(&subject, &expected, &run));
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_judged_check_is_failed_by_somebody() {
    let mut failed: BTreeSet<String> = expected().into_values().flatten().collect();
    failed.remove(MARK);
    let judged: BTreeSet<String> =
        nightcrow_conformance::checks::of(nightcrow_conformance::checks::Role::Plugin)
            .iter()
            .filter(|check| check.level != nightcrow_conformance::checks::Level::Info)
            .map(|check| check.id.to_owned())
            .collect();
    assert_eq!(failed, judged);
}

#[test]
fn every_subject_has_its_line() {
    let files = std::fs::read_dir(file("tests/subjects"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let subjects: BTreeSet<String> = files
        .map(|name| name.into_string().unwrap())
        .filter(|name| !["plugin.py", "expected.txt", "__pycache__"].contains(&name.as_str()))
        .collect();
    assert_eq!(subjects, expected().into_keys().collect());
}
