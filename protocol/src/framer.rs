use memchr::memchr;

use crate::limits::MAX_LINE_BYTES;
use crate::plugin::{Command, Event, decode_command, decode_event};
use crate::refusal::{Reason, Refusal};

/// Cuts a byte stream into lines with bounded memory (PLG-101 to PLG-108).
///
/// It does no I/O: feed it whatever a read returned. It keeps at most one incomplete line, never more
/// than 65,537 bytes of it, whatever the other side sends.
///
/// ```
/// use nightcrow_protocol::LineFramer;
///
/// let mut framer = LineFramer::new();
/// let mut seen = Vec::new();
/// for chunk in [&b"{\"cmd\":\"log\",\"v\":3,\"lev"[..], b"el\":\"info\",\"message\":\"hi\"}\r\n\n"] {
///     let mut input = chunk;
///     while let Some(line) = framer.next_line(&mut input) {
///         if let Some(command) = line.decode_command()? {
///             seen.push(command.into_owned());
///         }
///     }
/// }
/// assert_eq!(seen.len(), 1, "a blank line is no message and no refusal");
/// assert!(framer.finish().is_none(), "the stream did not end inside a line");
/// # Ok::<(), nightcrow_protocol::Refusal>(())
/// ```
#[derive(Debug, Default)]
pub struct LineFramer {
    /// The beginning of a line whose end has not come yet, or the line that was handed out last.
    held: Vec<u8>,
    held_was_handed_out: bool,
    /// The line being read was refused for its length; its rest is skipped.
    skipping: bool,
}

/// One physical line, without its terminator.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    bytes: Result<&'a [u8], Refusal>,
    terminated: bool,
}

/// The line's bytes and one more, which may turn out to be the CR of the terminator.
const MAX_HELD_BYTES: usize = MAX_LINE_BYTES + 1;

impl LineFramer {
    /// A framer at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next line that ends in `input`, which moves on behind it.
    ///
    /// `None` means that `input` is used up; call again with what the next read returns. An over-long
    /// line is reported once, without waiting for its end, and its rest is skipped (PLG-105).
    pub fn next_line<'a, 'input: 'a>(&'a mut self, input: &mut &'input [u8]) -> Option<Line<'a>> {
        self.drop_handed_out();
        loop {
            let Some(end) = memchr(b'\n', input) else {
                return self.hold(std::mem::take(input));
            };
            let (tail, rest) = (&input[..end], &input[end + 1..]);
            *input = rest;
            if !self.skipping {
                return Some(self.complete(tail));
            }
            self.skipping = false;
        }
    }

    /// The line that the end of the stream left without a terminator, if there is one (PLG-107).
    ///
    /// The framer is then as new.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        self.drop_handed_out();
        self.skipping = false;
        if self.held.is_empty() {
            return None;
        }
        self.held_was_handed_out = true;
        Some(Line {
            bytes: within_limit(&self.held),
            terminated: self.held.len() > MAX_LINE_BYTES,
        })
    }

    fn drop_handed_out(&mut self) {
        if self.held_was_handed_out {
            self.held.clear();
            self.held_was_handed_out = false;
        }
    }

    /// Keeps the beginning of a line, or reports it when it is too long already.
    fn hold(&mut self, head: &[u8]) -> Option<Line<'static>> {
        if self.skipping {
            return None;
        }
        if self.held.len() + head.len() <= MAX_HELD_BYTES {
            self.held.extend_from_slice(head);
            return None;
        }
        self.skipping = true;
        self.held.clear();
        Some(Line {
            bytes: Err(too_long()),
            terminated: true,
        })
    }

    /// Ends the line being read with `tail`.
    fn complete<'a>(&'a mut self, tail: &'a [u8]) -> Line<'a> {
        let bytes = if self.held.is_empty() {
            within_limit(without_cr(tail))
        } else if self.held.len() + tail.len() > MAX_HELD_BYTES {
            self.held.clear();
            Err(too_long())
        } else {
            self.held.extend_from_slice(tail);
            self.held_was_handed_out = true;
            within_limit(without_cr(&self.held))
        };
        Line {
            bytes,
            terminated: true,
        }
    }
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn within_limit(line: &[u8]) -> Result<&[u8], Refusal> {
    if line.len() > MAX_LINE_BYTES {
        Err(too_long())
    } else {
        Ok(line)
    }
}

const fn too_long() -> Refusal {
    Reason::LineTooLong.at(MAX_LINE_BYTES)
}

impl<'a> Line<'a> {
    /// Its bytes, without LF or CR LF.
    ///
    /// # Errors
    /// A `line_too_long` refusal when it had too many to be kept.
    pub const fn bytes(&self) -> Result<&'a [u8], Refusal> {
        self.bytes
    }

    /// False for the rest that the end of the stream left without a terminator, which a sender always
    /// writes (PLG-110). An over-long line counts as terminated: it is refused before its end is known.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.terminated
    }

    /// Reads it as a command; `None` for a blank line.
    ///
    /// # Errors
    /// As [`decode_command`], and `truncated` for a line that end of stream cut.
    pub fn decode_command(&self) -> Result<Option<Command<'a>>, Refusal> {
        self.decode(decode_command)
    }

    /// Reads it as an event; `None` for a blank line.
    ///
    /// # Errors
    /// As [`decode_event`], and `truncated` for a line that end of stream cut.
    pub fn decode_event(&self) -> Result<Option<Event<'a>>, Refusal> {
        self.decode(decode_event)
    }

    fn decode<T>(&self, decode: impl FnOnce(&'a [u8]) -> Result<T, Refusal>) -> Result<T, Refusal> {
        let decoded = self.bytes.and_then(decode);
        if self.terminated {
            decoded
        } else {
            decoded.map_err(Refusal::at_end_of_stream)
        }
    }
}
