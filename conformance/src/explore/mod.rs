//! Random histories: what a host may do to a plugin, in orders that nobody thought of.
//!
//! A [`History`] is plain data, made from a seed, and whatever is taken out of it, what is left is a
//! history that a host could have sent. Many of them are played to one process at a time, since most of
//! the time goes into starting it and waiting until it has settled. If it then breaks the contract, the
//! guilty histories are found by leaving out others, and what is left is shrunk, each time with a fresh
//! process, until nothing can be spared.

mod finding;
mod generate;
mod history;
mod pin;
mod play;
mod provoked;
mod shrink;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use nightcrow_protocol::PaneToken;

pub use finding::{Certainty, Finding, Occurrence};
pub use history::{Deed, Form, History, Move, Words};
use pin::Again;
pub use provoked::Provoked;

use crate::checks::Check;
use crate::drive::{self, Deadlines, Fault};
use crate::outcome::{Judgement, Outcome};
use crate::subject::Subject;
use crate::transcript::Transcript;

/// How many histories are played to one process.
pub const TOGETHER: u64 = 50;

/// How many processes are started at most to shrink one history.
const TRIALS: usize = 200;

/// Histories by their seeds, which follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// The first one.
    pub first: u64,
    /// How many.
    pub count: u64,
}

impl Seeds {
    fn histories(self) -> Vec<History> {
        let seeds = (0..self.count).map(|offset| self.first.wrapping_add(offset));
        seeds.map(History::of_seed).collect()
    }

    /// The same in portions that are played together.
    pub fn portions(self) -> impl Iterator<Item = Self> {
        let firsts = (0..self.count).step_by(TOGETHER as usize);
        firsts.map(move |offset| Self {
            first: self.first.wrapping_add(offset),
            count: TOGETHER.min(self.count - offset),
        })
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--seed {} --histories {}", self.first, self.count)
    }
}

/// Plays histories to a plugin and judges what it does.
#[derive(Debug, Clone, Copy)]
pub struct Explorer<'a> {
    /// The plugin.
    pub subject: &'a Subject,
    /// The check that this is for.
    pub check: &'static Check,
    /// What it says of a transcript.
    pub judge: fn(&Transcript) -> Judgement,
    /// How long the runner is patient. What is said of a check holds for playing the histories and,
    /// once more, for shrinking one.
    pub deadlines: Deadlines,
    /// Whether somebody wants it to stop.
    pub interrupted: &'a AtomicBool,
}

/// What came of playing histories to one process.
#[derive(Debug)]
pub struct Trial {
    /// The verdict.
    pub outcome: Outcome,
    /// What happened.
    pub transcript: Transcript,
    /// What it made the plugin do.
    pub provoked: Provoked,
}

impl Explorer<'_> {
    /// Plays all of these histories, until the first failure, which is pinned down.
    ///
    /// # Errors
    /// If the plugin cannot be started, the system failed, or somebody interrupted.
    pub fn explore(&self, seeds: Seeds) -> Result<(Outcome, Transcript), Fault> {
        let until = Instant::now() + self.deadlines.check;
        let (mut provoked, mut last) = (Provoked::default(), Transcript::default());
        for portion in seeds.portions() {
            let trial = self.play(portion, until)?;
            provoked.add(&trial.provoked);
            match trial.outcome {
                Outcome::Pass { .. } => last = trial.transcript,
                Outcome::Fail(failure) => {
                    let transcript = trial.transcript;
                    let occurrence = Occurrence {
                        failure,
                        transcript,
                    };
                    let finding = self.pin_down(portion, occurrence)?;
                    let failure = finding.told();
                    return Ok((Outcome::Fail(failure), finding.occurrence.transcript));
                }
                outcome @ (Outcome::NotApplicable(_)
                | Outcome::NotExercised(_)
                | Outcome::Error(_)) => return Ok((outcome, trial.transcript)),
            }
        }
        Ok((provoked.outcome(), last))
    }

    /// Plays histories together to one process.
    ///
    /// # Errors
    /// As [`Explorer::explore`].
    pub fn play(&self, seeds: Seeds, until: Instant) -> Result<Trial, Fault> {
        let histories = seeds.histories();
        let (transcript, panes) = self.perform(&History::merged(&histories), until)?;
        Ok(Trial {
            outcome: self.verdict(&transcript),
            provoked: Provoked::by(&histories, &transcript, &panes),
            transcript,
        })
    }

    /// Finds out what of these histories it takes to break the contract as they did.
    ///
    /// # Errors
    /// As [`Explorer::explore`].
    pub fn pin_down(&self, seeds: Seeds, occurrence: Occurrence) -> Result<Finding, Fault> {
        let reason = occurrence.failure.reason;
        let until = Instant::now() + self.deadlines.check;
        let mut trials = 0;
        pin::pin_down(seeds, occurrence, |history| {
            trials += 1;
            if trials > TRIALS || Instant::now() >= until {
                return Ok(Again::NoTime);
            }
            let (transcript, _) = self.perform(history, until)?;
            Ok(match self.verdict(&transcript) {
                Outcome::Fail(failure) if failure.reason == reason => {
                    Again::Same(Box::new(Occurrence {
                        failure,
                        transcript,
                    }))
                }
                Outcome::NotExercised(_) if transcript.ran_out_of_time() => Again::NoTime,
                Outcome::Pass { .. }
                | Outcome::Fail(_)
                | Outcome::NotApplicable(_)
                | Outcome::NotExercised(_)
                | Outcome::Error(_) => Again::Other,
            })
        })
    }

    fn verdict(&self, transcript: &Transcript) -> Outcome {
        self.check.outcome((self.judge)(transcript), transcript)
    }

    fn perform(
        &self,
        history: &History,
        until: Instant,
    ) -> Result<(Transcript, HashMap<PaneToken, usize>), Fault> {
        let mut panes = HashMap::new();
        let deadlines = Deadlines {
            check: until.saturating_duration_since(Instant::now()),
            ..self.deadlines
        };
        let play = |host: &_| play::play(history, host, &mut panes);
        let transcript = drive::perform(self.subject, play, deadlines, self.interrupted)?;
        Ok((transcript, panes))
    }
}
