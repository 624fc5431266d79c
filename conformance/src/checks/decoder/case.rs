//! What a decoder is given, and what it has to make of it.

use std::sync::Arc;

use nightcrow_protocol::RefusalCode;
use serde_json::Value;

use crate::stimulus::Chunk;

/// Bytes that are sent together, with the verdict that each of their lines must get.
#[derive(Debug, Clone)]
pub struct Case {
    /// What is special about it, in a few words.
    pub about: String,
    /// Its bytes. Of several chunks each is read before the next one is written.
    pub chunks: Vec<Chunk>,
    /// The verdicts on its lines.
    pub verdicts: Vec<Expected>,
    /// How often the verdicts come, one after the other.
    pub times: usize,
    /// When the runner looks at the subject.
    pub look: Look,
}

/// The verdict that a line must get.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// It is this message.
    Message(Value),
    /// It is refused, with this code.
    Refused(RefusalCode),
    /// It is blank.
    Blank,
    /// The contract leaves it open: a message or a refusal.
    Open,
}

/// When the runner looks at the memory and CPU time of the subject.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Look {
    /// Not at all.
    #[default]
    Never,
    /// After each chunk of the case.
    AfterEachChunk,
    /// When the subject has done what there was to do with the case.
    WhenSettled,
}

impl Case {
    /// A line, given without its LF, that is this message.
    #[must_use]
    pub fn accepted(about: &str, line: impl Into<Vec<u8>>, message: Value) -> Self {
        Self::line(about, line, Expected::Message(message))
    }

    /// A line, given without its LF, that is refused.
    #[must_use]
    pub fn refused(about: &str, line: impl Into<Vec<u8>>, code: RefusalCode) -> Self {
        Self::line(about, line, Expected::Refused(code))
    }

    /// A line, given without its LF, that may be a message or not.
    #[must_use]
    pub fn open(about: &str, line: impl Into<Vec<u8>>) -> Self {
        Self::line(about, line, Expected::Open)
    }

    fn line(about: &str, line: impl Into<Vec<u8>>, verdict: Expected) -> Self {
        let mut bytes = line.into();
        bytes.push(b'\n');
        Self::stream(about, bytes, vec![verdict])
    }

    /// Any bytes, with the verdict on each of their lines. If they do not end in LF nothing can be sent
    /// behind them.
    #[must_use]
    pub fn stream(about: &str, bytes: impl Into<Vec<u8>>, verdicts: Vec<Expected>) -> Self {
        Self::chunks(about, vec![Chunk::new(bytes.into(), 1)], verdicts)
    }

    /// The same, in chunks of which each is read before the next one is written.
    #[must_use]
    pub fn chunks(about: &str, chunks: Vec<Chunk>, verdicts: Vec<Expected>) -> Self {
        Self {
            about: about.to_owned(),
            chunks,
            verdicts,
            times: 1,
            look: Look::Never,
        }
    }

    /// The same, cut at these places of its bytes.
    #[must_use]
    pub fn cut_at(self, cuts: impl IntoIterator<Item = usize>) -> Self {
        let bytes = self.bytes();
        let mut chunks = Vec::new();
        let mut start = 0;
        for end in cuts.into_iter().chain([bytes.len()]) {
            chunks.push(Chunk::new(&bytes[start..end], 1));
            start = end;
        }
        Self { chunks, ..self }
    }

    /// The same, byte by byte.
    #[must_use]
    pub fn byte_by_byte(self) -> Self {
        let length = self.bytes().len();
        self.cut_at(1..length)
    }

    /// The same, with a look at the subject.
    #[must_use]
    pub fn looked_at(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// How many lines it has.
    #[must_use]
    pub const fn lines(&self) -> usize {
        self.verdicts.len() * self.times
    }

    /// The verdict on one of its lines, counted from 0.
    #[must_use]
    pub fn verdict(&self, line: usize) -> &Expected {
        &self.verdicts[line % self.verdicts.len()]
    }

    /// How many bytes it has.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.chunks.iter().map(Chunk::total_bytes).sum()
    }

    /// Whether a line ends where it ends.
    #[must_use]
    pub fn is_terminated(&self) -> bool {
        self.chunks
            .last()
            .is_some_and(|chunk| chunk.unit().ends_with(b"\n"))
    }

    /// Whether its bytes are worth showing: whatever is repeated is told in words.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.times() == 1)
    }

    /// Its bytes, each repeated chunk once.
    #[must_use]
    pub fn bytes(&self) -> Arc<[u8]> {
        self.chunks.iter().flat_map(Chunk::unit).copied().collect()
    }
}
