use anstyle::{AnsiColor, Style};

use crate::baseline::Expectation;
use crate::outcome::Outcome;
use crate::run::{CheckResult, Verdict};

/// How a result stands: the one place for the words, the symbol and the colours that reports give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// A requirement was broken.
    Fail,
    /// A requirement was to be broken, as the baseline says, and was not.
    Stale,
    /// The runner is at fault.
    Error,
    /// A requirement was broken, as the baseline says.
    Known,
    /// The requirement was not put to the test.
    NotExercised,
    /// The check makes no sense here.
    NotApplicable,
    /// The requirement was kept.
    Pass,
}

impl Standing {
    /// Every standing; what wants attention comes first.
    pub const ALL: &[Self] = &[
        Self::Fail,
        Self::Stale,
        Self::Error,
        Self::Known,
        Self::NotExercised,
        Self::NotApplicable,
        Self::Pass,
    ];

    /// How a result stands.
    #[must_use]
    pub const fn of(result: &CheckResult) -> Self {
        match result.expectation {
            Expectation::Known { .. } => Self::Known,
            Expectation::Stale { .. } => Self::Stale,
            Expectation::Plain | Expectation::WrongReason { .. } => {
                Self::of_outcome(&result.outcome)
            }
        }
    }

    /// How an outcome stands of which nothing but a pass was expected.
    #[must_use]
    pub const fn of_outcome(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Pass { .. } => Self::Pass,
            Outcome::Fail(_) => Self::Fail,
            Outcome::NotApplicable(_) => Self::NotApplicable,
            Outcome::NotExercised(_) => Self::NotExercised,
            Outcome::Error(_) => Self::Error,
        }
    }

    /// What a verdict looks like: like a result of the same weight.
    #[must_use]
    pub const fn of_verdict(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Conformant => Self::Pass,
            Verdict::Unexercised => Self::NotExercised,
            Verdict::Nonconformant => Self::Fail,
            Verdict::Faulty => Self::Error,
        }
    }

    /// The word that stands for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Stale => "STALE",
            Self::Known => "KNOWN",
            Self::NotApplicable => "NOT-APPLICABLE",
            Self::NotExercised => "NOT-EXERCISED",
            Self::Error => "ERROR",
        }
    }

    /// What to say behind a number of results.
    #[must_use]
    pub const fn counted(self) -> &'static str {
        match self {
            Self::Pass => "passed",
            Self::Fail => "failed",
            Self::Stale => "stale",
            Self::Known => "known to fail",
            Self::NotApplicable => "not applicable",
            Self::NotExercised => "not exercised",
            Self::Error => "errors",
        }
    }

    /// One character that stands for it, told apart without colour.
    #[must_use]
    pub const fn symbol(self) -> char {
        match self {
            Self::Pass => '✓',
            Self::Fail => '✗',
            Self::Stale => '↺',
            Self::Known => '~',
            Self::NotApplicable => '–',
            Self::NotExercised => '○',
            Self::Error => '!',
        }
    }

    /// Its name in markup.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Stale => "stale",
            Self::Known => "known",
            Self::NotApplicable => "not-applicable",
            Self::NotExercised => "not-exercised",
            Self::Error => "error",
        }
    }

    /// Its colour on a terminal.
    #[must_use]
    pub const fn style(self) -> Style {
        match self {
            Self::Pass => AnsiColor::Green.on_default(),
            Self::Fail | Self::Stale | Self::Error => AnsiColor::Red.on_default().bold(),
            Self::Known | Self::NotApplicable | Self::NotExercised => {
                AnsiColor::Yellow.on_default()
            }
        }
    }
}
