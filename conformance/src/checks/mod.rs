//! The checks: for each one a stimulus and a judge.
//!
//! A judge is a pure function of what happened, so its tests need no process.

pub mod decoder;
mod plugin;

use std::fmt;

pub(crate) use plugin::{BUSY_WINDOWS, QUIET_WINDOW, is_busy, is_quiet, is_whole};

use decoder::{Direction, Exam};

use crate::explore::Seeds;
use crate::outcome::{Judgement, Outcome};
use crate::spec::{self, Requirement};
use crate::stimulus::{PlayedHost, Step};
use crate::subject::{Subject, can_measure};
use crate::transcript::Transcript;

/// One check.
#[derive(Debug)]
pub struct Check {
    /// Its id, such as `FRM-016`: never used for anything else again, but shared by the roles in which
    /// the same rule is tested.
    pub id: &'static str,
    /// The rule in a few words.
    pub title: &'static str,
    /// How much it matters.
    pub level: Level,
    /// When it is run.
    pub tier: Tier,
    /// What it tests.
    pub role: Role,
    /// The number of the requirement that it proves.
    pub proves: &'static str,
    /// What is done to the subject, in words.
    pub stimulus: &'static str,
    /// What passes, in words.
    pub accepted: &'static str,
    /// What has to be there.
    pub needs: Needs,
    /// How it is done.
    pub test: Test,
}

/// What is done to the subject, and what is made of it.
#[derive(Debug)]
pub enum Test {
    /// An exchange with a plugin, whose host the runner plays.
    Plugin {
        /// Makes the stimulus.
        play: fn(&PlayedHost) -> Vec<Step>,
        /// Judges the transcript.
        judge: fn(&Transcript) -> Judgement,
    },
    /// Random histories, which an [`Explorer`](crate::explore::Explorer) plays to a plugin.
    Explored {
        /// Which ones.
        seeds: Seeds,
        /// Judges the transcript of any of them.
        judge: fn(&Transcript) -> Judgement,
    },
    /// A stream of bytes for a decoder.
    Decoder(Exam),
}

/// What has to be there for a check to mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// The system's figures about processes.
    Figures,
    /// A profile that says what makes the plugin type.
    Input,
    /// A profile that says how the plugin is signalled.
    Signal,
}

/// What kind of program a check tests.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A plugin.
    Plugin,
    /// The decoder of a host, which reads commands.
    CommandDecoder,
    /// The decoder of a plugin, which reads events.
    EventDecoder,
}

/// How much of the checks is run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The rules, one by one: quick enough for every commit.
    Core,
    /// Load, pressure and random histories as well.
    Full,
}

/// How much a check matters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Recorded, never judged.
    Info,
    /// Breaking it needs a good reason.
    Should,
    /// Breaking it breaks the contract.
    Must,
}

/// The checks of one role, in the order of the catalogue.
#[must_use]
pub fn of(role: Role) -> &'static [&'static Check] {
    match role {
        Role::Plugin => &plugin::ALL,
        Role::CommandDecoder => decoder::of(Direction::Commands),
        Role::EventDecoder => decoder::of(Direction::Events),
    }
}

/// Every check, role by role.
pub fn all() -> impl Iterator<Item = &'static Check> {
    Role::ALL.iter().flat_map(|role| of(*role)).copied()
}

/// The check of this role with this id.
#[must_use]
pub fn find(role: Role, id: &str) -> Option<&'static Check> {
    of(role).iter().copied().find(|check| check.id == id)
}

impl Check {
    /// The requirement that it proves.
    ///
    /// # Panics
    /// If the specification has none of that number; a test sees to it that it has.
    #[must_use]
    pub fn requirement(&self) -> &'static Requirement {
        spec::requirement(self.proves).expect("every check proves a numbered requirement")
    }

    /// What a judgement comes to, as the whole transcript shows.
    #[must_use]
    pub fn outcome(&self, judgement: Judgement, transcript: &Transcript) -> Outcome {
        if let Some((what, fault)) = transcript.failed_act() {
            let what = format!("the profile's stimulus failed: {what}: {fault}");
            return Outcome::NotExercised(what);
        }
        match judgement.unwrap_or_else(Outcome::Fail) {
            // What it wrote, it wrote.
            Outcome::Fail(failure) if failure.stdout_offset.is_some() => Outcome::Fail(failure),
            // To be slow is no fault.
            _ if transcript.ran_out_of_time() => Outcome::NotExercised(
                "the time for the whole check was over before its end; --check-timeout gives more"
                    .to_owned(),
            ),
            outcome => outcome,
        }
    }

    /// Why it cannot be put to this subject.
    #[must_use]
    pub fn is_moot_for(&self, subject: &Subject) -> Option<Outcome> {
        let profile = &subject.profile;
        let lacks = match self.needs {
            Needs::Nothing => return None,
            Needs::Figures if can_measure() => return None,
            Needs::Figures => {
                let what = "this system does not tell about the memory and CPU time of processes";
                return Some(Outcome::NotApplicable(what.to_owned()));
            }
            Needs::Input => profile.input.is_none().then_some("[input]"),
            Needs::Signal => profile.signal.is_none().then_some("[signal]"),
        }?;
        Some(match subject.profile_file {
            Some(_) => Outcome::NotApplicable(format!("the profile has no {lacks}")),
            None => Outcome::NotExercised(format!(
                "nobody said what makes the plugin act: a profile with {lacks} does (--profile)"
            )),
        })
    }

    /// The name of the file for its transcript in one of so many rounds.
    #[must_use]
    pub fn file_name(&self, rounds: usize, round: usize) -> String {
        let mut name = self.id.to_owned();
        if let Some(direction) = self.role.direction() {
            name = format!("{name}.{}", direction.argument());
        }
        if rounds > 1 {
            name = format!("{name}.{}", round + 1);
        }
        format!("{name}.ndjson")
    }

    /// What it is about: the group under which reports show it.
    #[must_use]
    pub fn group(&self) -> &'static str {
        match &self.id[..3] {
            "FRM" => "Framing",
            "LIM" => "Limits",
            "JSN" => "JSON",
            "SHP" => "Shape",
            "VER" => "Version",
            "WAT" => "Watching",
            "EVT" => "Privacy",
            "NUM" | "TOK" | "ATT" => "Members",
            _ => "Life and load",
        }
    }
}

impl Level {
    /// The word used in the specification.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::Info => "INFO",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Core => "core",
            Self::Full => "full",
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Role {
    /// Every role.
    pub const ALL: &[Self] = &[Self::Plugin, Self::CommandDecoder, Self::EventDecoder];

    /// The word for it in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plugin => "plugin",
            Self::CommandDecoder => "command decoder",
            Self::EventDecoder => "event decoder",
        }
    }

    /// The word for it in data.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Plugin => "plugin",
            Self::CommandDecoder => "command-decoder",
            Self::EventDecoder => "event-decoder",
        }
    }

    /// What it reads, if it is a decoder.
    #[must_use]
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Self::Plugin => None,
            Self::CommandDecoder => Some(Direction::Commands),
            Self::EventDecoder => Some(Direction::Events),
        }
    }

    /// The task of the command line that runs its checks.
    #[must_use]
    pub const fn task(self) -> &'static str {
        match self {
            Self::Plugin => "run",
            Self::CommandDecoder | Self::EventDecoder => "decode",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_check_says_what_it_is_about_in_words_of_its_own() {
        for role in Role::ALL {
            let titles: HashSet<_> = of(*role).iter().map(|check| check.title).collect();
            assert_eq!(titles.len(), of(*role).len(), "{}", role.as_str());
        }
        for check in all() {
            for words in [check.title, check.stimulus, check.accepted] {
                assert!(!words.is_empty(), "{}", check.id);
            }
        }
    }

    #[test]
    fn each_check_has_an_id_of_its_own_in_its_role_and_a_requirement() {
        let ids: HashSet<_> = all().map(|check| (check.role, check.id)).collect();
        assert_eq!(ids.len(), all().count());
        for role in Role::ALL {
            assert!(of(*role).iter().all(|check| check.role == *role));
        }
        for check in all() {
            assert_eq!(check.requirement().id, check.proves, "{}", check.id);
        }
    }
}
