//! The self-test: the runner shows that it catches what it should, and nothing else.
//!
//! Faulty subjects that authors really ship, each described as a behaviour, are built into the runner.
//! Each must fail exactly the checks that a data file names, and each check that can fail a run must
//! be failed by somebody.

mod expected;
mod matrix;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use include_dir::{Dir, include_dir};

use crate::baseline::Baseline;
use crate::checks::decoder::Codes;
use crate::checks::{self, Check, Level, Role, Tier};
use crate::cli::FAULTY_PLUGIN;
use crate::drive::{Deadlines, Fault};
use crate::outcome::{Outcome, Reason};
use crate::profile::Profile;
use crate::run::{self, Nobody, Settings};
use crate::select::glob;
use crate::subject::{CannotStart, Subject};
use expected::{Expected, Key};
pub use matrix::write as write_matrix;

static SUBJECTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/subjects");

/// The example that faulty decoders derive from, and where they look for it.
const EXAMPLE_DECODER: (&str, &str) = (
    "examples/python/decoder.py",
    include_str!("../../examples/python/decoder.py"),
);

/// Which kind of subjects are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    /// Faulty plugins.
    Plugin,
    /// Faulty decoders.
    Decoder,
}

/// Subjects that are built into the runner are called this and their name.
const BUILT_IN: &str = "faulty-plugin:";

/// How patient the runner is with faulty subjects: less than with yours, as many of them never answer.
const DEADLINES: Deadlines = Deadlines {
    startup: Duration::from_secs(3),
    timeout: Duration::from_secs(2),
    check: Duration::from_secs(600),
    grace: Duration::from_secs(2),
};

/// The same for those that always hang.
const IMPATIENCE: Deadlines = Deadlines {
    startup: Duration::from_secs(2),
    timeout: Duration::from_secs(1),
    check: Duration::from_secs(600),
    grace: Duration::from_millis(500),
};

/// Why there is no self-test.
#[derive(Debug, thiserror::Error)]
pub enum CannotTest {
    /// The subjects are scripts: without their interpreters nothing here means anything.
    #[error("the self-test needs `{0}` in PATH: install it")]
    NoInterpreter(&'static str),
    /// The data file is wrong.
    #[error("expected.txt, {0}")]
    Expected(String),
    /// A subject cannot be started.
    #[error("{0}: {1}")]
    Subject(String, #[source] CannotStart),
    /// The runner is at fault.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Files cannot be written.
    #[error("the subjects cannot be unpacked: {0}")]
    Unpack(#[source] io::Error),
    /// What came of it cannot be shown.
    #[error("a result cannot be shown: {0}")]
    Output(#[from] io::Error),
}

/// What came of one subject.
#[derive(Debug)]
pub struct Tried {
    expected: Expected,
    /// What came of each check that was put to it.
    seen: BTreeMap<Key, Seen>,
    /// How long it took.
    pub took: Duration,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Failed(Reason),
    /// The runner is at fault.
    Erred,
    NotExercised,
    Fine,
}

impl Seen {
    const fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Fail(failure) => Self::Failed(failure.reason),
            Outcome::Error(_) => Self::Erred,
            Outcome::NotExercised(_) => Self::NotExercised,
            Outcome::Pass { .. } | Outcome::NotApplicable(_) => Self::Fine,
        }
    }
}

/// What the whole self-test came to.
#[derive(Debug)]
pub struct Outcomes {
    suite: Suite,
    checks: Vec<&'static Check>,
    tried: Vec<Tried>,
}

impl Suite {
    /// Every suite.
    pub const ALL: [Self; 2] = [Self::Plugin, Self::Decoder];

    /// What they are called.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plugin => "plugin",
            Self::Decoder => "decoder",
        }
    }

    const fn roles(self) -> &'static [Role] {
        match self {
            Self::Plugin => &[Role::Plugin],
            Self::Decoder => &[Role::CommandDecoder, Role::EventDecoder],
        }
    }

    fn checks(self) -> Vec<&'static Check> {
        let roles = self.roles().iter();
        roles.flat_map(|role| checks::of(*role)).copied().collect()
    }

    fn expected(self) -> Result<Vec<Expected>, CannotTest> {
        let file = SUBJECTS.get_file(format!("{}/expected.txt", self.as_str()));
        let text = file.and_then(include_dir::File::contents_utf8);
        let text = text.ok_or_else(|| CannotTest::Expected("it is not there".to_owned()))?;
        expected::read(text, &self.checks()).map_err(CannotTest::Expected)
    }
}

/// What is to be tried.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The kind of subjects.
    pub suite: Suite,
    /// Try only subjects with one of these in their names; all of them if there are none.
    pub only: &'a [String],
    /// Put only checks whose ids one of these patterns matches; all of them if there are none.
    pub checks: &'a [String],
    /// How many subjects are tried at the same time.
    pub jobs: NonZeroUsize,
    /// Set when somebody interrupts it.
    pub interrupted: &'a AtomicBool,
}

/// Tries every faulty subject, and shows each as soon as it was tried.
///
/// # Errors
/// If the self-test cannot be made; not if it fails.
pub fn run(
    plan: &Plan<'_>,
    mut show: impl FnMut(&Tried) -> io::Result<()>,
) -> Result<Outcomes, CannotTest> {
    require_interpreters()?;
    let python = real_python();
    let folder = tempfile::Builder::new().prefix("selftest-").tempdir();
    let folder = folder.map_err(CannotTest::Unpack)?;
    unpack(folder.path()).map_err(CannotTest::Unpack)?;
    let checks: Vec<_> = plan.suite.checks();
    let selected: Vec<_> = checks
        .iter()
        .copied()
        .filter(|check| {
            let mut patterns = plan.checks.iter();
            plan.checks.is_empty() || patterns.any(|pattern| glob(pattern, check.id))
        })
        .collect();
    let mut queue = plan.suite.expected()?;
    queue.retain(|expected| {
        let named = plan.only.iter().any(|part| expected.name.contains(part));
        plan.only.is_empty() || named
    });
    // What takes long is taken first, from the end.
    queue.sort_by_key(|expected| (takes_long(expected, &checks), expected.fails.len()));
    let queue = Mutex::new(queue);
    let (sender, receiver) = mpsc::channel();
    let mut tried = thread::scope(|scope| -> Result<Vec<Tried>, CannotTest> {
        for _ in 0..plan.jobs.get() {
            let (sender, queue, selected) = (sender.clone(), &queue, &selected);
            let (folder, python) = (folder.path(), &python);
            scope.spawn(move || {
                while let Some(expected) = pop(queue) {
                    let result = try_one(plan, expected, selected, folder, python);
                    let failed = result.is_err();
                    if sender.send(result).is_err() || failed {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut tried = Vec::new();
        for result in receiver {
            let one = result.inspect_err(|_| {
                // Nobody hears of the rest.
                queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
            })?;
            show(&one)?;
            tried.push(one);
        }
        Ok(tried)
    })?;
    tried.sort_by(|a, b| a.expected.name.cmp(&b.expected.name));
    Ok(Outcomes {
        suite: plan.suite,
        checks: selected,
        tried,
    })
}

fn pop(queue: &Mutex<Vec<Expected>>) -> Option<Expected> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

fn takes_long(expected: &Expected, checks: &[&'static Check]) -> bool {
    let heavy = checks.iter().filter(|check| check.tier == Tier::Full);
    let mut heavy = heavy.map(|check| (check.role, check.id));
    expected.marks.is_heavy || heavy.any(|key| expected.fails.contains_key(&key))
}

/// Whether a check is put to a subject: what takes long only if it fails it, or is marked.
fn is_put(check: &Check, expected: &Expected) -> bool {
    let fails = expected.fails.contains_key(&(check.role, check.id));
    let marks = &expected.marks;
    (check.tier == Tier::Core || marks.is_heavy || fails)
        && (check.role != Role::EventDecoder || marks.reads_events)
}

/// The subjects are scripts.
fn require_interpreters() -> Result<(), CannotTest> {
    for interpreter in ["python3", "node", "sh"] {
        Subject::new(vec![interpreter.into()])
            .map_err(|_| CannotTest::NoInterpreter(interpreter))?;
    }
    Ok(())
}

/// The real Python: what a version manager puts into `PATH` in its stead takes longer to start than
/// most checks to run.
fn real_python() -> OsString {
    let code = "import sys; print(sys.executable, end='')";
    let output = Command::new("python3").args(["-c", code]).output();
    match output {
        Ok(output) if !output.stdout.is_empty() => OsString::from_vec(output.stdout),
        _ => "python3".into(),
    }
}

/// Writes the subjects to a folder, as programs, and what they derive from.
fn unpack(folder: &Path) -> io::Result<()> {
    let (name, text) = EXAMPLE_DECODER;
    let example = folder.join(name);
    fs::create_dir_all(example.parent().unwrap_or(folder))?;
    fs::write(example, text)?;
    let folder = folder.join("subjects");
    fs::create_dir(&folder)?;
    SUBJECTS.extract(&folder)?;
    for suite in Suite::ALL {
        for entry in fs::read_dir(folder.join(suite.as_str()))? {
            let path = entry?.path();
            if path.is_file() {
                fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
            }
        }
    }
    Ok(())
}

fn try_one(
    plan: &Plan<'_>,
    expected: Expected,
    checks: &[&'static Check],
    folder: &Path,
    python: &OsStr,
) -> Result<Tried, CannotTest> {
    let started = Instant::now();
    let mut subject = subject(plan.suite, &expected, folder, python)
        .map_err(|error| CannotTest::Subject(expected.name.clone(), error))?;
    subject.env = vec![
        // What they share is compiled once: the folder is ours, and goes away.
        ("PYTHONDONTWRITEBYTECODE".into(), "".into()),
    ];
    let checks: Vec<&'static Check> = checks
        .iter()
        .copied()
        .filter(|check| is_put(check, &expected))
        .collect();
    let results_folder = folder.join(format!(
        "results-{}",
        expected.shown().replace([':', ' '], "-")
    ));
    fs::create_dir_all(&results_folder).map_err(CannotTest::Unpack)?;
    let settings = Settings {
        deadlines: match expected.marks.hangs {
            true => IMPATIENCE,
            false => DEADLINES,
        },
        jobs: NonZeroUsize::MIN,
        fail_fast: false,
        codes: match expected.marks.says_codes {
            true => Codes::Contract,
            false => Codes::default(),
        },
        baseline: Baseline::default(),
        rounds: NonZeroUsize::MIN,
    };
    let interrupted = plan.interrupted;
    let run = run::run(
        &subject,
        &checks,
        &settings,
        &results_folder,
        interrupted,
        &mut Nobody,
    )?;
    fs::remove_dir_all(&results_folder).map_err(CannotTest::Unpack)?;
    if run.ending.is_early() {
        return Err(Fault::Interrupted.into());
    }
    let seen = run.results.iter().map(|result| {
        let key = (result.check.role, result.check.id);
        (key, Seen::of(&result.outcome))
    });
    let seen = seen.collect();
    let took = started.elapsed();
    Ok(Tried {
        expected,
        seen,
        took,
    })
}

fn subject(
    suite: Suite,
    expected: &Expected,
    folder: &Path,
    python: &OsStr,
) -> Result<Subject, CannotStart> {
    let mut subject = match expected.name.strip_prefix(BUILT_IN) {
        Some(behaviour) => {
            let runner = std::env::current_exe().map_err(CannotStart::System)?;
            Subject::new(vec![runner.into(), FAULTY_PLUGIN.into(), behaviour.into()])?
        }
        None => {
            let path: PathBuf = ["subjects", suite.as_str(), &expected.name]
                .iter()
                .collect();
            let path = folder.join(path).into_os_string();
            match expected.name.ends_with(".py") {
                // They need nothing but the standard library, and so start sooner.
                true => Subject::new(vec![python.to_owned(), "-S".into(), path])?,
                false => Subject::new(vec![path])?,
            }
        }
    };
    if expected.marks.hears_signals {
        subject.profile = Arc::new(Profile::example());
    }
    Ok(subject)
}

impl Tried {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.expected.shown()
    }

    /// The checks that it failed.
    fn failed(&self) -> BTreeSet<Key> {
        let failed = self
            .seen
            .iter()
            .filter(|(_, seen)| matches!(seen, Seen::Failed(_)));
        failed.map(|(key, _)| *key).collect()
    }

    /// The checks that it should have failed, among those that were put to it.
    fn should_fail(&self) -> BTreeSet<Key> {
        let put = |key: &&Key| self.seen.contains_key(*key);
        self.expected.fails.keys().filter(put).copied().collect()
    }

    /// The checks that it failed for another reason than the expected one.
    fn failed_otherwise(&self) -> Vec<Key> {
        let differs = |(key, seen): &(&Key, &Seen)| match (seen, self.expected.fails.get(*key)) {
            (Seen::Failed(reason), Some(Some(expected))) => reason != expected,
            _ => false,
        };
        self.seen
            .iter()
            .filter(differs)
            .map(|(key, _)| *key)
            .collect()
    }

    /// What is wrong about it, in words; nothing if all came as expected.
    #[must_use]
    pub fn surprise(&self) -> Option<String> {
        let (failed, should) = (self.failed(), self.should_fail());
        let erred = self.seen.iter().filter(|(_, seen)| **seen == Seen::Erred);
        let parts = [
            (
                "was not caught by",
                should.difference(&failed).copied().collect(),
            ),
            (
                "was caught by, too,",
                failed.difference(&should).copied().collect(),
            ),
            ("was caught for another reason by", self.failed_otherwise()),
            (
                "made the runner err in",
                erred.map(|(key, _)| *key).collect(),
            ),
        ];
        let told = parts
            .into_iter()
            .filter(|(_, keys): &(&str, Vec<Key>)| !keys.is_empty());
        let told: Vec<String> = told
            .map(|(what, keys)| {
                let keys: Vec<String> = keys.into_iter().map(|key| self.told(key)).collect();
                format!("{what} {}", keys.join(" "))
            })
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// A check, with the reason for which it was failed.
    fn told(&self, key: Key) -> String {
        match self.seen.get(&key) {
            Some(Seen::Failed(reason)) => format!("{} ({})", expected::shown(key), reason.as_str()),
            _ => expected::shown(key),
        }
    }

    /// The checks that caught it, in words.
    #[must_use]
    pub fn caught_by(&self) -> String {
        let keys = self.failed().into_iter().map(expected::shown);
        keys.collect::<Vec<_>>().join(" ")
    }
}

impl Outcomes {
    /// The checks that could fail a run and that nobody failed. Empty unless everybody was tried.
    #[must_use]
    pub fn toothless(&self) -> Vec<String> {
        let everybody = self.suite.expected().map_or(0, |expected| expected.len());
        if self.tried.len() < everybody {
            return Vec::new();
        }
        let failed: BTreeSet<Key> = self.tried.iter().flat_map(Tried::failed).collect();
        let judged = self
            .checks
            .iter()
            .filter(|check| check.level != Level::Info);
        let keys = judged.map(|check| (check.role, check.id));
        keys.filter(|key| !failed.contains(key))
            .map(expected::shown)
            .collect()
    }

    /// How many subjects did not come out as expected.
    #[must_use]
    pub fn surprises(&self) -> usize {
        self.tried
            .iter()
            .filter(|tried| tried.surprise().is_some())
            .count()
    }

    /// How many subjects were tried.
    #[must_use]
    pub fn tried(&self) -> usize {
        self.tried.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faulty::Behaviour;

    /// What subjects derive from, and the data file.
    const NO_SUBJECTS: [&str; 5] = [
        "expected.txt",
        "honest.py",
        "nudging.py",
        "plugin.mjs",
        "plugin.py",
    ];

    #[test]
    fn every_subject_has_its_line() {
        for suite in Suite::ALL {
            let folder = SUBJECTS.get_dir(suite.as_str()).unwrap();
            let files = folder.files().filter_map(|file| file.path().file_name());
            let mut there: BTreeSet<String> = files
                .map(|name| name.to_str().unwrap().to_owned())
                .filter(|name| !NO_SUBJECTS.contains(&name.as_str()))
                .collect();
            if suite == Suite::Plugin {
                there.extend(Behaviour::names().map(|name| format!("{BUILT_IN}{name}")));
            }
            let expected = suite.expected().unwrap().into_iter();
            let expected: BTreeSet<String> = expected.map(|expected| expected.name).collect();
            assert_eq!(there, expected);
        }
    }

    #[test]
    fn every_judged_check_is_to_be_failed_by_somebody() {
        for suite in Suite::ALL {
            let expected = suite.expected().unwrap();
            let failed: BTreeSet<Key> = expected
                .iter()
                .flat_map(|expected| expected.fails.keys().copied())
                .collect();
            for check in suite.checks() {
                let key = (check.role, check.id);
                assert!(
                    check.level == Level::Info || failed.contains(&key),
                    "nobody fails {}",
                    expected::shown(key)
                );
            }
        }
    }
}
