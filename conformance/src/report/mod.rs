//! What a run came to, for people and for programs.

mod escape;
mod evidence;
mod json;
mod pretty;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use escape::escape;
pub use json::json;
pub use pretty::Pretty;
pub(crate) use pretty::wrap;

use crate::checks::Role;
use crate::outcome::Outcome;
use crate::run::{CheckResult, Verdict};
use crate::subject::{Subject, shell_words};

/// A whole run.
#[derive(Debug)]
pub struct Report<'a> {
    /// As what it was tested.
    pub roles: &'a [Role],
    /// What was tested.
    pub subject: &'a Subject,
    /// The options that another run needs to come to the same.
    pub options: &'a [OsString],
    /// What came of each check.
    pub results: &'a [CheckResult],
    /// Selected checks that were never started, because an earlier one failed.
    pub not_started: usize,
    /// All of it in a word.
    pub verdict: Verdict,
    /// Where the transcripts are.
    pub folder: &'a Path,
}

impl Report<'_> {
    /// The command that runs one check again.
    fn again(&self, result: &CheckResult) -> String {
        let mut words: Vec<OsString> = [
            "conformance",
            result.check.role.task(),
            "--only",
            result.check.id,
        ]
        .map(OsString::from)
        .into();
        if let Some(direction) = result.check.role.direction() {
            words.extend(["--direction".into(), direction.argument().into()]);
        }
        words.extend_from_slice(self.options);
        if !self.subject.written.is_empty() {
            words.push("--".into());
            words.extend_from_slice(&self.subject.written);
        }
        shell_words(&words)
    }
}

/// How often each outcome came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// PASS
    pub pass: usize,
    /// FAIL
    pub fail: usize,
    /// NOT-APPLICABLE
    pub not_applicable: usize,
    /// NOT-EXERCISED
    pub not_exercised: usize,
    /// ERROR
    pub error: usize,
}

impl Counts {
    /// Counts outcomes.
    #[must_use]
    pub fn of(results: &[CheckResult]) -> Self {
        let mut counts = Self::default();
        for result in results {
            *match result.outcome {
                Outcome::Pass { .. } => &mut counts.pass,
                Outcome::Fail(_) => &mut counts.fail,
                Outcome::NotApplicable(_) => &mut counts.not_applicable,
                Outcome::NotExercised(_) => &mut counts.not_exercised,
                Outcome::Error(_) => &mut counts.error,
            } += 1;
        }
        counts
    }
}

/// The kind of a report and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What it looks like.
    pub kind: Kind,
    /// The file it goes to; stdout if `None`.
    pub path: Option<PathBuf>,
}

/// What a report looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For people.
    Pretty,
    /// For programs.
    Json,
}

impl std::str::FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, path) = match text.split_once('=') {
            Some((kind, path)) => (kind, Some(path)),
            None => (text, None),
        };
        let kind = match kind {
            "pretty" => Kind::Pretty,
            "json" => Kind::Json,
            _ => {
                return Err(format!(
                    "`{kind}` is no report; there are `pretty` and `json`"
                ));
            }
        };
        if path == Some("") {
            return Err("the path after `=` is empty".to_owned());
        }
        Ok(Self {
            kind,
            path: path.map(PathBuf::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_wanted_by_kind_and_path() {
        assert_eq!(
            "pretty".parse(),
            Ok(Wanted {
                kind: Kind::Pretty,
                path: None
            })
        );
        let path = Some("a=b.json".into());
        assert_eq!(
            "json=a=b.json".parse(),
            Ok(Wanted {
                kind: Kind::Json,
                path
            })
        );
        assert!("junit".parse::<Wanted>().is_err());
        assert!("json=".parse::<Wanted>().is_err());
    }
}
