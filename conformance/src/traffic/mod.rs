//! What host and plugin say to each other, as a bystander hears it: two byte streams, cut into lines,
//! and what the contract makes of each line.
//!
//! Nothing here does I/O. [`Lines`] knows where each line stands in its stream, also behind over-long
//! lines and behind bytes that nobody kept.

mod lines;

use nightcrow_protocol::{Command, Event, Refusal};

pub use lines::Lines;

/// Which way a byte goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host to the plugin's stdin: events.
    In,
    /// From the plugin's stdout to the host: commands.
    Out,
}

impl Direction {
    /// The word for it in recordings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// Whoever writes this stream.
    #[must_use]
    pub const fn sender(self) -> &'static str {
        match self {
            Self::In => "host",
            Self::Out => "plugin",
        }
    }
}

/// A message of either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message<'a> {
    /// What a host says.
    Event(Event<'a>),
    /// What a plugin says.
    Command(Command<'a>),
}

impl Message<'_> {
    /// The tag on the wire.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Event(event) => event.kind().as_str(),
            Self::Command(command) => command.kind().as_str(),
        }
    }
}

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With LF, as a sender writes it.
    Lf,
    /// With CR LF, which receivers forgive (PLG-102).
    CrLf,
    /// With the stream.
    EndOfStream,
    /// Nobody looked: the line was refused for its length before its end.
    Unknown,
}

impl Ending {
    /// The bytes of the terminator.
    #[must_use]
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf | Self::Unknown => b"\n",
            Self::CrLf => b"\r\n",
            Self::EndOfStream => b"",
        }
    }
}

/// One physical line, as its receiver reads it.
#[derive(Debug, Clone)]
pub struct HeardLine<'a> {
    /// Which way it went.
    pub direction: Direction,
    /// Its number in its stream, from 1.
    pub number: u64,
    /// Where its first byte stands in its stream.
    pub offset: u64,
    /// Its bytes without the terminator; none of an over-long line.
    pub bytes: &'a [u8],
    /// How it ends.
    pub ending: Ending,
    /// What the decoder makes of it: a message, nothing (a blank line), or a refusal.
    pub message: Result<Option<Message<'a>>, Refusal>,
}
