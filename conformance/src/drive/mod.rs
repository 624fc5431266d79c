//! Performs the steps of a check against one running subject and writes down what happens.
//!
//! One thread per check, one loop: every wait moves bytes both ways, so neither side can hold up the
//! other unless a check wants it so.

mod barrier;
mod patience;
mod preflight;
mod replay;

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use patience::Patience;
pub use preflight::preflight;
pub use replay::{Cue, Replayed, replay};

use crate::stimulus::{Burst, EventLine, Step};
use crate::subject::{CannotStart, PrivateHome, Running, Subject};
use crate::transcript::{Happening, Sample, Transcript};

/// How long the runner is patient. All of these are upper bounds, never waits, and time for which the
/// subject wanted a CPU and got none does not count.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// For the subject to take its first byte.
    pub startup: Duration,
    /// For whatever the subject should do next.
    pub timeout: Duration,
    /// For the subject to end once it was told to.
    pub grace: Duration,
    /// For a whole check, before the subject is told to end.
    pub check: Duration,
}

/// Why there is no transcript.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The subject cannot be started.
    #[error(transparent)]
    CannotStart(#[from] CannotStart),
    /// The stimulus is not what it should be.
    #[error("{0}")]
    Stimulus(String),
    /// The system refused something.
    #[error("the system refused something that the runner needs: {0}")]
    System(#[from] io::Error),
    /// Somebody asked the runner to stop.
    #[error("interrupted")]
    Interrupted,
    /// A result cannot be shown.
    #[error("a result cannot be shown: {0}")]
    Unheard(#[source] io::Error),
}

/// The longest that one turn waits: how late an end may be noticed that nothing else announces.
const TICK: Duration = Duration::from_millis(10);

/// Performs `steps` against a fresh process of `subject`, ends it, and returns what happened.
///
/// # Errors
/// If the subject did not start, the stimulus does not pass its own check, or the system failed.
pub fn perform(
    subject: &Subject,
    steps: Vec<Step>,
    deadlines: Deadlines,
    interrupted: &AtomicBool,
) -> Result<Transcript, Fault> {
    self_check(&steps)?;
    let home = PrivateHome::new()?;
    let running = subject.start(home.path())?;
    let mut driver = Driver::new(running, deadlines, interrupted);
    for step in steps {
        if driver.is_over() {
            break;
        }
        driver.step(step)?;
    }
    driver.finish()
}

/// Every line that is sent must be well formed, or break the very rule that it is tagged with.
fn self_check(steps: &[Step]) -> Result<(), Fault> {
    let mut cycles = HashSet::new();
    let checked = steps.iter().try_for_each(|step| match step {
        Step::Send(line) => line.self_check(),
        Step::SendBurst(burst) if cycles.insert(burst.cycle()) => burst.self_check(),
        _ => Ok(()),
    });
    checked.map_err(Fault::Stimulus)
}

struct Driver<'a> {
    running: Running,
    transcript: Transcript,
    started: Instant,
    deadlines: Deadlines,
    interrupted: &'a AtomicBool,
    /// Nothing more can be sent: nobody reads stdin, or nobody did for too long.
    stdin_is_dead: bool,
    out_of_time: bool,
    /// An answer was waited for and did not come.
    was_unanswered: bool,
    /// Bytes written to stdin.
    written: u64,
    /// Bytes heard on both output streams.
    heard: u64,
}

impl<'a> Driver<'a> {
    fn new(running: Running, deadlines: Deadlines, interrupted: &'a AtomicBool) -> Self {
        Self {
            running,
            transcript: Transcript::default(),
            started: Instant::now(),
            deadlines,
            interrupted,
            stdin_is_dead: false,
            out_of_time: false,
            was_unanswered: false,
            written: 0,
            heard: 0,
        }
    }

    fn step(&mut self, step: Step) -> io::Result<()> {
        match step {
            Step::Send(line) => self.send(&line),
            Step::SendBurst(burst) => self.send_burst(&burst),
            Step::Await(barrier) => {
                let met = self.wait_for(barrier)?;
                self.record(Happening::Awaited { barrier, met });
                Ok(())
            }
            Step::Sample => {
                self.sample();
                Ok(())
            }
            Step::WatchQuiet => self.watch_quiet(),
            Step::HoldStdout => {
                let capacity = self.running.hold_stdout()?;
                self.record(Happening::StdoutHeld { capacity });
                Ok(())
            }
            Step::ReleaseStdout => {
                self.running.release_stdout();
                self.record(Happening::StdoutReleased);
                Ok(())
            }
            Step::CloseStdout => {
                self.running.close_stdout();
                self.record(Happening::StdoutClosed);
                Ok(())
            }
            Step::CloseStdin => {
                self.close_stdin();
                Ok(())
            }
        }
    }

    fn record(&mut self, what: Happening) {
        self.transcript.record(self.started.elapsed(), what);
    }

    /// Moves bytes for one turn; says how many of `write` were taken.
    fn turn(&mut self, write: &[u8], at_most: Duration) -> io::Result<usize> {
        let turn = self.running.turn(write, at_most.min(TICK))?;
        let at = self.started.elapsed();
        self.heard += (turn.stdout.len() + turn.stderr.len()) as u64;
        self.transcript.record_stdout(at, &turn.stdout);
        self.transcript.record_stderr(at, &turn.stderr);
        self.written += turn.wrote as u64;
        self.stdin_is_dead |= turn.stdin_broken;
        if let Some(exit) = turn.exit {
            let unread = self.running.unread();
            self.record(Happening::Exited { exit, unread });
        }
        Ok(turn.wrote)
    }

    /// How long to wait for what the subject should do next: longer while it may still be starting.
    fn timeout(&self) -> Duration {
        let has_begun = self.heard > 0
            || self
                .running
                .unread()
                .is_none_or(|unread| unread < self.written);
        if has_begun {
            self.deadlines.timeout
        } else {
            self.deadlines.startup.max(self.deadlines.timeout)
        }
    }

    /// Whether no further step makes sense.
    fn is_over(&mut self) -> bool {
        if !self.out_of_time && self.started.elapsed() > self.deadlines.check {
            self.out_of_time = true;
            self.record(Happening::OutOfTime);
        }
        self.out_of_time
            || self.stdin_is_dead
            || self.running.exit().is_some()
            || self.interrupted.load(Ordering::Relaxed)
    }

    fn send(&mut self, line: &EventLine) -> io::Result<()> {
        let bytes = line.bytes();
        let sent = self.write(bytes.len() as u64, |from| &bytes[from as usize..])?;
        if sent > 0 {
            self.record(Happening::SentLine(line.clone()));
        }
        self.explain_short(line.bytes().len() as u64 - sent);
        Ok(())
    }

    fn send_burst(&mut self, burst: &Burst) -> io::Result<()> {
        let (cycle, total) = (burst.cycle(), burst.total_bytes());
        let sent = self.write(total, |from| &cycle[(from % cycle.len() as u64) as usize..])?;
        self.record(Happening::SentBurst(burst.summary(sent)));
        self.explain_short(total - sent);
        Ok(())
    }

    /// Writes `total` bytes, of which `piece` gives some from a position on; says how many were taken.
    fn write<'b>(&mut self, total: u64, piece: impl Fn(u64) -> &'b [u8]) -> io::Result<u64> {
        let mut sent = 0;
        let mut patience: Option<Patience> = None;
        while sent < total && !self.is_over() {
            let wrote = self.turn(piece(sent), TICK)?;
            sent += wrote as u64;
            if wrote > 0 {
                patience = None;
                continue;
            }
            let length = self.timeout();
            let patience = patience.get_or_insert_with(|| Patience::new(length, &self.running));
            if patience.is_over(&self.running) {
                break;
            }
        }
        Ok(sent)
    }

    /// Writes down why not everything could be sent.
    fn explain_short(&mut self, unsent: u64) {
        if unsent == 0 || self.running.exit().is_some() {
            return;
        }
        if self.stdin_is_dead {
            self.record(Happening::StdinBroken);
        } else if !self.is_over() {
            self.stdin_is_dead = true;
            self.record(Happening::Stalled { unsent });
        }
    }

    fn sample(&mut self) {
        let sample = Sample {
            stdout_waiting: self.running.stdout_waiting(),
            stdin_unread: self.running.unread(),
            figures: self.running.figures(),
        };
        self.record(Happening::Sampled(sample));
    }

    fn close_stdin(&mut self) {
        if self.running.close_stdin() {
            self.record(Happening::StdinClosed);
        }
    }

    /// Tells the subject to end, ends it if it does not, and reads what it has left to say.
    fn finish(mut self) -> Result<Transcript, Fault> {
        self.running.release_stdout();
        if self.running.exit().is_none() {
            self.close_stdin();
            self.wait_for_exit()?;
        }
        if self.running.exit().is_none() {
            self.record(Happening::Killed);
        }
        self.running.kill();
        // Only somebody who was not found could still hold the pipes open.
        let patience = Instant::now() + self.deadlines.grace;
        while !self.running.has_no_more_to_say() && Instant::now() < patience {
            let turn = self.running.turn(&[], TICK)?;
            let at = self.started.elapsed();
            self.transcript.record_stdout(at, &turn.stdout);
            self.transcript.record_stderr(at, &turn.stderr);
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Fault::Interrupted);
        }
        Ok(self.transcript)
    }
}
