//! Decoders with one fault each: they fail exactly the checks that are about it, for the reason that
//! there is, and every check of decoders is failed by one of them.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::Mutex;
use std::thread;

use common::{Run, decode, file, require_interpreters};
use nightcrow_conformance::checks::{self, Level, Role, Tier};
use nightcrow_conformance::outcome::Reason;

/// A decoder, and what is expected of it.
#[derive(Debug, Default)]
struct Subject {
    file: String,
    marks: Vec<String>,
    /// The reason for which it fails each check.
    failures: Failures,
}

/// Direction and id of checks, with the reason for the failure.
type Failures = BTreeMap<(String, String), String>;

impl Subject {
    fn is_marked(&self, mark: &str) -> bool {
        self.marks.iter().any(|own| own == mark)
    }

    /// Whether a check that takes long is put to it.
    fn bears(&self, id: &str) -> bool {
        self.is_marked("+heavy") || self.failures.keys().any(|(_, failed)| failed == id)
    }

    fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> =
            ["--jobs=4", "--check-timeout=10m"].map(Into::into).into();
        if self.is_marked("+hangs") {
            let impatience = [
                "--startup-timeout=2s",
                "--timeout=1s",
                "--close-grace=500ms",
            ];
            arguments.extend(impatience.map(Into::into));
        }
        if !self.is_marked("+events") {
            arguments.push("--direction=commands".into());
        }
        if self.is_marked("+codes") {
            arguments.push("--codes=contract".into());
        }
        let spared = heavy().into_iter().filter(|id| !self.bears(id));
        arguments.extend(spared.map(|id| format!("--skip={id}").into()));
        arguments.push("--".into());
        arguments.push(file("tests/subjects/decoder").join(&self.file).into());
        arguments
    }
}

/// Reads what is expected: a line for a subject, and under it lines of direction, reason and checks.
fn expected() -> Vec<Subject> {
    let text = std::fs::read_to_string(file("tests/subjects/decoder/expected.txt")).unwrap();
    let mut subjects: Vec<Subject> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace().map(str::to_owned);
        let Some(first) = words.next() else {
            continue;
        };
        if !line.starts_with(' ') {
            subjects.push(Subject {
                file: first,
                marks: words.collect(),
                failures: Failures::new(),
            });
            continue;
        }
        let subject = subjects.last_mut().unwrap();
        let reason = words.next().unwrap();
        assert!(
            Reason::ALL.iter().any(|known| known.as_str() == reason),
            "{reason}"
        );
        let ids: Vec<String> = words.collect();
        let ids = if ids == ["*"] { all(&first) } else { ids };
        let failures = ids
            .into_iter()
            .map(|id| ((first.clone(), id), reason.clone()));
        subject.failures.extend(failures);
    }
    subjects
}

/// The direction of a role as the command line calls it.
fn direction(role: Role) -> &'static str {
    role.direction().unwrap().argument()
}

const ROLES: [Role; 2] = [Role::CommandDecoder, Role::EventDecoder];

/// Every check of a direction, but for those that take long.
fn all(of: &str) -> Vec<String> {
    let role = ROLES
        .into_iter()
        .find(|role| direction(*role) == of)
        .unwrap();
    let checks = checks::of(role)
        .iter()
        .filter(|check| check.tier == Tier::Core);
    checks.map(|check| check.id.to_owned()).collect()
}

/// The checks that take long: put only to who is expected to fail them, and to who is marked `+heavy`.
fn heavy() -> BTreeSet<&'static str> {
    let checks = ROLES.into_iter().flat_map(checks::of);
    let heavy = checks.filter(|check| check.tier == Tier::Full);
    heavy.map(|check| check.id).collect()
}

/// What failed, and why.
fn failures(run: &Run) -> Failures {
    let checks = run.report["checks"].as_array().unwrap().iter();
    let failed = checks.filter(|check| check["outcome"] == "FAIL");
    failed
        .map(|check| {
            let role = ROLES
                .into_iter()
                .find(|role| check["role"] == serde_json::json!(role));
            let key = (
                direction(role.unwrap()).to_owned(),
                check["id"].as_str().unwrap().to_owned(),
            );
            (key, check["failure"]["reason"].as_str().unwrap().to_owned())
        })
        .collect()
}

/// What was found to be wrong about a run of a subject.
fn complaint(subject: &Subject, run: &Run) -> Option<String> {
    let Subject {
        file,
        failures: expected,
        ..
    } = subject;
    if run.report.is_null() {
        return Some(format!("{file}: status {}: {}", run.status, run.stderr));
    }
    let failed = failures(run);
    let errors = run.with_outcome("ERROR");
    let status = i32::from(!expected.is_empty());
    if failed == *expected && errors.is_empty() && run.status == status {
        return None;
    }
    let only_in = |one: &Failures, other: &Failures| -> Vec<String> {
        let only = one
            .iter()
            .filter(|(key, reason)| other.get(*key) != Some(*reason));
        only.map(|((direction, id), reason)| format!("{direction} {id} {reason}"))
            .collect()
    };
    Some(format!(
        "{file}: status {}, expected but not seen: {:?}, seen but not expected: {:?}, errors {errors:?}",
        run.status,
        only_in(expected, &failed),
        only_in(&failed, expected),
    ))
}

#[test]
fn each_decoder_fails_exactly_what_it_should() {
    require_interpreters();
    // What takes long is taken first, from the end.
    let mut queue = expected();
    queue.sort_by_key(|subject| heavy().iter().any(|id| subject.bears(id)));
    let queue = Mutex::new(queue);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(subject) = { queue.lock().unwrap().pop() } {
                    let found = complaint(&subject, &decode(&subject.arguments()));
                    complaints.lock().unwrap().extend(found);
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_judged_check_of_decoders_is_failed_by_somebody() {
    let failed: BTreeSet<_> = expected()
        .into_iter()
        .filter(|subject| !subject.is_marked("+codes"))
        .flat_map(|subject| subject.failures.into_keys())
        .collect();
    for check in ROLES.into_iter().flat_map(checks::of) {
        let key = (direction(check.role).to_owned(), check.id.to_owned());
        assert!(
            check.level == Level::Info || failed.contains(&key),
            "nobody fails {key:?}"
        );
    }
}

#[test]
fn every_decoder_has_its_lines() {
    let files = std::fs::read_dir(file("tests/subjects/decoder"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let subjects: BTreeSet<String> = files
        .filter(|name| !["honest.py", "expected.txt", "__pycache__"].contains(&name.as_str()))
        .collect();
    let expected: BTreeSet<String> = expected().into_iter().map(|subject| subject.file).collect();
    assert_eq!(subjects, expected);
}
