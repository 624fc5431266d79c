//! Baselines: failures that are known, so that a run can tell what is new.
//!
//! An entry names a check and the reason for which it fails. It is stale as soon as the check does not
//! fail any more, and wrong when it fails for another reason; both are failures of the run, so that a
//! baseline never hides more than it says.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::checks::{self, Check, Role};
use crate::outcome::{Outcome, Reason};
use crate::profile::position;
use crate::run::CheckResult;

/// What is known to fail.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    entries: Vec<Entry>,
}

/// A known failure.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    id: &'static str,
    role: Role,
    reason: Reason,
    /// Whether it is known to fail only sometimes.
    flaky: bool,
    /// What its author says about it.
    why: String,
}

/// How an outcome stands to what was expected of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing but a pass was expected.
    #[default]
    Plain,
    /// The failure is known.
    Known {
        /// What the baseline says about it.
        why: String,
    },
    /// It was expected to fail for another reason.
    WrongReason {
        /// The expected one.
        expected: Reason,
    },
    /// It was expected to fail and did not.
    Stale {
        /// The expected reason.
        expected: Reason,
    },
}

/// A baseline that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadBaseline {
    /// It cannot be read or written.
    #[error("the baseline `{}`: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// It is not what a baseline is.
    #[error("{}:{line}:{column}: {message}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// What is wrong and what was expected.
        message: String,
    },
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    known: Vec<toml::Spanned<WrittenEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEntry {
    check: toml::Spanned<String>,
    #[serde(default)]
    role: Option<Role>,
    reason: toml::Spanned<String>,
    #[serde(default)]
    flaky: bool,
    #[serde(default)]
    why: String,
}

impl Baseline {
    /// Reads the baseline in a file.
    ///
    /// # Errors
    /// If it cannot be read, is no baseline, or names what does not exist.
    pub fn read(file: &Path, roles: &[Role]) -> Result<Self, BadBaseline> {
        let text = std::fs::read_to_string(file).map_err(|error| BadBaseline::File {
            file: file.to_owned(),
            error,
        })?;
        Self::parse(&text, file, roles)
    }

    /// Reads the text of a baseline for runs of these roles; `file` is for error messages.
    ///
    /// # Errors
    /// If it is no baseline, or names what does not exist.
    pub fn parse(text: &str, file: &Path, roles: &[Role]) -> Result<Self, BadBaseline> {
        let malformed = |span: Range<usize>, message: String| {
            let (line, column) = position(text, span);
            BadBaseline::Malformed {
                file: file.to_owned(),
                line,
                column,
                message,
            }
        };
        let written: Written = toml::from_str(text)
            .map_err(|error| malformed(error.span().unwrap_or(0..0), error.message().to_owned()))?;
        let mut entries: Vec<Entry> = Vec::new();
        for known in written.known {
            let span = known.span();
            let entry = Entry::of(known.into_inner(), roles)
                .map_err(|(span, message)| malformed(span, message))?;
            if entries
                .iter()
                .any(|other| other.is_about(entry.id, entry.role))
            {
                return Err(malformed(span, format!("`{}` is here twice", entry.id)));
            }
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// How an outcome of a check stands to what was expected.
    #[must_use]
    pub fn expectation(&self, check: &Check, outcome: &Outcome) -> Expectation {
        let entry = self
            .entries
            .iter()
            .find(|entry| entry.is_about(check.id, check.role));
        match (entry, outcome) {
            // A fault of the runner says nothing about the subject.
            (None, _) | (_, Outcome::Error(_)) => Expectation::Plain,
            (Some(entry), Outcome::Fail(failure)) if failure.reason == entry.reason => {
                Expectation::Known {
                    why: entry.why.clone(),
                }
            }
            (Some(entry), Outcome::Fail(_)) => Expectation::WrongReason {
                expected: entry.reason,
            },
            (Some(entry), _) if entry.flaky => Expectation::Plain,
            (Some(entry), _) => Expectation::Stale {
                expected: entry.reason,
            },
        }
    }

    /// The baseline that these results ask for. What it says about checks that were not run stays, and
    /// so does what its author says about those that were.
    #[must_use]
    pub fn renewed(&self, results: &[CheckResult]) -> Self {
        let was_run = |entry: &&Entry| {
            results
                .iter()
                .any(|result| entry.is_about(result.check.id, result.check.role))
        };
        let mut entries: Vec<Entry> = self
            .entries
            .iter()
            .filter(|entry| !was_run(entry))
            .cloned()
            .collect();
        for result in results {
            let (id, role) = (result.check.id, result.check.role);
            let before = self.entries.iter().find(|entry| entry.is_about(id, role));
            match &result.outcome {
                Outcome::Fail(failure) => entries.push(Entry {
                    id,
                    role,
                    reason: failure.reason,
                    flaky: before.is_some_and(|entry| entry.flaky),
                    why: before.map_or_else(String::new, |entry| entry.why.clone()),
                }),
                _ => entries.extend(before.filter(|entry| entry.flaky).cloned()),
            }
        }
        entries.sort_by_key(|entry| (entry.role, entry.id));
        Self { entries }
    }

    /// How many failures are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of a file with it.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# Failures that are known. A run with --baseline fails when one of them is gone, or has another reason.\n",
        );
        for entry in &self.entries {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n[[known]]\ncheck = {:?}\n", entry.id);
            if entry.role != Role::Plugin {
                let _ = writeln!(text, "role = {:?}", entry.role.key());
            }
            let _ = writeln!(text, "reason = {:?}", entry.reason.as_str());
            if entry.flaky {
                text.push_str("flaky = true\n");
            }
            let _ = writeln!(text, "why = {}", toml::Value::String(entry.why.clone()));
        }
        text
    }
}

impl Entry {
    /// The entry that is meant.
    fn of(written: WrittenEntry, roles: &[Role]) -> Result<Self, (Range<usize>, String)> {
        let id = written.check.get_ref();
        let checks = checks::all().filter(|check| {
            check.id == *id
                && roles.contains(&check.role)
                && written.role.is_none_or(|role| role == check.role)
        });
        let checks: Vec<&Check> = checks.collect();
        let check = match checks[..] {
            [check] => check,
            [] => {
                let what = format!("there is no check `{id}` here: `conformance list` shows them");
                return Err((written.check.span(), what));
            }
            _ => {
                let roles: Vec<&str> = checks.iter().map(|check| check.role.key()).collect();
                let roles = roles.join("\" or role = \"");
                let what = format!("`{id}` is the id of two checks: add role = \"{roles}\"");
                return Err((written.check.span(), what));
            }
        };
        let code = written.reason.get_ref();
        let reason = Reason::ALL.iter().find(|reason| reason.as_str() == code);
        let Some(reason) = reason.copied() else {
            let what = format!("`{code}` is no reason; a report of the failure names its own");
            return Err((written.reason.span(), what));
        };
        Ok(Self {
            id: check.id,
            role: check.role,
            reason,
            flaky: written.flaky,
            why: written.why,
        })
    }

    fn is_about(&self, id: &str, role: Role) -> bool {
        self.id == id && self.role == role
    }
}

impl Expectation {
    /// Whether it makes the run fail, given the outcome.
    #[must_use]
    pub const fn is_a_failure(&self, outcome: &Outcome) -> bool {
        match self {
            Self::Plain => matches!(outcome, Outcome::Fail(_)),
            Self::Known { .. } => false,
            Self::WrongReason { .. } | Self::Stale { .. } => true,
        }
    }

    /// What is to be said about it.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::Known { why } if why.is_empty() => Some("known".to_owned()),
            Self::Known { why } => Some(format!("known: {why}")),
            Self::WrongReason { expected } => Some(format!(
                "the baseline expects another reason: {}",
                expected.as_str()
            )),
            Self::Stale { expected } => Some(format!(
                "stale: the baseline expects a failure ({}); remove the entry",
                expected.as_str()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::checks::find;
    use crate::evidence::Evidence;
    use crate::outcome::Failure;
    use crate::report::Standing;

    const PLUGIN: &[Role] = &[Role::Plugin];

    const KNOWN: &str =
        "[[known]]\ncheck = \"LIF-001\"\nreason = \"still_running\"\nwhy = \"it \\\"waits\\\"\"\n";

    fn baseline(text: &str) -> Baseline {
        Baseline::parse(text, Path::new("b.toml"), PLUGIN).unwrap()
    }

    fn complaint(text: &str) -> String {
        let bad = Baseline::parse(text, Path::new("b.toml"), PLUGIN).unwrap_err();
        bad.to_string()
    }

    fn fail(reason: Reason) -> Outcome {
        Outcome::Fail(Failure::new(reason, "so"))
    }

    fn result(id: &str, outcome: Outcome) -> CheckResult {
        CheckResult {
            check: find(Role::Plugin, id).unwrap(),
            rounds: vec![Standing::of_outcome(&outcome)],
            outcome,
            expectation: Expectation::default(),
            took: Duration::ZERO,
            evidence: Evidence::default(),
            transcript_file: PathBuf::new(),
        }
    }

    #[test]
    fn a_known_failure_is_known_for_its_reason_alone() {
        let baseline = baseline(KNOWN);
        let check = find(Role::Plugin, "LIF-001").unwrap();
        let known = baseline.expectation(check, &fail(Reason::StillRunning));
        assert_eq!(known.remark().unwrap(), "known: it \"waits\"");
        assert!(!known.is_a_failure(&fail(Reason::StillRunning)));
        let crashed = fail(Reason::Crashed);
        let wrong = baseline.expectation(check, &crashed);
        assert!(wrong.is_a_failure(&crashed));
        assert!(wrong.remark().unwrap().contains("still_running"));
        for gone in [Outcome::pass(), Outcome::NotExercised("so".to_owned())] {
            let stale = baseline.expectation(check, &gone);
            assert!(stale.is_a_failure(&gone), "{gone:?}");
            assert!(stale.remark().unwrap().starts_with("stale"));
        }
        let other = find(Role::Plugin, "LIF-002").unwrap();
        let unknown = fail(Reason::StillRunning);
        assert!(baseline.expectation(other, &unknown).is_a_failure(&unknown));
        assert!(
            !baseline
                .expectation(other, &Outcome::pass())
                .is_a_failure(&Outcome::pass())
        );
        let error = Outcome::Error("so".to_owned());
        assert_eq!(baseline.expectation(check, &error), Expectation::Plain);
    }

    #[test]
    fn a_flaky_one_may_pass() {
        let baseline = baseline(&format!("{KNOWN}flaky = true\n"));
        let check = find(Role::Plugin, "LIF-001").unwrap();
        let passed = baseline.expectation(check, &Outcome::pass());
        assert!(!passed.is_a_failure(&Outcome::pass()));
        let crashed = fail(Reason::Crashed);
        assert!(baseline.expectation(check, &crashed).is_a_failure(&crashed));
    }

    #[test]
    fn a_mistake_is_shown_where_it_is() {
        let entry = |check: &str, reason: &str| {
            complaint(&format!(
                "[[known]]\ncheck = \"{check}\"\nreason = \"{reason}\"\n"
            ))
        };
        assert!(entry("LIF-999", "crashed").starts_with("b.toml:2:9: there is no check `LIF-999`"));
        assert!(entry("LIF-001", "meh").starts_with("b.toml:3:10: `meh` is no reason"));
        assert!(complaint(&format!("{KNOWN}{KNOWN}")).starts_with("b.toml:5:"));
        assert!(
            complaint("[[known]]\nchek = \"x\"\n").starts_with("b.toml:2:1: unknown field `chek`")
        );
        assert!(complaint("[[known]]\nreason = \"crashed\"\n").contains("missing field `check`"));
    }

    #[test]
    fn renewing_keeps_what_is_not_contradicted() {
        let before = baseline(&format!(
            "{KNOWN}\n[[known]]\ncheck = \"LIF-002\"\nreason = \"crashed\"\n\n[[known]]\ncheck = \"FRM-016\"\nreason = \"not_a_command\"\n"
        ));
        let results = [
            result("LIF-001", fail(Reason::StillRunning)),
            result("LIF-002", Outcome::pass()),
            result("VER-005", fail(Reason::WrongVersion)),
        ];
        let after = before.renewed(&results);
        assert_eq!(after.len(), 3);
        let again = baseline(&after.to_toml());
        assert_eq!(again.entries, after.entries);
        let ids: Vec<_> = again.entries.iter().map(|entry| entry.id).collect();
        assert_eq!(ids, ["FRM-016", "LIF-001", "VER-005"]);
        assert_eq!(again.entries[1].why, "it \"waits\"");
        assert!(Baseline::default().renewed(&[]).is_empty());
    }
}
