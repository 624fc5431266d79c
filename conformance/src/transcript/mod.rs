//! Everything that happened between the runner and one subject, in order.
//!
//! Judges see nothing else. What the subject wrote is kept byte for byte; what the runner sent is kept
//! whole for a single line and in short form for a burst.

mod lines;
#[cfg(test)]
pub(crate) mod script;
mod store;

use std::ops::Range;
use std::time::Duration;

use memchr::memchr_iter;

pub use lines::StdoutLine;
use serde::{Deserialize, Serialize};
pub use store::entries;

use crate::profile::Profile;
use crate::recording::seconds;
use crate::stimulus::{Barrier, BurstSummary, Chunk, EventLine};

/// The record of one check.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// What was said about the subject before it began.
    pub terms: Terms,
    entries: Vec<Entry>,
    stdout: Stream,
    stderr: Stream,
}

/// What judges have to know of the stage and its profile.
#[derive(Debug, Clone)]
pub struct Terms {
    /// A word that must never come back.
    pub marker: String,
    /// How often the same command may be sent to no effect.
    pub attempts: usize,
    /// How many panes may be asked for at once.
    pub pending: usize,
    /// How long the subject waits before it asks for the same pane again.
    pub cooldown: Duration,
    /// Whether the profile says what the occasion is to do what a signal asks for.
    pub has_occasion: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self::of(&Profile::default(), "marker")
    }
}

impl Terms {
    /// What a profile says.
    #[must_use]
    pub fn of(profile: &Profile, marker: &str) -> Self {
        let signal = profile.signal.as_ref();
        Self {
            marker: marker.to_owned(),
            attempts: profile.attempts(),
            pending: signal.map_or(usize::MAX, |signal| signal.pending),
            cooldown: signal.map_or(Duration::ZERO, |signal| signal.cooldown),
            has_occasion: signal.is_none_or(|signal| !signal.fire.is_empty()),
        }
    }
}

/// Something that happened, and when.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Since the subject was started.
    pub at: Duration,
    /// What it was.
    pub what: Happening,
}

/// What can happen.
#[derive(Debug, Clone)]
pub enum Happening {
    /// The runner wrote one line to the subject's stdin.
    SentLine(EventLine),
    /// The runner wrote many lines to the subject's stdin.
    SentBurst(BurstSummary),
    /// The runner did something in or around a pane, as its profile says.
    Did {
        /// What, in words.
        what: String,
        /// Why it did not work, if it did not.
        fault: Option<String>,
    },
    /// The runner wrote bytes that need not be lines to the subject's stdin.
    SentChunk {
        /// The bytes.
        chunk: Chunk,
        /// How many of them were taken.
        sent: u64,
    },
    /// The subject took no byte for the whole patience; this many of what was being sent were left.
    Stalled {
        /// Bytes that did not fit into the pipe any more.
        unsent: u64,
    },
    /// The subject closed its stdin, or died, with bytes still to come.
    StdinBroken,
    /// The runner closed the subject's stdin.
    StdinClosed,
    /// The subject wrote these bytes of its stdout.
    Stdout(Range<usize>),
    /// The subject wrote these bytes of its stderr.
    Stderr(Range<usize>),
    /// The runner stopped reading stdout, whose pipe holds this many bytes at most.
    StdoutHeld {
        /// Capacity of the pipe.
        capacity: usize,
    },
    /// The runner reads stdout again.
    StdoutReleased,
    /// The runner closed the read end of stdout.
    StdoutClosed,
    /// The runner waited for something, which came or did not come before the deadline.
    Awaited {
        /// What it waited for.
        barrier: Barrier,
        /// Whether it came.
        met: bool,
    },
    /// The runner looked at the subject.
    Sampled(Sample),
    /// The runner watched the subject while there was nothing to do.
    QuietWindow(QuietWindow),
    /// The subject ended, with this many bytes of its stdin never read.
    Exited {
        /// How.
        exit: Exit,
        /// Unread bytes of stdin, where the system tells.
        unread: Option<u64>,
    },
    /// The runner ended the subject, because it did not end itself.
    Killed,
    /// The time for the whole check was over.
    OutOfTime,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

/// A look at the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Bytes that wait in the stdout pipe.
    pub stdout_waiting: u64,
    /// Bytes that wait in the stdin pipe, where the system tells.
    pub stdin_unread: Option<u64>,
    /// The processes' own figures, where the system tells.
    pub figures: Option<Figures>,
}

/// What the system says about the subject's processes, all of them together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// How many processes.
    pub processes: usize,
    /// Resident memory in bytes.
    pub resident: u64,
    /// CPU time used.
    #[serde(with = "seconds")]
    pub cpu: Duration,
    /// Time spent waiting for a CPU.
    #[serde(with = "seconds")]
    pub waited: Duration,
    /// Open file descriptors.
    pub descriptors: usize,
    /// Whether every thread sleeps.
    pub asleep: bool,
}

/// How busy the subject was while there was nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuietWindow {
    /// How long the runner watched.
    #[serde(with = "seconds")]
    pub length: Duration,
    /// CPU time used.
    #[serde(with = "seconds")]
    pub cpu: Duration,
    /// Time spent waiting for a CPU.
    #[serde(with = "seconds")]
    pub waited: Duration,
}

/// Bytes of one stream of the subject.
#[derive(Debug, Clone, Default)]
struct Stream {
    bytes: Vec<u8>,
    /// Everything received, also what was not kept.
    received: u64,
    /// How many LF were received, kept or not.
    line_ends: u64,
    /// The last bytes received, if not everything was kept.
    end: Vec<u8>,
}

/// How much of a stream is kept; what comes after is only counted.
const KEPT_BYTES: usize = 8 << 20;

/// How much of the end of a longer stream is kept as well.
const KEPT_END_BYTES: usize = 4 << 10;

impl Stream {
    fn push(&mut self, chunk: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        let kept = chunk.len().min(KEPT_BYTES - start);
        self.bytes.extend_from_slice(&chunk[..kept]);
        self.received += chunk.len() as u64;
        self.line_ends += memchr_iter(b'\n', chunk).count() as u64;
        if self.is_cut() {
            self.keep_end(chunk);
        }
        start..start + kept
    }

    fn keep_end(&mut self, chunk: &[u8]) {
        self.end
            .extend_from_slice(&chunk[chunk.len().saturating_sub(KEPT_END_BYTES)..]);
        self.end
            .drain(..self.end.len().saturating_sub(KEPT_END_BYTES));
    }

    fn is_cut(&self) -> bool {
        self.received > self.bytes.len() as u64
    }
}

impl Transcript {
    /// An empty one.
    #[must_use]
    pub fn on(terms: Terms) -> Self {
        Self {
            terms,
            ..Self::default()
        }
    }

    /// Writes down what happened.
    pub fn record(&mut self, at: Duration, what: Happening) {
        self.entries.push(Entry { at, what });
    }

    /// Writes down what the subject wrote to its stdout.
    pub fn record_stdout(&mut self, at: Duration, chunk: &[u8]) {
        let range = self.stdout.push(chunk);
        if !range.is_empty() {
            self.record(at, Happening::Stdout(range));
        }
    }

    /// Writes down what the subject wrote to its stderr.
    pub fn record_stderr(&mut self, at: Duration, chunk: &[u8]) {
        let range = self.stderr.push(chunk);
        if !range.is_empty() {
            self.record(at, Happening::Stderr(range));
        }
    }

    /// What happened, in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The subject's stdout.
    #[must_use]
    pub fn stdout(&self) -> &[u8] {
        &self.stdout.bytes
    }

    /// The subject's stderr.
    #[must_use]
    pub fn stderr(&self) -> &[u8] {
        &self.stderr.bytes
    }

    /// Whether the subject wrote more to its stdout than is kept of it.
    #[must_use]
    pub fn stdout_is_cut(&self) -> bool {
        self.stdout.is_cut()
    }

    /// How many LF the subject wrote to its stdout, kept or not.
    #[must_use]
    pub const fn stdout_line_ends(&self) -> u64 {
        self.stdout.line_ends
    }

    /// The last few kilobytes of the subject's stdout, if not all of it is kept.
    #[must_use]
    pub fn stdout_end(&self) -> &[u8] {
        &self.stdout.end
    }

    /// How many bytes the subject wrote to its stderr, kept or not.
    #[must_use]
    pub const fn stderr_received(&self) -> u64 {
        self.stderr.received
    }

    /// The first entry for which `is` holds.
    pub fn position(&self, is: impl Fn(&Happening) -> bool) -> Option<usize> {
        self.entries.iter().position(|entry| is(&entry.what))
    }

    /// How the subject ended by itself, and at which entry.
    #[must_use]
    pub fn exit(&self) -> Option<(usize, Exit)> {
        self.entries
            .iter()
            .enumerate()
            .find_map(|(index, entry)| match entry.what {
                Happening::Exited { exit, .. } => Some((index, exit)),
                _ => None,
            })
    }

    /// Whether the runner had to end the subject.
    #[must_use]
    pub fn was_killed(&self) -> bool {
        self.position(|what| matches!(what, Happening::Killed))
            .is_some()
    }

    /// The entry at which the host first told the subject to end: `shutdown`, or end of stdin.
    #[must_use]
    pub fn told_to_end(&self) -> Option<usize> {
        self.position(|what| match what {
            Happening::StdinClosed => true,
            Happening::SentLine(line) => line.is_shutdown(),
            _ => false,
        })
    }

    /// The entry at which the subject was gone although nobody had told it to end.
    #[must_use]
    pub fn ended_early(&self) -> Option<usize> {
        let gone = self
            .position(|what| matches!(what, Happening::Exited { .. } | Happening::StdinBroken))?;
        let told = self.told_to_end().unwrap_or(usize::MAX);
        (gone < told).then_some(gone)
    }

    /// The entry at which the subject had stopped reading for the whole patience.
    #[must_use]
    pub fn stalled(&self) -> Option<usize> {
        self.position(|what| matches!(what, Happening::Stalled { .. }))
    }

    /// Whether the time for the whole check was over before its last step.
    #[must_use]
    pub fn ran_out_of_time(&self) -> bool {
        self.position(|what| matches!(what, Happening::OutOfTime))
            .is_some()
    }

    /// The entries at which waits of a kind were over.
    pub fn waits_for(&self, is: impl Fn(Barrier) -> bool) -> impl Iterator<Item = usize> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(move |(index, entry)| match entry.what {
            Happening::Awaited { barrier, .. } => is(barrier).then_some(index),
            _ => None,
        })
    }

    /// Whether a barrier was not met before its deadline.
    #[must_use]
    pub fn waited_in_vain_for(&self, awaited: Barrier) -> bool {
        let vain = |what: &Happening| matches!(what, Happening::Awaited { barrier, met: false } if *barrier == awaited);
        self.position(vain).is_some()
    }

    /// Something that the profile wants and that did not work, with the reason.
    #[must_use]
    pub fn failed_act(&self) -> Option<(&str, &str)> {
        self.entries.iter().find_map(|entry| match &entry.what {
            Happening::Did {
                what,
                fault: Some(fault),
            } => Some((what.as_str(), fault.as_str())),
            _ => None,
        })
    }

    /// The samples, in order.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            Happening::Sampled(sample) => Some(sample),
            _ => None,
        })
    }

    /// The quiet windows, in order.
    pub fn quiet_windows(&self) -> impl Iterator<Item = &QuietWindow> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            Happening::QuietWindow(window) => Some(window),
            _ => None,
        })
    }

    /// The single lines sent, with their entries.
    pub fn sent_lines(&self) -> impl Iterator<Item = (usize, &EventLine)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| match &entry.what {
                Happening::SentLine(line) => Some((index, line)),
                _ => None,
            })
    }

    /// How many bytes the subject had written to stderr before an entry.
    #[must_use]
    pub fn stderr_before(&self, entry: usize) -> usize {
        let mut before = self.entries[..entry].iter().rev();
        before
            .find_map(|entry| match &entry.what {
                Happening::Stderr(range) => Some(range.end),
                _ => None,
            })
            .unwrap_or(0)
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => write!(f, "signal {number} ({name})"),
                None => write!(f, "signal {number}"),
            },
        }
    }
}

fn signal_name(number: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let named = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::TERM, "SIGTERM"),
    ];
    named
        .into_iter()
        .find(|(signal, _)| signal.as_raw() == number)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::Script;

    #[test]
    fn a_flood_is_counted_but_not_kept() {
        let mut stream = Stream::default();
        let chunk = vec![b'x'; KEPT_BYTES - 1];
        assert_eq!(stream.push(&chunk), 0..KEPT_BYTES - 1);
        assert!(!stream.is_cut());
        assert_eq!(stream.push(b"abc"), KEPT_BYTES - 1..KEPT_BYTES);
        assert!(stream.is_cut());
        assert!(stream.push(b"\nde\n").is_empty());
        assert_eq!(stream.received, KEPT_BYTES as u64 + 6);
        assert_eq!(stream.line_ends, 2);
        assert_eq!(stream.end, b"abc\nde\n");
        stream.push(&chunk);
        assert_eq!(stream.end, b"x".repeat(KEPT_END_BYTES));
    }

    #[test]
    fn early_means_before_anybody_said_so() {
        assert!(Script::new().exits(0).done().ended_early().is_some());
        assert!(
            Script::new()
                .stdin_closed()
                .exits(0)
                .done()
                .ended_early()
                .is_none()
        );
        assert!(
            Script::new()
                .shutdown()
                .exits(1)
                .done()
                .ended_early()
                .is_none()
        );
        assert!(
            Script::new()
                .stdin_closed()
                .killed()
                .done()
                .ended_early()
                .is_none()
        );
    }

    #[test]
    fn names_signals() {
        assert_eq!(Exit::Signal(9).to_string(), "signal 9 (SIGKILL)");
        assert_eq!(Exit::Signal(64).to_string(), "signal 64");
        assert_eq!(Exit::Status(3).to_string(), "status 3");
    }
}
