//! In which order checks are put to subjects.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::expected::Expected;
use super::{Suite, Trial};
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

/// What a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// It waits for subjects: for plugins, and for whoever hangs.
    Waiting,
    /// It keeps the CPU busy with decoders. The more of them run at once, the longer each computes.
    Computing,
}

impl Lane {
    /// What the worker of this number does: one of ten computes.
    pub(super) const fn of_worker(number: usize) -> Self {
        match number % 10 {
            0 => Self::Computing,
            _ => Self::Waiting,
        }
    }

    const fn of(trial: &Trial) -> Self {
        match trial.suite {
            Suite::Decoder if !trial.expected.marks.hangs => Self::Computing,
            Suite::Decoder | Suite::Plugin => Self::Waiting,
        }
    }
}

/// What is still to be done.
pub(super) struct Queue(Mutex<Lanes>);

#[derive(Default)]
struct Lanes {
    waiting: VecDeque<Job>,
    computing: VecDeque<Job>,
}

impl Queue {
    /// All checks of all trials. What takes long is started first, so that nobody waits for it alone at
    /// the end.
    pub(super) fn of(trials: &[Trial]) -> Self {
        let mut jobs: Vec<Job> = Vec::new();
        for (place, trial) in trials.iter().enumerate() {
            jobs.extend(trial.checks.iter().map(|check| (place, *check)));
        }
        jobs.sort_by_key(|(place, check)| {
            let is_explored = matches!(check.test, Test::Explored { .. });
            let hangs = trials[*place].expected.marks.hangs;
            (!is_explored, Reverse(check.tier), !hangs)
        });
        let is_waited_for = |(place, _): &Job| Lane::of(&trials[*place]) == Lane::Waiting;
        let (waiting, computing) = jobs.into_iter().partition(is_waited_for);
        Self(Mutex::new(Lanes { waiting, computing }))
    }

    /// The next one for a worker. Whoever computes goes on with the rest of what waits, not the other
    /// way round.
    pub(super) fn next(&self, lane: Lane) -> Option<Job> {
        let lanes = &mut *self.lock();
        match lane {
            Lane::Waiting => lanes.waiting.pop_front(),
            Lane::Computing => lanes
                .computing
                .pop_front()
                .or_else(|| lanes.waiting.pop_front()),
        }
    }

    /// Forgets what is left.
    pub(super) fn give_up(&self) {
        *self.lock() = Lanes::default();
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
