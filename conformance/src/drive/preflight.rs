use std::sync::atomic::AtomicBool;

use super::{Deadlines, Driver, Fault, Patience, TICK};
use crate::report::escape;
use crate::stage::Stage;
use crate::subject::{CannotStart, Subject};

/// Starts the subject once and greets it, to find out before any check whether it can be started at
/// all.
///
/// A subject that starts and then hangs, floods or ends early is for the checks to judge.
///
/// # Errors
/// If it cannot be started, or ended before it read its first byte.
pub fn preflight(
    subject: &Subject,
    greeting: &[u8],
    deadlines: Deadlines,
    interrupted: &AtomicBool,
) -> Result<(), Fault> {
    let stage = Stage::new(&subject.profile)?;
    let mut driver = Driver::new(subject.start(&stage)?, &stage, deadlines, interrupted);
    let mut sent = 0;
    let mut patience = Patience::new(deadlines.startup);
    loop {
        if sent < greeting.len() && !driver.stdin_is_dead {
            sent += driver.turn(&greeting[sent..], TICK)?;
        } else {
            driver.turn(&[], TICK)?;
        }
        // Where the system does not tell, nothing counts as read.
        let unread = driver.running.unread().unwrap_or(sent as u64);
        if unread < sent as u64 {
            return Ok(());
        }
        if let Some(exit) = driver.running.exit() {
            let last_words = last_line(driver.transcript.stderr());
            return Err(CannotStart::DiedUnread { exit, last_words }.into());
        }
        if driver.is_interrupted() {
            return Err(Fault::Interrupted);
        }
        if patience.is_over(&driver.running) {
            return Ok(());
        }
    }
}

fn last_line(stderr: &[u8]) -> String {
    let lines = stderr.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let last = lines
        .rev()
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    escape(&last[..last.len().min(200)])
}
