use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::expected::{self, Expected, Key};
use super::{Suite, Trial};
use crate::checks::Check;
use crate::outcome::{Outcome, Reason};
use crate::run::Put;

/// What came of one subject.
#[derive(Debug)]
pub struct Tried {
    pub(super) suite: Suite,
    pub(super) expected: Expected,
    /// What came of each check that was put to it.
    pub(super) seen: BTreeMap<Key, Seen>,
    /// How long its checks took, one after another.
    pub took: Duration,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
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

impl Tried {
    /// A subject to which nothing was put yet.
    pub(super) fn new(trial: &Trial) -> Self {
        Self {
            suite: trial.suite,
            expected: trial.expected.clone(),
            seen: BTreeMap::new(),
            took: Duration::ZERO,
        }
    }

    /// Takes note of what came of a check.
    pub(super) fn see(&mut self, check: &Check, put: &Put) {
        let key = (check.role, check.id);
        self.seen.insert(key, Seen::of(&put.outcome));
        self.took += put.took;
    }

    /// How many checks were put to it.
    pub(super) fn checks_seen(&self) -> usize {
        self.seen.len()
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.expected.shown()
    }

    /// The checks that it failed.
    pub(super) fn failed(&self) -> BTreeSet<Key> {
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
