//! A host's side: no line makes the decoder panic, and its verdict is consistent in itself.

use crate::subject::Commands;
use crate::verdict;

/// Judges what the decoder makes of `line`. Kept cheap: it is the target that runs longest.
pub fn check(line: &[u8]) {
    verdict::consistent::<Commands>(line);
}
