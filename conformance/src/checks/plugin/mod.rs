//! The checks of plugins: what a host may do to them, and what it then has to see.

mod conduct;
mod explored;
mod framing;
mod lifecycle;
mod limits;
mod load;
mod panes;
mod pressure;
mod privacy;
mod restraint;
mod tolerance;
mod version;
mod watching;

pub(crate) use load::{BUSY_WINDOWS, QUIET_WINDOW, is_busy, is_quiet, is_whole};

use super::{Check, Level, Needs, Role, Test, Tier};
use crate::outcome::{Failure, Outcome, Reason};
use crate::stimulus::{PlayedHost, Step};
use crate::transcript::{Exit, Transcript};

/// Every check of plugins, in the order of the catalogue.
pub(super) static ALL: [&Check; 28] = [
    &framing::ONLY_LINES,
    &framing::CLEAN_LINES,
    &framing::FLUSHED,
    &framing::STDERR,
    &limits::WITHIN_LIMITS,
    &limits::LONGEST_LINE,
    &limits::OVERLONG_LINE,
    &tolerance::UNKNOWN_EVENT,
    &tolerance::UNKNOWN_MEMBERS,
    &version::OWN_VERSION,
    &version::OTHER_VERSION,
    &lifecycle::ENDS_ON_SHUTDOWN,
    &lifecycle::ENDS_ON_EOF,
    &lifecycle::KNOWN_PANES,
    &panes::NOTHING_AFTER_CLOSED,
    &panes::INPUT_TO_THE_LIVING,
    &panes::NEWEST_GENERATION,
    &restraint::A_PERSON_TAKES_OVER,
    &restraint::SILENCE_IS_AN_ANSWER,
    &load::FLOOD,
    &pressure::CLOSED_STDOUT,
    &pressure::SLOW_READER,
    &load::STEADY,
    &pressure::UNREAD_STDOUT,
    &explored::RANDOM_HISTORIES,
    &watching::UNANSWERED_WATCH,
    &watching::SIGNAL_IS_KEPT,
    &privacy::NOTHING_PRIVATE,
];

/// Text that makes plugins act: a prompt, a usage limit, and characters that naive readers split on.
const TALK: &str =
    "Usage limit reached, resets at 5pm.\r\n\u{2028}\u{85}한국어 😀\r\nPress Enter to continue";

/// Every kind of pane event once and more, as one pane's life, with all that makes the plugin act.
fn lifecycle(host: &PlayedHost) -> Vec<Step> {
    let mut pane = host.pane();
    let mut steps = vec![
        Step::Send(pane.opened()),
        Step::Send(pane.output(TALK)),
        Step::Send(pane.idle()),
    ];
    for _ in 0..2 {
        steps.extend(host.arm(&mut pane));
        steps.extend(host.fire(&mut pane));
        steps.extend(host.await_slow_action(&pane));
        steps.push(Step::Send(pane.user_input()));
    }
    steps.extend(host.exit(&mut pane));
    steps.extend(host.await_slow_action(&pane));
    steps.push(Step::Send(pane.opened()));
    steps.extend(host.arm(&mut pane));
    steps.extend(host.fire(&mut pane));
    steps.extend(host.exit(&mut pane));
    steps.push(Step::Send(pane.closed()));
    steps
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

/// No signal ended the subject.
fn did_not_crash(transcript: &Transcript) -> Result<(), Failure> {
    match transcript.exit() {
        Some((_, exit @ Exit::Signal(_))) => {
            let what = format!("it was ended by {exit}");
            Err(Failure::new(Reason::Crashed, what))
        }
        _ => Ok(()),
    }
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
    use std::collections::HashMap;

    use nightcrow_protocol::{EventKind, decode_event};

    use super::*;
    use crate::checks::find;
    use crate::profile::{Place, Profile};
    use crate::transcript::Happening;
    use crate::transcript::script::Script;

    fn play(check: &Check) -> Vec<Step> {
        let Test::Plugin { play, .. } = check.test else {
            // Histories have tests of their own.
            return Vec::new();
        };
        let profile = std::sync::Arc::new(Profile::example());
        play(&PlayedHost::on(Place::nowhere(), profile))
    }

    fn verdict(check: &Check, transcript: &Transcript) -> Outcome {
        let Test::Plugin { judge, .. } = check.test else {
            panic!("{} is about a plugin", check.id)
        };
        check.outcome(judge(transcript), transcript)
    }

    #[test]
    fn a_check_without_time_proves_nothing_but_what_was_written() {
        let check = find(Role::Plugin, "LIF-002").unwrap();
        let slow = Script::new().happens(Happening::OutOfTime).stdin_closed();
        let outcome = verdict(check, &slow.killed().done());
        assert!(matches!(outcome, Outcome::NotExercised(_)), "{outcome:?}");
        let check = find(Role::Plugin, "FRM-016").unwrap();
        let slow = Script::new()
            .says("hello\n")
            .happens(Happening::OutOfTime)
            .stdin_closed();
        assert!(matches!(
            verdict(check, &slow.killed().done()),
            Outcome::Fail(_)
        ));
    }

    #[test]
    fn every_line_of_every_stimulus_checks_itself() {
        for check in ALL {
            for step in play(check) {
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
            for step in play(check) {
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
