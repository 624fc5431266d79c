use std::io::BufRead;
use std::sync::Arc;

use super::{Finding, Linter, Severity};
use crate::recording::{Awaited, BadRecording, Did, Entry, Reader, Source, What};
use crate::traffic::{Direction, Lines};

/// How many lines a linter has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines to the plugin.
    pub events: u64,
    /// Lines from the plugin.
    pub commands: u64,
}

/// Judges a whole recording.
///
/// In the recording of a check the runner plays the host, and whatever that does wrong is a stimulus:
/// what is found there are notes.
///
/// # Errors
/// If it turns out to be no recording.
pub fn lint<R: BufRead>(
    recording: Reader<R>,
    linter: Linter,
    report: impl FnMut(Finding),
) -> Result<Counts, BadRecording> {
    let mut recorded = Recorded {
        events: Lines::new(Direction::In),
        commands: Lines::new(Direction::Out),
        linter,
        is_check: matches!(recording.header().source, Source::Check { .. }),
        waiting: Vec::new(),
        is_cut: false,
        report,
    };
    for entry in recording {
        recorded.add(entry?);
    }
    Ok(recorded.end())
}

struct Recorded<F> {
    events: Lines,
    commands: Lines,
    linter: Linter,
    is_check: bool,
    /// What the plugin said since the last thing that it cannot have been an answer to what follows.
    waiting: Vec<Arc<[u8]>>,
    /// The end of stdout is not the plugin's doing.
    is_cut: bool,
    report: F,
}

impl<F: FnMut(Finding)> Recorded<F> {
    fn add(&mut self, entry: Entry) {
        match entry.what {
            What::In {
                bytes, repeated_to, ..
            } => {
                self.hear_events(&bytes, repeated_to.unwrap_or(bytes.len() as u64));
                self.hear_waiting();
            }
            // A check writes down what it sent when all of it was taken, and an answer to the beginning
            // may have come by then.
            What::Out { bytes, .. } if self.is_check => self.waiting.push(bytes),
            What::Out { bytes, .. } => self.hear_commands(&bytes),
            What::Err(_) => {}
            What::Run(did) => {
                self.hear_waiting();
                self.happened(&did);
            }
        }
    }

    fn happened(&mut self, did: &Did) {
        match did {
            Did::Awaited {
                barrier: Awaited::Settled,
                met: true,
                ..
            } => self.linter.plugin_has_read_all(),
            Did::Lost { r#in, out } => {
                self.linter.lose();
                if *r#in > 0 {
                    self.events.lose(*r#in);
                }
                if *out > 0 {
                    self.commands.lose(*out);
                    self.is_cut = true;
                }
            }
            Did::Killed | Did::StdoutClosed => self.is_cut = true,
            Did::Awaited { .. }
            | Did::Stalled { .. }
            | Did::StdinBroken
            | Did::StdinClosed
            | Did::StdoutHeld { .. }
            | Did::StdoutReleased
            | Did::StdoutEnded
            | Did::Acted { .. }
            | Did::Sampled(_)
            | Did::QuietWindow(_)
            | Did::Exited { .. }
            | Did::OutOfTime => {}
        }
    }

    /// Hears a cycle over and over, until so many bytes were heard.
    fn hear_events(&mut self, cycle: &[u8], total: u64) {
        let Self {
            events,
            linter,
            is_check,
            report,
            ..
        } = self;
        let mut report = |finding: Finding| {
            let severity = match *is_check {
                true => Severity::Note,
                false => finding.severity,
            };
            report(Finding {
                severity,
                ..finding
            });
        };
        let mut left = total;
        while left > 0 {
            let length = usize::try_from(left).map_or(cycle.len(), |left| left.min(cycle.len()));
            events.hear(&cycle[..length], |line| linter.judge(line, &mut report));
            left -= length as u64;
        }
    }

    fn hear_waiting(&mut self) {
        for bytes in std::mem::take(&mut self.waiting) {
            self.hear_commands(&bytes);
        }
    }

    fn hear_commands(&mut self, bytes: &[u8]) {
        let Self {
            commands,
            linter,
            report,
            ..
        } = self;
        commands.hear(bytes, |line| linter.judge(line, &mut *report));
    }

    fn end(mut self) -> Counts {
        self.hear_waiting();
        let Self {
            mut events,
            mut commands,
            mut linter,
            is_check,
            is_cut,
            mut report,
            ..
        } = self;
        if !is_check {
            events.end(|line| linter.judge(line, &mut report));
        }
        if !is_cut {
            commands.end(|line| linter.judge(line, &mut report));
        }
        Counts {
            events: events.count(),
            commands: commands.count(),
        }
    }
}
