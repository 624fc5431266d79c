//! Performs the steps of a check against one running subject and writes down what happens.
//!
//! One thread per check, one loop: every wait moves bytes both ways, so neither side can hold up the
//! other unless a check wants it so.

mod alive;
mod barrier;
mod patience;
mod preflight;
mod replay;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nightcrow_protocol::{PaneOutput, Version};
use patience::Patience;
pub use preflight::preflight;
pub use replay::{Cue, Replayed, replay};

use crate::profile::{Act, PaneRef};
use crate::stage::{Deed, Stage};
use crate::stimulus::{Burst, EventLine, PlayedHost, Step};
use crate::subject::{CannotStart, Running, Subject};
use crate::transcript::{Happening, Sample, Terms, Transcript};

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

impl Deadlines {
    /// How patient the runner is unless told otherwise.
    pub const DEFAULT: Self = Self {
        startup: Duration::from_secs(10),
        timeout: Duration::from_secs(5),
        grace: Duration::from_secs(2),
        check: Duration::from_secs(60),
    };

    /// The options of the command line that say the same; none for what is as by default.
    #[must_use]
    pub fn options(&self) -> Vec<OsString> {
        let default = Self::DEFAULT;
        let options = [
            ("--startup-timeout", self.startup, default.startup),
            ("--timeout", self.timeout, default.timeout),
            ("--check-timeout", self.check, default.check),
            ("--close-grace", self.grace, default.grace),
        ];
        let said = options
            .into_iter()
            .filter(|(_, time, default)| time != default);
        said.flat_map(|(option, time, _)| [option.into(), format!("{}ms", time.as_millis()).into()])
            .collect()
    }
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
}

/// How soon the runner looks again at what nothing announces: that a pipe was emptied, or, on some
/// systems, that the subject ended.
const TICK: Duration = Duration::from_millis(10);

/// The longest that one turn waits: how late an interruption may be noticed.
const LONGEST_TURN: Duration = Duration::from_millis(100);

/// The longest that one turn of this subject waits.
const fn longest_turn(running: &Running) -> Duration {
    if running.announces_its_end() {
        LONGEST_TURN
    } else {
        TICK
    }
}

/// Sets up the stage of a profile, performs what `play` makes of it against a fresh process of
/// `subject`, ends that, and returns what happened.
///
/// # Errors
/// If the subject did not start, the stimulus does not pass its own check, or the system failed.
pub fn perform(
    subject: &Subject,
    play: impl FnOnce(&PlayedHost) -> Vec<Step>,
    deadlines: Deadlines,
    interrupted: &AtomicBool,
) -> Result<Transcript, Fault> {
    let stage = Stage::new(&subject.profile)?;
    let steps = play(&stage.host());
    self_check(&steps)?;
    let mut driver = Driver::new(subject.start(&stage)?, &stage, deadlines, interrupted);
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

fn output(pane: PaneRef, text: &str) -> EventLine {
    let PaneRef { token, generation } = pane;
    let text = text.into();
    EventLine::new(
        &PaneOutput {
            v: Version,
            token,
            generation,
            text,
        }
        .into(),
    )
}

struct Driver<'a> {
    running: Running,
    stage: &'a Stage,
    transcript: Transcript,
    started: Instant,
    deadlines: Deadlines,
    interrupted: &'a AtomicBool,
    /// Nothing more can be sent: nobody reads stdin, or nobody did for too long.
    stdin_is_dead: bool,
    out_of_time: bool,
    /// Something that the profile wants did not work: what follows would mean nothing.
    act_failed: bool,
    /// An answer was waited for and did not come.
    was_unanswered: bool,
    /// The entry at which the last step that was no wait began.
    last_done: usize,
    /// Bytes written to stdin.
    written: u64,
    /// Bytes heard on both output streams.
    heard: u64,
}

impl<'a> Driver<'a> {
    fn new(
        running: Running,
        stage: &'a Stage,
        deadlines: Deadlines,
        interrupted: &'a AtomicBool,
    ) -> Self {
        Self {
            running,
            stage,
            last_done: 0,
            transcript: Transcript::on(Terms::of(stage.profile(), &stage.place().marker)),
            started: Instant::now(),
            deadlines,
            interrupted,
            stdin_is_dead: false,
            out_of_time: false,
            act_failed: false,
            was_unanswered: false,
            written: 0,
            heard: 0,
        }
    }

    fn step(&mut self, step: Step) -> io::Result<()> {
        if !matches!(step, Step::Await(_)) {
            self.last_done = self.transcript.entries().len();
        }
        match step {
            Step::Act(Act::Output(text), pane) => {
                let text = text.fill(self.stage.place(), Some(pane));
                self.send(&output(pane, &text))
            }
            Step::Act(act, pane) => self.act(&act, pane),
            Step::Watch(length) => self.watch(length),
            Step::Send(line) => self.send(&line),
            Step::SendBurst(burst) => self.send_burst(&burst),
            Step::SendChunk { chunk, until_taken } => self.send_chunk(chunk, until_taken),
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

    /// Does what a profile wants, and waits until it is done.
    fn act(&mut self, act: &Act, pane: PaneRef) -> io::Result<()> {
        let (what, fault) = match self.stage.begin(act, pane) {
            Ok(mut deed) => {
                let fault = self.see_through(&mut deed)?;
                (deed.what().to_owned(), fault)
            }
            Err(fault) => (String::from("an act of the profile"), Some(fault)),
        };
        self.act_failed |= fault.is_some();
        self.record(Happening::Did { what, fault });
        Ok(())
    }

    /// Moves bytes until a deed is done; says why it is not.
    fn see_through(&mut self, deed: &mut Deed) -> io::Result<Option<String>> {
        let mut patience = Patience::new(self.timeout());
        loop {
            match deed.poll() {
                Some(result) => return Ok(result.err()),
                None if self.is_over() || patience.is_over(&self.running) => {
                    return Ok(Some("it was not done before the timeout".to_owned()));
                }
                None => self.turn(&[], TICK)?,
            };
        }
    }

    fn record(&mut self, what: Happening) {
        self.transcript.record(self.started.elapsed(), what);
    }

    /// Moves bytes for one turn; says how many of `write` were taken.
    fn turn(&mut self, write: &[u8], at_most: Duration) -> io::Result<usize> {
        let at_most = at_most.min(longest_turn(&self.running));
        let turn = self.running.turn(write, at_most)?;
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
            || self.act_failed
            || self.stdin_is_dead
            || self.running.exit().is_some()
            || self.is_interrupted()
    }

    /// Whether somebody wants all of this to end now.
    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
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
            let patience = patience.get_or_insert_with(|| Patience::new(length));
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
        while !self.running.has_no_more_to_say()
            && Instant::now() < patience
            && !self.is_interrupted()
        {
            let turn = self.running.turn(&[], TICK)?;
            let at = self.started.elapsed();
            self.transcript.record_stdout(at, &turn.stdout);
            self.transcript.record_stderr(at, &turn.stderr);
        }
        if self.is_interrupted() {
            return Err(Fault::Interrupted);
        }
        Ok(self.transcript)
    }
}
