use super::CheckResult;
use crate::checks::{Check, Level};
use crate::outcome::Outcome;

/// What a whole run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every requirement that was put to the test was kept.
    Conformant,
    /// Nothing, or not what had to be, was put to the test.
    Unexercised,
    /// A requirement was broken.
    Nonconformant,
    /// The runner is at fault.
    Faulty,
}

impl Verdict {
    /// The verdict on these results, of which `required` must have been put to the test.
    #[must_use]
    pub fn on(results: &[CheckResult], required: &[&Check]) -> Self {
        let exercised = |result: &CheckResult| {
            result.check.level != Level::Info && result.outcome.was_exercised()
        };
        let was_exercised = |id: &str| {
            results
                .iter()
                .any(|result| result.check.id == id && result.outcome.was_exercised())
        };
        if results
            .iter()
            .any(|result| matches!(result.outcome, Outcome::Error(_)))
        {
            Self::Faulty
        } else if results.iter().any(CheckResult::counts_as_failure) {
            Self::Nonconformant
        } else if results.iter().any(exercised)
            && required.iter().all(|check| was_exercised(check.id))
        {
            Self::Conformant
        } else {
            Self::Unexercised
        }
    }

    /// The same verdict if the run ended early: what was not run may have failed.
    #[must_use]
    pub const fn of_part(self) -> Self {
        match self {
            Self::Conformant => Self::Unexercised,
            Self::Unexercised | Self::Nonconformant | Self::Faulty => self,
        }
    }

    /// The status with which the runner then ends.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Conformant => 0,
            Self::Nonconformant => 1,
            Self::Faulty => 3,
            Self::Unexercised => 4,
        }
    }

    /// What it means, as a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Conformant => "Every requirement that was put to the test was kept.",
            Self::Nonconformant => "The subject breaks the contract.",
            Self::Faulty => "The runner is at fault, so nothing is said about the subject.",
            Self::Unexercised => "Nothing, or not what had to be, was put to the test.",
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Conformant => "CONFORMANT",
            Self::Nonconformant => "NONCONFORMANT",
            Self::Faulty => "FAULTY",
            Self::Unexercised => "UNEXERCISED",
        }
    }
}
