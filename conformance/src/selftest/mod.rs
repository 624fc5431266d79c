//! The self-test: the runner shows that it catches what it should, and nothing else.
//!
//! Faulty subjects that authors really ship, each described as a behaviour, are built into the runner.
//! Each must fail exactly the checks that a data file names, and each check that can fail a run must
//! be failed by somebody.

mod expected;
mod matrix;
mod queue;
mod subjects;
mod tried;

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::baseline::Baseline;
use crate::checks::decoder::Codes;
use crate::checks::{self, Check, Level, Role};
use crate::drive::{Deadlines, Fault};
use crate::run::{self, Put, Settings};
use crate::select::glob;
use crate::subject::{CannotStart, Subject};
use expected::{Expected, Key};
pub use matrix::write as write_matrix;
use queue::{Lane, Queue, is_put};
use subjects::Unpacked;
pub use tried::Tried;

/// Which kind of subjects are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    /// Faulty plugins.
    Plugin,
    /// Faulty decoders.
    Decoder,
}

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

/// What the whole self-test of a suite came to.
#[derive(Debug)]
pub struct Outcomes {
    /// The kind of subjects.
    pub suite: Suite,
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
}

/// What is to be tried.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The kinds of subjects.
    pub suites: &'a [Suite],
    /// Try only subjects with one of these in their names; all of them if there are none.
    pub only: &'a [String],
    /// Put only checks whose ids one of these patterns matches; all of them if there are none.
    pub checks: &'a [String],
    /// How many checks are put at the same time.
    pub jobs: NonZeroUsize,
    /// Set when somebody interrupts it.
    pub interrupted: &'a AtomicBool,
}

impl Plan<'_> {
    fn checks(&self, suite: Suite) -> Vec<&'static Check> {
        let wanted = |check: &&'static Check| {
            let mut patterns = self.checks.iter();
            self.checks.is_empty() || patterns.any(|pattern| glob(pattern, check.id))
        };
        suite.checks().into_iter().filter(wanted).collect()
    }

    fn trials(&self, unpacked: &Unpacked) -> Result<Vec<Trial>, CannotTest> {
        let mut trials = Vec::new();
        for suite in self.suites {
            let checks = self.checks(*suite);
            let is_wanted = |expected: &Expected| {
                let named = self.only.iter().any(|part| expected.name.contains(part));
                self.only.is_empty() || named
            };
            for expected in subjects::expected(*suite)?.into_iter().filter(is_wanted) {
                trials.push(Trial::new(*suite, expected, &checks, unpacked)?);
            }
        }
        Ok(trials)
    }
}

/// A subject, and what is put to it.
struct Trial {
    suite: Suite,
    expected: Expected,
    subject: Subject,
    checks: Vec<&'static Check>,
    settings: Settings,
}

impl Trial {
    fn new(
        suite: Suite,
        expected: Expected,
        checks: &[&'static Check],
        unpacked: &Unpacked,
    ) -> Result<Self, CannotTest> {
        let subject = unpacked
            .subject(suite, &expected)
            .map_err(|error| CannotTest::Subject(expected.name.clone(), error))?;
        let put = |check: &&&'static Check| is_put(check, &expected);
        Ok(Self {
            suite,
            subject,
            checks: checks.iter().filter(put).copied().collect(),
            settings: settings(&expected),
            expected,
        })
    }

    /// Puts one of its checks to the subject.
    fn put(&self, check: &'static Check, interrupted: &AtomicBool) -> Result<Put, Fault> {
        run::put(&self.subject, check, &self.settings, interrupted)
    }
}

fn settings(expected: &Expected) -> Settings {
    Settings {
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
    }
}

/// Tries every faulty subject, and shows each as soon as it was tried. There is one result for each
/// suite.
///
/// # Errors
/// If the self-test cannot be made; not if it fails.
pub fn run(
    plan: &Plan<'_>,
    mut show: impl FnMut(&Tried) -> io::Result<()>,
) -> Result<Vec<Outcomes>, CannotTest> {
    let unpacked = Unpacked::new()?;
    let trials = plan.trials(&unpacked)?;
    let mut tried: Vec<Tried> = trials.iter().map(Tried::new).collect();
    let queue = Queue::of(&trials);
    thread::scope(|scope| -> Result<(), CannotTest> {
        let (sender, receiver) = mpsc::channel();
        for worker in 0..plan.jobs.get() {
            let (sender, queue, trials) = (sender.clone(), &queue, &trials);
            scope.spawn(move || {
                while let Some((place, check)) = queue.next(Lane::of_worker(worker)) {
                    let put = trials[place].put(check, plan.interrupted);
                    let told = put.map(|put| (place, check, put));
                    if sender.send(told).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        receiver
            .into_iter()
            .try_for_each(|told| {
                let (place, check, put) = told?;
                tried[place].see(check, &put);
                match tried[place].checks_seen() == trials[place].checks.len() {
                    true => Ok(show(&tried[place])?),
                    false => Ok(()),
                }
            })
            // Whatever goes wrong, the rest is not worth waiting for.
            .inspect_err(|_| queue.give_up())
    })?;
    let mut of = |suite: &Suite| Outcomes {
        suite: *suite,
        checks: plan.checks(*suite),
        tried: tried
            .extract_if(.., |tried| tried.suite == *suite)
            .collect(),
    };
    Ok(plan.suites.iter().map(&mut of).collect())
}

impl Outcomes {
    /// The checks that could fail a run and that nobody failed. Empty unless everybody was tried.
    #[must_use]
    pub fn toothless(&self) -> Vec<String> {
        let everybody = subjects::expected(self.suite).map_or(0, |expected| expected.len());
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

    /// Whether the suite showed what it should: nobody came out otherwise, and no check is toothless.
    #[must_use]
    pub fn are_as_expected(&self) -> bool {
        self.surprises() == 0 && self.toothless().is_empty()
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

    #[test]
    fn every_judged_check_is_to_be_failed_by_somebody() {
        for suite in Suite::ALL {
            let expected = subjects::expected(suite).unwrap();
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
