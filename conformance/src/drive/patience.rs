use std::time::{Duration, Instant};

use crate::subject::{Running, own_wait};

/// A deadline that a busy machine cannot make unfair: time for which the subject or the runner itself
/// wanted a CPU and got none is added to it.
///
/// There is a limit to that: somebody who wants a CPU all the time would else be waited for without
/// end on a machine that is busy for ever.
pub(super) struct Patience {
    until: Instant,
    /// What may still be added.
    grace: Duration,
    /// The waiting time that was looked at already.
    seen: Duration,
}

/// How many times the length of a deadline is added to it at most.
const MOST_FORGIVEN: u32 = 10;

/// Less waiting than this is no reason to wait again.
const NEGLIGIBLE: Duration = Duration::from_millis(20);

impl Patience {
    pub(super) fn new(length: Duration) -> Self {
        Self {
            until: Instant::now() + length,
            grace: length * MOST_FORGIVEN,
            // What the subject waited for before is looked up, and forgiven, only if the deadline is
            // reached: most are not, and looking takes time.
            seen: own_wait(),
        }
    }

    pub(super) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Whether the deadline has passed, all waiting forgiven.
    pub(super) fn is_over(&mut self, running: &Running) -> bool {
        if !self.left().is_zero() {
            return false;
        }
        let waited = waited(running);
        let more = waited.saturating_sub(self.seen).min(self.grace);
        if more < NEGLIGIBLE {
            return true;
        }
        self.seen = waited;
        self.grace -= more;
        self.until = Instant::now() + more;
        false
    }
}

fn waited(running: &Running) -> Duration {
    let figures = running.figures();
    own_wait() + figures.map_or(Duration::ZERO, |figures| figures.waited)
}
