//! What a run came to, for people and for programs.
//!
//! Every report is made of the same [`Report`]. What the subject wrote has been escaped before a report
//! sees it; what its markup gives a meaning to, each report escapes itself.

mod case;
mod destination;
mod escape;
mod github;
#[cfg(test)]
mod golden;
mod html;
mod json;
mod junit;
mod kind;
mod markdown;
mod pretty;
mod standing;
mod tap;

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

pub use destination::Destination;
pub use escape::{escape, printable};
pub use json::{SCHEMA, json};
pub use kind::{Kind, Wanted};
pub use pretty::Pretty;
pub(crate) use pretty::wrap;
pub use standing::Standing;

use crate::checks::Role;
use crate::run::{CheckResult, INTERRUPTED, Verdict};
use crate::subject::{Subject, shell_words};
use case::Case;

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
    /// Selected checks that were not done, because an earlier one failed or somebody interrupted.
    pub not_started: usize,
    /// Whether the run ended before it should have.
    pub interrupted: bool,
    /// All of it in a word.
    pub verdict: Verdict,
    /// When the first check was started.
    pub started: SystemTime,
    /// How long all of it took.
    pub took: Duration,
    /// Where the transcripts are.
    pub folder: &'a Path,
    /// The reports that were asked for.
    pub wanted: &'a [Wanted],
}

impl Report<'_> {
    /// The status with which the runner ends.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        if self.interrupted {
            INTERRUPTED
        } else {
            self.verdict.exit_code()
        }
    }

    /// The command that runs one check again.
    fn again(&self, case: &Case<'_>) -> String {
        let check = case.check;
        let mut words: Vec<OsString> = ["conformance", check.role.task(), "--only", check.id]
            .map(OsString::from)
            .into();
        if let Some(direction) = check.role.direction() {
            words.extend(["--direction".into(), direction.argument().into()]);
        }
        words.extend_from_slice(self.options);
        let mut command = shell_words(&words);
        for (name, _) in &self.subject.env {
            // Values may be secrets, and reports are passed on: whoever has the variable can run this.
            let option = shell_words(&["--env".into(), name.clone()]);
            let name = shell_words(std::slice::from_ref(name));
            command += &format!(" {option}=\"${{{name}}}\"");
        }
        if !self.subject.written.is_empty() {
            command += " -- ";
            command += &shell_words(&self.subject.written);
        }
        command
    }

    fn cases(&self) -> impl Iterator<Item = Case<'_>> {
        self.results.iter().map(Case::of)
    }

    /// The cases under the name of what they are about, in the order of the catalogue.
    fn groups(&self) -> Vec<(&'static str, Vec<Case<'_>>)> {
        let mut groups: Vec<(&'static str, Vec<_>)> = Vec::new();
        for case in self.cases() {
            match groups.last_mut() {
                Some((group, cases)) if *group == case.check.group() => cases.push(case),
                _ => groups.push((case.check.group(), vec![case])),
            }
        }
        groups
    }

    /// Whether nothing speaks against the subject but that it no longer fails as its baseline says.
    fn is_only_stale(&self) -> bool {
        let counts = Counts::of(self.results);
        self.verdict == Verdict::Nonconformant && counts.fail == 0
    }

    /// The verdict in a word, for people.
    fn word(&self) -> &'static str {
        match self.is_only_stale() {
            true => "BASELINE OUT OF DATE",
            false => self.verdict.word(),
        }
    }

    /// What the verdict means.
    fn sentence(&self) -> &'static str {
        match self.is_only_stale() {
            true => "Failures that the baseline names are gone: `--write-baseline` renews it.",
            false => self.verdict.sentence(),
        }
    }

    /// How often each check was put to the subject, if more than once, and what came of that.
    fn rounds(&self) -> Option<String> {
        let rounds = self.results.iter().map(|result| result.rounds.len()).max();
        let rounds = rounds.filter(|rounds| *rounds > 1)?;
        let unsteady = self.results.iter().filter(|result| result.is_unsteady());
        let unsteady: Vec<&str> = unsteady.map(|result| result.check.id).collect();
        Some(match unsteady[..] {
            [] => format!("{rounds} of each check, and no verdict changed"),
            _ => format!(
                "{rounds} of each check; the verdict changed on {}",
                unsteady.join(", ")
            ),
        })
    }

    /// What a run without a whole verdict wants to have said about it.
    fn caveat(&self) -> Option<String> {
        let more = match self.not_started {
            0 => {
                return self
                    .interrupted
                    .then(|| "the run was interrupted".to_owned());
            }
            1 => "1 more check was".to_owned(),
            many => format!("{many} more checks were"),
        };
        Some(match self.interrupted {
            true => format!("the run was interrupted: {more} not done"),
            false => format!("{more} not started after the first failure"),
        })
    }

    /// The folder of the results, as anybody may see it.
    fn folder(&self) -> String {
        escape(self.folder.as_os_str().as_bytes())
    }
}

/// A number of things whose plural is regular.
pub(crate) fn counted(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// How often each outcome came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// PASS
    pub pass: usize,
    /// FAIL
    pub fail: usize,
    /// STALE
    pub stale: usize,
    /// KNOWN
    pub known: usize,
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
            *counts.of_standing_mut(Standing::of(result)) += 1;
        }
        counts
    }

    /// How many results stand like this.
    #[must_use]
    pub fn get(mut self, standing: Standing) -> usize {
        *self.of_standing_mut(standing)
    }

    const fn of_standing_mut(&mut self, standing: Standing) -> &mut usize {
        match standing {
            Standing::Pass => &mut self.pass,
            Standing::Fail => &mut self.fail,
            Standing::Stale => &mut self.stale,
            Standing::Known => &mut self.known,
            Standing::NotApplicable => &mut self.not_applicable,
            Standing::NotExercised => &mut self.not_exercised,
            Standing::Error => &mut self.error,
        }
    }
}

/// All of them in words: `15 passed, 1 failed, …`
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = [
            Standing::Pass,
            Standing::Fail,
            Standing::NotExercised,
            Standing::NotApplicable,
            Standing::Error,
        ];
        for (index, standing) in order.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} {}", self.get(standing), standing.counted())?;
        }
        // Without a baseline there are none.
        for standing in [Standing::Known, Standing::Stale] {
            if self.get(standing) > 0 {
                write!(f, ", {} {}", self.get(standing), standing.counted())?;
            }
        }
        Ok(())
    }
}
