//! The checks: for each one a stimulus and a judge.
//!
//! A judge is a pure function of the transcript, so its tests need no process.

mod framing;
mod lifecycle;
mod limits;
mod load;
mod pressure;
mod version;

use std::fmt;

pub(crate) use load::{BUSY_WINDOWS, is_busy, is_quiet};

use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::spec::{self, Requirement};
use crate::stimulus::{EventLine, PlayedHost, Step};
use crate::transcript::{Exit, Transcript};

/// One check.
#[derive(Debug)]
pub struct Check {
    /// Its id, such as `FRM-016`; never used for anything else again.
    pub id: &'static str,
    /// The rule in a few words.
    pub title: &'static str,
    /// How much it matters.
    pub level: Level,
    /// The number of the requirement that it proves.
    pub proves: &'static str,
    /// What is done to the subject, in words.
    pub stimulus: &'static str,
    /// What passes, in words.
    pub accepted: &'static str,
    /// Whether it needs the system's figures about processes.
    pub needs_figures: bool,
    /// Makes the stimulus.
    pub play: fn(&PlayedHost) -> Vec<Step>,
    /// Judges the transcript.
    pub judge: fn(&Transcript) -> Judgement,
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

/// Every check, in the order of the catalogue.
pub static ALL: [&Check; 17] = [
    &framing::ONLY_LINES,
    &framing::CLEAN_LINES,
    &framing::FLUSHED,
    &framing::STDERR,
    &limits::WITHIN_LIMITS,
    &limits::LONGEST_LINE,
    &limits::OVERLONG_LINE,
    &version::OWN_VERSION,
    &version::OTHER_VERSION,
    &lifecycle::ENDS_ON_SHUTDOWN,
    &lifecycle::ENDS_ON_EOF,
    &lifecycle::KNOWN_PANES,
    &load::FLOOD,
    &pressure::CLOSED_STDOUT,
    &pressure::SLOW_READER,
    &load::STEADY,
    &pressure::UNREAD_STDOUT,
];

/// The check with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Check> {
    ALL.iter().copied().find(|check| check.id == id)
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

    /// The verdict on a transcript.
    #[must_use]
    pub fn judge(&self, transcript: &Transcript) -> Outcome {
        match (self.judge)(transcript).unwrap_or_else(Outcome::Fail) {
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

    /// What it is about: the group under which reports show it.
    #[must_use]
    pub fn group(&self) -> &'static str {
        match &self.id[..3] {
            "FRM" => "Framing",
            "LIM" => "Limits",
            "VER" => "Version",
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

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Text that makes plugins act: a prompt, a usage limit, and characters that naive readers split on.
const TALK: &str =
    "Usage limit reached, resets at 5pm.\r\n\u{2028}\u{85}한국어 😀\r\nPress Enter to continue";

/// Every kind of pane event once and more, as one pane's life.
fn lifecycle(host: &PlayedHost) -> Vec<EventLine> {
    let mut pane = host.pane();
    vec![
        pane.opened(),
        pane.output(TALK),
        pane.idle(),
        pane.user_input(),
        pane.output(TALK),
        pane.idle(),
        pane.exited(),
        pane.opened(),
        pane.output(TALK),
        pane.idle(),
        pane.exited(),
        pane.closed(),
    ]
}

/// The subject kept going until it was told to end.
fn stayed(transcript: &Transcript) -> Result<(), Failure> {
    let Some(entry) = transcript.ended_early() else {
        return Ok(());
    };
    let how = match transcript.exit() {
        Some((_, Exit::Signal(signal))) => {
            let what = format!(
                "it was ended by {} although nobody had told it to end",
                Exit::Signal(signal)
            );
            return Err(Failure::new(Reason::Crashed, what).after(entry));
        }
        Some((_, exit)) => format!("it ended with {exit} although nobody had told it to end"),
        None => "it closed its stdin although its host still had something to say".to_owned(),
    };
    Err(Failure::new(Reason::ExitedEarly, how).after(entry))
}

/// The subject ended by itself.
fn ended(transcript: &Transcript) -> Result<Exit, Failure> {
    transcript.exit().map(|(_, exit)| exit).ok_or_else(|| {
        Failure::new(
            Reason::StillRunning,
            "it had not ended when the grace was over, and was killed",
        )
    })
}

/// The subject took all that was sent.
fn kept_reading(transcript: &Transcript) -> Result<(), Failure> {
    let Some(entry) = transcript.stalled() else {
        return Ok(());
    };
    let what = "it stopped reading its stdin: no byte was taken until the timeout";
    Err(Failure::new(Reason::StoppedReading, what).after(entry))
}

/// What is said about a subject that did not live through a stimulus that is not about living.
fn cut_short(transcript: &Transcript) -> Option<Outcome> {
    let fault = stayed(transcript)
        .and_then(|()| kept_reading(transcript))
        .err()?;
    Some(Outcome::NotExercised(format!(
        "the stimulus was cut short: {}",
        fault.explanation
    )))
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use nightcrow_protocol::{EventKind, decode_event};

    use super::*;
    use crate::transcript::Happening;
    use crate::transcript::script::Script;

    #[test]
    fn each_check_has_an_id_of_its_own_and_a_requirement() {
        let ids: HashSet<_> = ALL.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for check in ALL {
            assert_eq!(check.requirement().id, check.proves, "{}", check.id);
        }
    }

    #[test]
    fn a_check_without_time_proves_nothing_but_what_was_written() {
        let check = find("LIF-002").unwrap();
        let slow = Script::new().happens(Happening::OutOfTime).stdin_closed();
        let outcome = check.judge(&slow.killed().done());
        assert!(matches!(outcome, Outcome::NotExercised(_)), "{outcome:?}");
        let check = find("FRM-016").unwrap();
        let slow = Script::new()
            .says("hello\n")
            .happens(Happening::OutOfTime)
            .stdin_closed();
        assert!(matches!(
            check.judge(&slow.killed().done()),
            Outcome::Fail(_)
        ));
    }

    #[test]
    fn every_line_of_every_stimulus_checks_itself() {
        for check in ALL {
            for step in (check.play)(&PlayedHost::new()) {
                match step {
                    Step::Send(line) => line.self_check().unwrap(),
                    Step::SendBurst(burst) => burst.self_check().unwrap(),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn every_stimulus_is_a_history_that_a_host_could_send() {
        for check in ALL {
            let mut history = History::default();
            for step in (check.play)(&PlayedHost::new()) {
                match step {
                    Step::Send(line) if line.breaks().is_none() => history.add(line.bytes()),
                    Step::SendBurst(burst) => {
                        let lines = burst.cycle().split_inclusive(|byte| *byte == b'\n');
                        lines.for_each(|line| history.add(line));
                    }
                    _ => {}
                }
            }
        }
    }

    /// What a plugin may rely on about the order of events.
    #[derive(Default)]
    struct History {
        panes: HashMap<String, (u32, EventKind)>,
        over: bool,
    }

    impl History {
        fn add(&mut self, line: &[u8]) {
            let event = decode_event(line.trim_ascii_end()).unwrap().unwrap();
            assert!(!self.over, "shutdown is the last event");
            let Some((token, generation)) = event.pane() else {
                self.over = true;
                return;
            };
            let before = self.panes.get(token.as_str()).copied();
            let generation = generation.get();
            match (event.kind(), before) {
                (EventKind::PaneOpened, None) => assert_eq!(generation, 1),
                (EventKind::PaneOpened, Some((last, EventKind::PaneExited))) => {
                    assert_eq!(generation, last + 1);
                }
                (EventKind::PaneClosed, Some((last, kind))) if kind != EventKind::PaneClosed => {
                    assert_eq!(generation, last);
                }
                (
                    EventKind::PaneIdle,
                    Some((
                        last,
                        EventKind::PaneOpened | EventKind::PaneOutput | EventKind::UserInput,
                    )),
                ) => {
                    assert_eq!(generation, last);
                }
                (
                    EventKind::PaneOutput | EventKind::UserInput | EventKind::PaneExited,
                    Some((last, kind)),
                ) if !matches!(kind, EventKind::PaneExited | EventKind::PaneClosed) => {
                    assert_eq!(generation, last);
                }
                (kind, before) => panic!("{kind:?} after {before:?}"),
            }
            self.panes
                .insert(token.as_str().to_owned(), (generation, event.kind()));
        }
    }
}
