use std::fmt;
use std::io::Write;
use std::time::Duration;

use crate::lint::{Finding, Severity};
use crate::traffic::Direction;

/// Where a proxy says what breaks the contract: a line for each violation, and a sum at the end.
///
/// The lines quote nothing of the traffic: they go where a host keeps its logs.
pub struct Report {
    to: Box<dyn Write + Send>,
    /// How many lines may still be written now; no bound if `None`.
    allowance: Option<Allowance>,
    violations: [u64; 2],
    unshown: u64,
}

/// A bound on lines per time.
#[derive(Debug)]
struct Allowance {
    left: f64,
    since: Duration,
}

/// How many lines may come at once.
const MOST_AT_ONCE: f64 = 50.0;

/// How many more are allowed in each second.
const PER_SECOND: f64 = 5.0;

impl Report {
    /// A report of every violation.
    #[must_use]
    pub fn of_all(to: Box<dyn Write + Send>) -> Self {
        Self {
            to,
            allowance: None,
            violations: [0; 2],
            unshown: 0,
        }
    }

    /// A report that does not flood whoever reads it: 50 violations at once, then 5 a second. The others
    /// are counted.
    #[must_use]
    pub fn in_moderation(to: Box<dyn Write + Send>) -> Self {
        let allowance = Allowance {
            left: MOST_AT_ONCE,
            since: Duration::ZERO,
        };
        Self {
            allowance: Some(allowance),
            ..Self::of_all(to)
        }
    }

    /// Says what was found at this time.
    pub(super) fn finding(&mut self, at: Duration, finding: &Finding) {
        if finding.severity != Severity::Violation {
            return;
        }
        self.violations[finding.direction as usize] += 1;
        if self.allowance.as_mut().is_none_or(|left| left.take(at)) {
            self.say(&finding);
        } else {
            self.unshown += 1;
        }
    }

    /// Says something else of importance. Nothing can be done if nobody can be told.
    pub fn say(&mut self, what: &dyn fmt::Display) {
        let _ = writeln!(self.to, "conformance proxy: {what}");
    }

    /// Says what all of it comes to, if there was anything.
    pub(super) fn end(&mut self) {
        let [host, plugin] = [Direction::In, Direction::Out].map(|d| self.violations[d as usize]);
        if host + plugin > 0 {
            let unshown = match self.unshown {
                0 => String::new(),
                unshown => format!(", {unshown} of them not shown"),
            };
            self.say(&format_args!(
                "{plugin} violations by the plugin and {host} by the host{unshown}"
            ));
        }
        let _ = self.to.flush();
    }

    pub(super) fn flush(&mut self) {
        let _ = self.to.flush();
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("violations", &self.violations)
            .finish_non_exhaustive()
    }
}

impl Allowance {
    fn take(&mut self, at: Duration) -> bool {
        let passed = at.saturating_sub(self.since).as_secs_f64();
        self.left = (self.left + passed * PER_SECOND).min(MOST_AT_ONCE);
        self.since = at;
        let is_left = self.left >= 1.0;
        self.left -= f64::from(u8::from(is_left));
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_moderated_and_a_trickle_is_not() {
        let mut allowance = Allowance {
            left: MOST_AT_ONCE,
            since: Duration::ZERO,
        };
        let taken = |allowance: &mut Allowance, at| {
            (0..1_000)
                .filter(|_| allowance.take(Duration::from_secs(at)))
                .count()
        };
        assert_eq!(taken(&mut allowance, 0), 50);
        assert_eq!(taken(&mut allowance, 2), 10);
        assert_eq!(taken(&mut allowance, 1_000), 50);
    }
}
