use std::fmt;

use super::excerpt::excerpt;
use crate::traffic::{Direction, HeardLine};

/// Something that the contract has to say about a line.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The number of the requirement.
    pub requirement: &'static str,
    /// Who wrote the line.
    pub sender: &'static str,
    /// The number of the line in its stream, from 1.
    pub line: u64,
    /// The byte of the stream at which it was noticed, from 0.
    pub offset: u64,
    /// What is wrong. Quotes nothing but names of the contract.
    pub words: String,
    /// The line round that byte, in printable ASCII, tokens cut short.
    pub excerpt: String,
    /// Which way the line went.
    #[serde(skip)]
    pub direction: Direction,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A rule of the contract is broken.
    Violation,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Violation => "violation",
            Self::Note => "note",
        }
    }
}

impl Finding {
    /// A violation by the line as a whole.
    pub(super) fn violation(
        line: &HeardLine<'_>,
        requirement: &'static str,
        words: impl fmt::Display,
    ) -> Self {
        Self::at(line, 0, Severity::Violation, requirement, words)
    }

    /// Something about this byte of a line.
    pub(super) fn at(
        line: &HeardLine<'_>,
        byte: usize,
        severity: Severity,
        requirement: &'static str,
        words: impl fmt::Display,
    ) -> Self {
        Self {
            severity,
            requirement,
            sender: line.direction.sender(),
            line: line.number,
            offset: line.offset + byte as u64,
            words: words.to_string(),
            excerpt: excerpt(line, byte),
            direction: line.direction,
        }
    }
}

/// One line without the excerpt: it is fit for a log.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            severity,
            requirement,
            sender,
            line,
            offset,
            words,
            ..
        } = self;
        let severity = severity.as_str();
        write!(
            f,
            "{severity} {requirement} by the {sender}, line {line}, byte {offset}: {words}"
        )
    }
}
