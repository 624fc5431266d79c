//! In which order checks are put to subjects.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Trial;
use super::expected::Expected;
use crate::checks::{Check, Role, Test, Tier};

/// Whether a check is put to a subject: what takes long only if it fails it, or is marked.
pub(super) fn is_put(check: &Check, expected: &Expected) -> bool {
    let fails = expected.fails.contains_key(&(check.role, check.id));
    let marks = &expected.marks;
    (check.tier == Tier::Core || marks.is_heavy || fails)
        && (check.role != Role::EventDecoder || marks.reads_events)
}

/// A trial, by its place, and one of its checks.
type Job = (usize, &'static Check);

/// What is still to be done.
pub(super) struct Queue(Mutex<VecDeque<Job>>);

impl Queue {
    /// All checks of all trials.
    ///
    /// What takes long is started first, so that nobody waits for it alone at the end. The suites are
    /// evenly mixed: plugins are waited for, decoders keep the CPU busy.
    pub(super) fn of(trials: &[Trial]) -> Self {
        let mut jobs: Vec<(usize, &'static Check)> = Vec::new();
        for (place, trial) in trials.iter().enumerate() {
            jobs.extend(trial.checks.iter().map(|check| (place, *check)));
        }
        jobs.sort_by_key(|(place, check)| {
            let is_explored = matches!(check.test, Test::Explored { .. });
            let hangs = trials[*place].expected.marks.hangs;
            (!is_explored, Reverse(check.tier), !hangs)
        });
        Self(Mutex::new(mixed(jobs, |(place, _)| {
            trials[*place].suite as usize
        })))
    }

    /// The next one, if there is one.
    pub(super) fn next(&self) -> Option<Job> {
        self.lock().pop_front()
    }

    /// Forgets what is left.
    pub(super) fn give_up(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Mixes kinds evenly over the whole; those of a kind keep their order.
fn mixed<T>(things: Vec<T>, kind: impl Fn(&T) -> usize) -> VecDeque<T> {
    let mut totals: Vec<usize> = Vec::new();
    let mut places: Vec<(usize, usize, T)> = Vec::new();
    for thing in things {
        let kind = kind(&thing);
        totals.resize(totals.len().max(kind + 1), 0);
        places.push((kind, totals[kind], thing));
        totals[kind] += 1;
    }
    // The middle of the part of the whole that each takes up among its kind, in millionths.
    let middle = |(kind, place, _): &(usize, usize, T)| (2 * place + 1) * 500_000 / totals[*kind];
    places.sort_by_key(middle);
    places.into_iter().map(|(_, _, thing)| thing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_mixed_evenly() {
        let things = vec!["a1", "a2", "a3", "a4", "b1", "b2"];
        let mixed = mixed(things, |name| usize::from(name.starts_with('b')));
        assert_eq!(mixed, ["a1", "b1", "a2", "a3", "b2", "a4"]);
    }
}
