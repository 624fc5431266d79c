use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use super::{Standing, escape, printable};
use crate::checks::Check;
use crate::evidence::Evidence;
use crate::run::CheckResult;
use crate::spec::Requirement;

/// A result as every report tells it: its texts are free of anything that a terminal, a browser or an
/// XML reader would act on, apart from the characters of the markup itself.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) check: &'static Check,
    pub(super) requirement: &'static Requirement,
    pub(super) standing: Standing,
    /// Whether it makes the run fail.
    pub(super) counts_as_failure: bool,
    /// How the outcome stands by itself, whatever was expected.
    pub(super) outcome: Standing,
    /// How each round came out.
    pub(super) rounds: &'a [Standing],
    pub(super) took: Duration,
    /// What was seen, or why there is no verdict.
    pub(super) note: Option<String>,
    /// What the baseline and the other rounds make of it.
    pub(super) aside: Option<String>,
    /// What is wrong, if it failed.
    pub(super) fault: Option<Fault>,
    pub(super) evidence: &'a Evidence,
    /// Where the transcript is.
    pub(super) transcript: String,
}

/// A failure in words.
#[derive(Debug)]
pub(super) struct Fault {
    /// The code of its kind.
    pub(super) reason: &'static str,
    pub(super) explanation: String,
    /// What the decoder or the schema said.
    pub(super) decoder: Option<String>,
    /// The offending byte of stdout.
    pub(super) stdout_offset: Option<usize>,
    /// Whether the words are about what was sent, and not about what was received.
    pub(super) is_about_sent: bool,
}

impl<'a> Case<'a> {
    pub(super) fn of(result: &'a CheckResult) -> Self {
        let fault = result.outcome.failure().map(|failure| Fault {
            reason: failure.reason.as_str(),
            explanation: printable(&failure.explanation),
            decoder: failure.decoder.as_deref().map(printable),
            stdout_offset: failure.stdout_offset,
            is_about_sent: failure.sent.is_some(),
        });
        Self {
            check: result.check,
            requirement: result.check.requirement(),
            standing: Standing::of(result),
            counts_as_failure: result.counts_as_failure(),
            outcome: Standing::of_outcome(&result.outcome),
            rounds: &result.rounds,
            took: result.took,
            note: result.outcome.note().map(printable),
            aside: aside(result),
            fault,
            evidence: &result.evidence,
            transcript: escape(result.transcript_file.as_os_str().as_bytes()),
        }
    }

    /// The requirement in short: `PLG-701 (MUST, origin: source)`.
    pub(super) fn citation(&self) -> String {
        let Requirement {
            id, level, origin, ..
        } = self.requirement;
        format!("{id} ({level}, origin: {origin})")
    }

    /// What to say in a few words: the kind of fault, or the note.
    pub(super) fn remark(&self) -> Option<String> {
        let said = match &self.fault {
            Some(fault) => Some(fault.reason),
            None => self.note.as_deref(),
        };
        let parts: Vec<&str> = said.into_iter().chain(self.aside.as_deref()).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// What the baseline and the other rounds make of a result.
fn aside(result: &CheckResult) -> Option<String> {
    let rounds = result.is_unsteady().then(|| {
        let total = result.rounds.len();
        let counts = Standing::ALL.iter().filter_map(|standing| {
            let count = result.rounds.iter().filter(|round| *round == standing);
            match count.count() {
                0 => None,
                count => Some(format!("{count} {}", standing.word())),
            }
        });
        let counts: Vec<String> = counts.collect();
        format!("of {total} rounds {}", counts.join(", "))
    });
    let expected = result.expectation.remark();
    let parts: Vec<String> = expected.into_iter().chain(rounds).collect();
    (!parts.is_empty()).then(|| printable(&parts.join("; ")))
}
