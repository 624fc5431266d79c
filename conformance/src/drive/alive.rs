//! Waits that last for as long as the subject shows signs of life. A decoder may think for long about
//! much input, and says what it likes when it likes.

use std::io;
use std::time::{Duration, Instant};

use super::{Driver, Patience, TICK};
use crate::stimulus::Chunk;
use crate::transcript::Happening;

/// How much the slowest runtimes decode in a second.
const BYTES_PER_SECOND: u64 = 1 << 18;

/// What is granted at most for much input.
const MOST_THINKING: Duration = Duration::from_secs(20);

/// How soon the runner looks again whether its last byte was read, at first. It then looks less and
/// less often: who has not begun to read is still starting.
const LOOK: Duration = Duration::from_micros(200);

impl Driver<'_> {
    /// Writes a chunk; goes on only when all of it is read, if `until_taken`.
    pub(super) fn send_chunk(&mut self, chunk: Chunk, until_taken: bool) -> io::Result<()> {
        let (unit, total) = (chunk.unit(), chunk.total_bytes());
        let length = self.timeout();
        let mut sent = 0;
        let all = self.while_alive(length, |driver| {
            let from = (sent % unit.len().max(1) as u64) as usize;
            if sent < total {
                sent += driver.turn(&unit[from..], TICK)? as u64;
            }
            Ok(sent == total)
        })?;
        self.record(Happening::SentChunk { chunk, sent });
        let unsent = if all && until_taken {
            self.wait_until_read(length)?
        } else {
            total - sent
        };
        self.explain_short(unsent);
        Ok(())
    }

    /// Waits until all that was written is read; says how much is not.
    fn wait_until_read(&mut self, length: Duration) -> io::Result<u64> {
        // Nothing tells that a pipe was emptied: one has to look.
        let mut look = LOOK;
        self.while_alive(length, |driver| {
            driver.turn(&[], look)?;
            look = (2 * look).min(TICK / 2);
            Ok(driver.has_taken_all())
        })?;
        Ok(self.running.unread().unwrap_or(0))
    }

    /// Waits for the end of the subject. Whoever has to think about much before its first word is given
    /// time for it.
    pub(super) fn wait_for_last_word(&mut self) -> io::Result<bool> {
        let thinking = Duration::from_secs(self.written / BYTES_PER_SECOND).min(MOST_THINKING);
        self.while_alive(self.timeout() + thinking, |driver| {
            driver.turn(&[], TICK)?;
            Ok(driver.running.exit().is_some())
        })
    }

    /// Takes turns until one of them says that it was the last, but no longer than `length` after the
    /// last byte that the subject read or wrote.
    fn while_alive(
        &mut self,
        length: Duration,
        mut turn: impl FnMut(&mut Self) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let mut signs = self.signs_of_life();
        let mut last_sign = Instant::now();
        let mut patience: Option<Patience> = None;
        while !self.is_over() {
            if turn(self)? {
                return Ok(true);
            }
            let now = self.signs_of_life();
            if now != signs {
                (signs, last_sign, patience) = (now, Instant::now(), None);
            } else if last_sign.elapsed() > TICK
                && patience
                    .get_or_insert_with(|| Patience::new(length))
                    .is_over(&self.running)
            {
                return Ok(false);
            }
        }
        Ok(self.running.exit().is_some())
    }

    /// What changes while the subject reads or writes.
    fn signs_of_life(&self) -> (u64, u64, Option<u64>) {
        (self.written, self.heard, self.running.unread())
    }
}
