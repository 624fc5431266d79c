//! Sends what a recording says was sent again, and compares what comes back.
//!
//! What is here decides: which cues a recording gives ([`Score`]), and in what the answers differ
//! ([`difference`]). [`drive::replay`](crate::drive::replay) performs them.

mod difference;
mod score;

pub use difference::difference;
pub use score::Score;
