use std::io;
use std::time::{Duration, Instant};

use nightcrow_protocol::PaneToken;

use super::{Driver, Patience, TICK};
use crate::checks::{BUSY_WINDOWS, QUIET_WINDOW, is_busy, is_quiet, is_whole};
use crate::stimulus::Barrier;
use crate::subject::can_measure;
use crate::transcript::{Figures, Happening, QuietWindow};

/// For how long somebody who has settled says nothing and wants no CPU.
pub(super) const SETTLED: Duration = Duration::from_millis(250);

/// What a settled subject may still use in that time: housekeeping of a runtime, and the grain of
/// the system's clock.
const SETTLED_CPU: Duration = Duration::from_millis(10);

/// How many quiet windows there are at most, most of them cut short.
const MOST_WINDOWS: usize = 3 * BUSY_WINDOWS;

/// How long one of them may last on a machine that is busy.
const LONGEST_WINDOW: Duration = QUIET_WINDOW.saturating_mul(20);

impl Driver<'_> {
    /// Waits; says whether it came.
    pub(super) fn wait_for(&mut self, barrier: Barrier) -> io::Result<bool> {
        let timeout = self.timeout();
        match barrier {
            Barrier::Taken => self.until_taken(timeout),
            Barrier::Command => self.until(timeout, |driver| {
                driver.transcript.commands().next().is_some()
            }),
            Barrier::Settled => self.until_settled_or(|_| false),
            Barrier::Exit => self.wait_for_exit(),
            Barrier::Action { token, within } => self.wait_for_action(token, within),
            Barrier::LastWord => self.wait_for_last_word(),
            Barrier::Alike { token, like } => self.wait_for_alike(token, like),
            Barrier::Answer { token, or_settled } => self.wait_for_answer(token, or_settled),
        }
    }

    /// Waits for the end of the subject for as long as the grace is.
    pub(super) fn wait_for_exit(&mut self) -> io::Result<bool> {
        let mut patience = Patience::new(self.deadlines.grace);
        while self.running.exit().is_none()
            && !patience.is_over(&self.running)
            && !self.is_interrupted()
        {
            let left = patience.left();
            self.turn(&[], left)?;
        }
        Ok(self.running.exit().is_some())
    }

    fn wait_for_answer(&mut self, token: PaneToken, or_settled: bool) -> io::Result<bool> {
        let answered = move |driver: &Self| {
            driver
                .transcript
                .commands()
                .any(|(_, c)| c.token() == Some(token))
        };
        if or_settled || self.was_unanswered {
            self.until_settled_or(answered)?;
        } else {
            self.until(self.timeout(), answered)?;
        }
        let met = answered(self);
        self.was_unanswered |= !met;
        Ok(met)
    }

    fn wait_for_action(&mut self, token: PaneToken, within: Option<Duration>) -> io::Result<bool> {
        let since = self.last_done;
        let acted = move |driver: &Self| driver.transcript.actions(token, since).next().is_some();
        match within {
            Some(within) => self.until(within, acted),
            None => {
                self.until_settled_or(acted)?;
                Ok(acted(self))
            }
        }
    }

    /// Waits for all kinds of commands that had come about another pane when the same wait for that one
    /// was over: there, whatever a timer brought has come, or was cut off by the next event.
    fn wait_for_alike(&mut self, token: PaneToken, like: PaneToken) -> io::Result<bool> {
        let this = Barrier::Alike { token, like };
        let is_same = |barrier| matches!(barrier, Barrier::Action { token, .. } if token == like);
        let nth = self.transcript.waits_for(|barrier| barrier == this).count();
        let same = self.transcript.waits_for(is_same).nth(nth);
        let wanted = self.transcript.kinds_about(like, same);
        let said = |driver: &Self| wanted.is_subset(&driver.transcript.kinds_about(token, None));
        if !self.transcript.waited_in_vain_for(this) {
            let slow = self.stage.profile().timing.within.unwrap_or_default();
            self.until(self.timeout().max(slow), said)?;
        }
        Ok(said(self))
    }

    /// Waits until `came`, but no longer than `length` or until the check is over.
    fn until(&mut self, length: Duration, came: impl Fn(&Self) -> bool) -> io::Result<bool> {
        let mut patience = Patience::new(length);
        while !came(self) {
            if self.is_over() || patience.is_over(&self.running) {
                return Ok(false);
            }
            let left = patience.left();
            self.turn(&[], left)?;
        }
        Ok(true)
    }

    /// Waits until the subject has read what was written, but no longer than `length`.
    fn until_taken(&mut self, length: Duration) -> io::Result<bool> {
        let mut patience = Patience::new(length);
        while !self.has_taken_all() {
            if self.is_over() || patience.is_over(&self.running) {
                return Ok(false);
            }
            self.turn(&[], patience.left().min(TICK))?;
        }
        Ok(true)
    }

    pub(super) fn has_taken_all(&self) -> bool {
        self.running.unread().unwrap_or(0) == 0
    }

    /// Waits until the subject has settled, or `came`.
    fn until_settled_or(&mut self, came: impl Fn(&Self) -> bool) -> io::Result<bool> {
        let mut patience = Patience::new(self.timeout());
        while !self.is_over() && !came(self) {
            let (heard, before) = (self.heard, self.running.figures());
            self.watch(SETTLED)?;
            let after = self.running.figures();
            if self.heard == heard && self.has_taken_all() && is_at_rest(before, after) {
                return Ok(true);
            }
            if patience.is_over(&self.running) {
                break;
            }
        }
        Ok(false)
    }

    /// Watches the subject, a window at a time, until it is quiet or has shown that it is not.
    pub(super) fn watch_quiet(&mut self) -> io::Result<()> {
        let mut busy = 0;
        for _ in 0..MOST_WINDOWS {
            let Some(window) = self.watch_window()? else {
                return Ok(());
            };
            self.record(Happening::QuietWindow(window));
            busy += usize::from(is_busy(&window));
            if is_quiet(&window) || busy == BUSY_WINDOWS || self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Watches the subject for a window; what there is to say about that, if the system tells.
    fn watch_window(&mut self) -> io::Result<Option<QuietWindow>> {
        let (started, before) = (Instant::now(), self.running.figures());
        let mut missing = QUIET_WINDOW;
        loop {
            self.watch(missing)?;
            let (Some(before), Some(after)) = (before, self.running.figures()) else {
                return Ok(None);
            };
            let window = QuietWindow {
                length: started.elapsed(),
                cpu: after.cpu.saturating_sub(before.cpu),
                waited: after.waited.saturating_sub(before.waited),
            };
            if is_whole(&window) || window.length >= LONGEST_WINDOW || self.is_over() {
                return Ok(Some(window));
            }
            missing = QUIET_WINDOW.saturating_sub(window.length.saturating_sub(window.waited));
        }
    }

    /// Moves bytes for this long.
    pub(super) fn watch(&mut self, length: Duration) -> io::Result<()> {
        let until = Instant::now() + length;
        while Instant::now() < until && !self.is_over() {
            self.turn(&[], until.saturating_duration_since(Instant::now()))?;
        }
        Ok(())
    }
}

/// Whether the subject slept between the two looks. Where the system does not tell, silence must do.
pub(super) fn is_at_rest(before: Option<Figures>, after: Option<Figures>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return !can_measure();
    };
    let used = after.cpu.saturating_sub(before.cpu);
    let waited = after.waited.saturating_sub(before.waited);
    before.processes == after.processes
        && after.asleep
        && used <= SETTLED_CPU
        && waited <= SETTLED_CPU
}
