use super::{History, Seeds};
use crate::outcome::Failure;
use crate::transcript::Transcript;

/// A broken contract, with as little history as leads to it.
#[derive(Debug)]
pub struct Finding {
    /// The history.
    pub history: History,
    /// What was broken, and what happened.
    pub occurrence: Occurrence,
    /// The seeds that lead to it again.
    pub seeds: Seeds,
    /// What is known of the history.
    pub certainty: Certainty,
}

/// A contract that was broken once.
#[derive(Debug)]
pub struct Occurrence {
    /// What was broken, in the words of the check.
    pub failure: Failure,
    /// What happened.
    pub transcript: Transcript,
}

/// What is known of the history of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// Nothing in it can be spared.
    Least,
    /// There was no time to find out what in it can be spared.
    AtMost,
    /// It was played again, and nothing was broken.
    Once,
}

impl Finding {
    /// The failure, told with the history that leads to it.
    #[must_use]
    pub fn told(&self) -> Failure {
        let Self { history, seeds, .. } = self;
        let Occurrence {
            failure,
            transcript,
        } = &self.occurrence;
        let end = match transcript.told_to_end() {
            Some(_) => "; shutdown",
            None => "",
        };
        let told = match self.certainty {
            Certainty::Least => format!("All that it takes: {history}{end}. Found by"),
            Certainty::AtMost => format!(
                "This is enough, and more than it takes, but the time to find out was over: {history}{end}. \
                 Found by"
            ),
            Certainty::Once => format!(
                "It happened once in {} histories played together, and not when they were played again by",
                seeds.count
            ),
        };
        let explanation = format!("{}. {told} `conformance fuzz {seeds}`", failure.explanation);
        Failure {
            explanation,
            ..failure.clone()
        }
    }
}
