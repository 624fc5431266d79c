use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::barrier::{SETTLED, is_at_rest};
use super::{Deadlines, Fault, Patience, TICK, longest_turn};
use crate::stage::Stage;
use crate::subject::{Running, Subject};
use crate::traffic::{Direction, Lines, Message};

/// One thing to do again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cue {
    /// Wait until the subject has said this many commands, all in all.
    Await(u64),
    /// Write a cycle of bytes to its stdin, over and over, until so many bytes were taken.
    Send {
        /// One cycle.
        cycle: Arc<[u8]>,
        /// How many bytes.
        total: u64,
    },
    /// Stop reading its stdout.
    HoldStdout,
    /// Read its stdout again.
    ReleaseStdout,
    /// Close the read end of its stdout.
    CloseStdout,
    /// Close its stdin.
    CloseStdin,
}

/// What a subject said this time.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Its stdout, up to 64 MiB.
    pub stdout: Vec<u8>,
    /// Whether there was more.
    pub is_cut: bool,
    /// Whether something that it had said before was waited for in vain.
    pub was_unanswered: bool,
}

/// How much of stdout is kept.
const KEPT_BYTES: usize = 64 << 20;

/// Does the same to a fresh process of `subject` again, ends it, and returns what it said.
///
/// # Errors
/// If the subject cannot be started, the system failed, or somebody interrupted it.
pub fn replay(
    subject: &Subject,
    cues: &[Cue],
    deadlines: Deadlines,
    interrupted: &AtomicBool,
) -> Result<Replayed, Fault> {
    let stage = Stage::new(&subject.profile)?;
    let mut player = Player {
        running: subject.start(&stage)?,
        deadlines,
        interrupted,
        lines: Lines::new(Direction::Out),
        commands: 0,
        missing: 0,
        replayed: Replayed::default(),
        stdin_is_dead: false,
    };
    for cue in cues {
        player.perform(cue)?;
    }
    player.finish()
}

struct Player<'a> {
    running: Running,
    deadlines: Deadlines,
    interrupted: &'a AtomicBool,
    lines: Lines,
    /// How many commands it has said.
    commands: u64,
    replayed: Replayed,
    /// How many it did not say that it had said before.
    missing: u64,
    /// Nothing more can be sent.
    stdin_is_dead: bool,
}

impl Player<'_> {
    fn perform(&mut self, cue: &Cue) -> io::Result<()> {
        match cue {
            Cue::Await(commands) => self.await_commands(*commands)?,
            Cue::Send { cycle, total } => self.send(cycle, *total)?,
            Cue::HoldStdout => {
                self.running.hold_stdout()?;
            }
            Cue::ReleaseStdout => self.running.release_stdout(),
            Cue::CloseStdout => self.running.close_stdout(),
            Cue::CloseStdin => {
                self.running.close_stdin();
            }
        }
        Ok(())
    }

    /// What was waited for in vain is missing from then on, and so as not to wait in vain all the time,
    /// somebody who has settled is not waited for any longer after that.
    fn await_commands(&mut self, commands: u64) -> io::Result<()> {
        let wanted = commands.saturating_sub(self.missing);
        let mut patience = Patience::new(self.timeout());
        while self.commands < wanted {
            let gives_up = self.is_over()
                || patience.is_over(&self.running)
                || (self.replayed.was_unanswered && self.has_settled()?);
            if gives_up {
                self.missing += wanted - self.commands;
                self.replayed.was_unanswered = true;
                return Ok(());
            }
            self.turn(&[], patience.left())?;
        }
        Ok(())
    }

    /// Watches the subject until it says something, which is not settled, or for a little while.
    fn has_settled(&mut self) -> io::Result<bool> {
        let (heard, before) = (self.replayed.stdout.len(), self.running.figures());
        let until = Instant::now() + SETTLED;
        while Instant::now() < until {
            self.turn(&[], TICK)?;
            if self.replayed.stdout.len() > heard {
                return Ok(false);
            }
        }
        let has_taken_all = self.running.unread().unwrap_or(0) == 0;
        Ok(has_taken_all && is_at_rest(before, self.running.figures()))
    }

    fn send(&mut self, cycle: &[u8], total: u64) -> io::Result<()> {
        let mut sent = 0;
        let mut patience: Option<Patience> = None;
        while sent < total && !self.is_over() {
            let at = usize::try_from(sent % cycle.len() as u64).unwrap_or(0);
            let left = usize::try_from(total - sent).unwrap_or(usize::MAX);
            let piece = &cycle[at..];
            let wrote = self.turn(&piece[..piece.len().min(left)], TICK)?;
            sent += wrote as u64;
            if wrote > 0 {
                patience = None;
                continue;
            }
            let length = self.timeout();
            let patience = patience.get_or_insert_with(|| Patience::new(length));
            self.stdin_is_dead |= patience.is_over(&self.running);
        }
        Ok(())
    }

    /// Moves bytes for one turn; says how many of `write` were taken.
    fn turn(&mut self, write: &[u8], at_most: Duration) -> io::Result<usize> {
        let at_most = at_most.min(longest_turn(&self.running));
        let turn = self.running.turn(write, at_most)?;
        self.stdin_is_dead |= turn.stdin_broken;
        self.hear(&turn.stdout);
        Ok(turn.wrote)
    }

    fn hear(&mut self, bytes: &[u8]) {
        let commands = &mut self.commands;
        self.lines.hear(bytes, |line| {
            let is_command = matches!(line.message, Ok(Some(Message::Command(_))));
            *commands += u64::from(is_command);
        });
        let room = KEPT_BYTES - self.replayed.stdout.len();
        self.replayed.is_cut |= bytes.len() > room;
        self.replayed
            .stdout
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn timeout(&self) -> Duration {
        match self.lines.count() {
            0 => self.deadlines.startup.max(self.deadlines.timeout),
            _ => self.deadlines.timeout,
        }
    }

    fn is_over(&self) -> bool {
        self.stdin_is_dead
            || self.running.exit().is_some()
            || self.interrupted.load(Ordering::Relaxed)
    }

    fn finish(mut self) -> Result<Replayed, Fault> {
        self.running.release_stdout();
        self.running.close_stdin();
        let mut patience = Patience::new(self.deadlines.grace);
        while self.running.exit().is_none() && !patience.is_over(&self.running) {
            let left = patience.left();
            self.turn(&[], left)?;
        }
        self.running.kill();
        let until = Instant::now() + self.deadlines.grace;
        while !self.running.has_no_more_to_say() && Instant::now() < until {
            self.turn(&[], TICK)?;
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Fault::Interrupted);
        }
        Ok(self.replayed)
    }
}
