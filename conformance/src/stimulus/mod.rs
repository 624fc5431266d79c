//! What a check does to the subject: a straight list of steps.

mod chunk;
mod host;
mod line;

use std::fmt;
use std::time::Duration;

use nightcrow_protocol::PaneToken;

use crate::profile::{Act, PaneRef};

pub use chunk::Chunk;
pub use host::{Pane, PlayedHost};
pub use line::{Burst, BurstSummary, EventLine, MAX_CYCLE_BYTES};

/// One step of a check. The driver performs them in order, moving bytes both ways all the while, and
/// skips the rest once the subject has ended.
#[derive(Debug, Clone)]
pub enum Step {
    /// Write one line to the subject's stdin.
    Send(EventLine),
    /// Write many lines to the subject's stdin.
    SendBurst(Burst),
    /// Do something that is no event, in or around a pane.
    Act(Act, PaneRef),
    /// Write bytes to the subject's stdin.
    SendChunk {
        /// The bytes.
        chunk: Chunk,
        /// Go on only when the subject has read all of them.
        until_taken: bool,
    },
    /// Wait, with a deadline.
    Await(Barrier),
    /// Move bytes for this long: what comes too often or too late has a chance to come.
    Watch(Duration),
    /// Look at the subject's memory, CPU time and pipes.
    Sample,
    /// Watch the subject while there is nothing to do, until it is quiet or has shown that it is not.
    WatchQuiet,
    /// Make the stdout pipe as small as the system allows and stop reading it.
    HoldStdout,
    /// Read stdout again.
    ReleaseStdout,
    /// Close the read end of stdout.
    CloseStdout,
    /// Close the subject's stdin.
    CloseStdin,
}

/// Something to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// The subject has taken everything that was sent.
    Taken,
    /// The subject has taken everything that was sent, says nothing and asks for no CPU.
    Settled,
    /// A command came.
    Command,
    /// A command about this pane came; or the subject settled, if `or_settled`. Somebody who did not
    /// answer once is from then on only waited for until settled.
    Answer {
        /// The pane.
        token: PaneToken,
        /// Give up early when the subject has settled.
        or_settled: bool,
    },
    /// The subject asked for input to this pane, or for its relaunch, since the last thing that was
    /// done to it.
    Action {
        /// The pane.
        token: PaneToken,
        /// How long that may take; until the subject has settled if `None`.
        within: Option<Duration>,
    },
    /// The subject has said all kinds of commands about this pane that it had said about another one
    /// when the same wait for an action on that one was over.
    Alike {
        /// The pane.
        token: PaneToken,
        /// The other one, with which the same was done before.
        like: PaneToken,
    },
    /// The subject ended.
    Exit,
    /// The subject ended. Whoever still reads or writes is waited for.
    LastWord,
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken => f.write_str("all of stdin taken"),
            Self::Settled => f.write_str("settled"),
            Self::Command => f.write_str("a command"),
            Self::Answer { token, .. } => write!(f, "a command about {}…", token.short()),
            Self::Action { token, .. } => write!(f, "an action on {}…", token.short()),
            Self::Alike { token, like } => {
                let (token, like) = (token.short(), like.short());
                write!(f, "for {token}… what came for {like}…")
            }
            Self::Exit => f.write_str("exit"),
            Self::LastWord => f.write_str("its last word"),
        }
    }
}
