//! A plugin's side: no line makes the decoder panic, its verdict is consistent in itself, and no
//! refusal repeats what the line said.

use crate::subject::Events;
use crate::verdict;

/// Judges what the decoder makes of `line`.
pub fn check(line: &[u8]) {
    verdict::consistent::<Events>(line);
    verdict::quotes_nothing::<Events>(line);
}
