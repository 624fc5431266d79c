use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::transcript::{Exit, QuietWindow, Sample};

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Who wrote it.
    pub source: Source,
    /// The command that started the plugin; empty for the built-in example, `None` if it cannot be said
    /// in UTF-8.
    pub subject: Option<Vec<String>>,
    /// Whether tokens are placeholders and texts masked.
    pub redacted: bool,
}

/// Who wrote a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A check of a plugin by the runner, which played the host.
    Check {
        /// The id of the check.
        id: String,
    },
    /// A check of a decoder by the runner, which fed it: there is no conversation.
    Exam {
        /// The id of the check.
        id: String,
    },
    /// A proxy between two real programs.
    Proxy,
}

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Since the plugin was started.
    pub at: Duration,
    /// What it was.
    pub what: What,
}

/// What an entry is about.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Bytes to the plugin's stdin.
    In {
        /// The bytes, or one cycle of them.
        bytes: Arc<[u8]>,
        /// They were sent over and over until this many bytes had been taken.
        repeated_to: Option<u64>,
        /// The requirement that they break on purpose.
        breaks: Option<String>,
        /// What the decoder makes of lines.
        parse: Vec<Parse>,
    },
    /// Bytes of the plugin's stdout.
    Out {
        /// The bytes.
        bytes: Arc<[u8]>,
        /// What the decoder makes of lines.
        parse: Vec<Parse>,
    },
    /// Bytes of the plugin's stderr.
    Err(Arc<[u8]>),
    /// Something else.
    Run(Did),
}

/// What the decoder makes of one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Parse {
    /// The number of the line in its stream, from 1.
    pub line: u64,
    /// What it is.
    #[serde(rename = "as")]
    pub verdict: Verdict,
}

/// What a line is to a decoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A message with this tag.
    Message(String),
    /// A blank line.
    Blank,
    /// No message, for this reason.
    Refused(String),
    /// Nobody knows: the recorder stopped keeping bytes inside it, or ended the plugin.
    Cut,
}

/// What happened besides bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Did {
    /// The plugin took no byte for the whole patience; this many of what was being sent were left.
    Stalled {
        /// Bytes that did not fit into the pipe any more.
        unsent: u64,
    },
    /// The plugin closed its stdin, or died, with bytes still to come.
    StdinBroken,
    /// The plugin's stdin was closed.
    StdinClosed,
    /// Nobody read the plugin's stdout from here on.
    StdoutHeld {
        /// How many bytes its pipe holds.
        capacity: u64,
    },
    /// Its stdout was read again.
    StdoutReleased,
    /// The read end of its stdout was closed.
    StdoutClosed,
    /// The plugin closed its stdout.
    StdoutEnded,
    /// The runner waited for something, which came or did not come before the deadline.
    Awaited {
        /// What it waited for.
        barrier: Awaited,
        /// The first characters of the pane's token, if it is about one.
        pane: Option<String>,
        /// Whether it came.
        met: bool,
    },
    /// The runner did something in or around a pane, as a profile says.
    Acted {
        /// What, in words.
        what: String,
        /// Why it did not work, if it did not.
        fault: Option<String>,
    },
    /// The runner looked at the plugin.
    Sampled(Sample),
    /// The runner watched the plugin while there was nothing to do.
    QuietWindow(QuietWindow),
    /// The plugin ended.
    Exited {
        /// How.
        exit: Exit,
        /// Bytes of stdin that it never read, where the system tells.
        unread: Option<u64>,
    },
    /// The plugin was ended from outside.
    Killed,
    /// The time for the whole check was over.
    OutOfTime,
    /// Bytes of the two streams that were not kept.
    Lost {
        /// Bytes to the plugin.
        r#in: u64,
        /// Bytes from the plugin.
        out: u64,
    },
}

/// What a runner waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Awaited {
    /// All that was sent was taken.
    Taken,
    /// All that was sent was taken, nothing was said, and no CPU wanted.
    Settled,
    /// A command came.
    Command,
    /// A command about a pane came.
    Answer,
    /// The plugin asked for input to a pane, or for its relaunch.
    Action,
    /// The plugin ended.
    Exit,
    /// The plugin ended, however long it still read or wrote.
    LastWord,
}
