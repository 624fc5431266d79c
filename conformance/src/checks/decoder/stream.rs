//! The byte stream of a check: its cases, each with a good line behind it.

use nightcrow_protocol::{Line, LineFramer, Refusal};
use serde_json::{Value, json};

use super::sample::{Sample, text, text_member};
use super::{Case, Direction, Expected, Look};
use crate::stimulus::{Barrier, Chunk, Step};

/// Everything that one decoder is given, and what it has to say to it.
#[derive(Debug)]
pub struct Stream {
    direction: Direction,
    exchanges: Vec<Exchange>,
}

/// A case and the canary behind it: a good line that nobody can have seen before. Its verdict shows
/// that the decoder lives, and how many verdicts the case got.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) case: Case,
    canary: Option<Canary>,
    /// The number of its first line, from 0.
    pub(super) first_line: usize,
    /// Where it begins in the stream.
    pub(super) offset: u64,
}

#[derive(Debug)]
struct Canary {
    nonce: String,
    line: Vec<u8>,
    verdict: Expected,
}

/// A line of an exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due<'a> {
    pub(super) exchange: &'a Exchange,
    /// Which line of the exchange, from 0.
    pub(super) line: usize,
    pub(super) expected: &'a Expected,
}

impl Stream {
    /// The stream of these cases.
    ///
    /// # Panics
    /// If the system has no random bytes, or a case is not the last one but leaves its line open.
    #[must_use]
    pub fn new(direction: Direction, cases: Vec<Case>) -> Self {
        let secret = secret();
        let (mut first_line, mut offset) = (0, 0);
        let last = cases.len();
        let exchange = |(index, case): (usize, Case)| {
            let is_open = !case.is_terminated();
            assert!(
                !is_open || index + 1 == last,
                "only the last line is left open"
            );
            let canary = (!is_open).then(|| Canary::new(direction, format!("{secret}-{index}")));
            let exchange = Exchange {
                first_line,
                offset,
                canary,
                case,
            };
            first_line += exchange.lines();
            offset += exchange.total_bytes();
            exchange
        };
        let exchanges = cases.into_iter().enumerate().map(exchange).collect();
        Self {
            direction,
            exchanges,
        }
    }

    /// What is done to the decoder.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut pending = Vec::new();
        for exchange in &self.exchanges {
            let case = &exchange.case;
            match &case.chunks[..] {
                [chunk] if chunk.times() == 1 => pending.extend_from_slice(chunk.unit()),
                chunks => {
                    send(&mut steps, &mut pending, true);
                    for chunk in chunks {
                        steps.push(Step::SendChunk {
                            chunk: chunk.clone(),
                            until_taken: true,
                        });
                        if case.look == Look::AfterEachChunk {
                            steps.push(Step::Sample);
                        }
                    }
                }
            }
            pending.extend(exchange.canary.iter().flat_map(|canary| &canary.line));
            if case.look == Look::WhenSettled {
                send(&mut steps, &mut pending, false);
                steps.extend([Step::Await(Barrier::Settled), Step::Sample]);
            }
        }
        send(&mut steps, &mut pending, false);
        steps.extend([Step::CloseStdin, Step::Await(Barrier::LastWord)]);
        steps
    }

    /// The verdicts that must come, in order.
    pub(super) fn due(&self) -> impl Iterator<Item = Due<'_>> {
        self.exchanges.iter().flat_map(Exchange::due)
    }

    /// How many lines it has.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.exchanges
            .last()
            .map_or(0, |last| last.first_line + last.lines())
    }

    /// The verdict that must come last.
    pub(super) fn last(&self) -> Option<Due<'_>> {
        self.exchanges.last().and_then(|last| last.due().last())
    }

    pub(super) const fn direction(&self) -> Direction {
        self.direction
    }

    /// Holds the stream against our own decoder: it must give every verdict that is expected.
    ///
    /// # Errors
    /// What is wrong with the stimulus, as a sentence.
    pub fn self_check(&self) -> Result<(), String> {
        let mut framer = LineFramer::new();
        let mut due = self.due();
        let mut hold = |line: &Line<'_>| {
            let verdict = self.direction.verdict(line);
            match due.next() {
                Some(due) if due.expected.allows(&verdict) => Ok(()),
                Some(Due {
                    exchange, expected, ..
                }) => Err(format!(
                    "the stimulus `{}` expects {expected:?}, but our own decoder says {verdict:?}",
                    exchange.case.about
                )),
                None => Err("the stimulus has more lines than verdicts".to_owned()),
            }
        };
        for chunk in self.exchanges.iter().flat_map(Exchange::chunks) {
            for _ in 0..chunk.times() {
                let mut input = chunk.unit();
                while let Some(line) = framer.next_line(&mut input) {
                    hold(&line)?;
                }
            }
        }
        framer.finish().map_or(Ok(()), |line| hold(&line))?;
        match due.next() {
            Some(_) => Err("the stimulus has fewer lines than verdicts".to_owned()),
            None => Ok(()),
        }
    }
}

/// Sends what was gathered.
fn send(steps: &mut Vec<Step>, pending: &mut Vec<u8>, until_taken: bool) {
    if !pending.is_empty() {
        let chunk = Chunk::new(std::mem::take(pending), 1);
        steps.push(Step::SendChunk { chunk, until_taken });
    }
}

impl Exchange {
    fn chunks(&self) -> impl Iterator<Item = Chunk> {
        let canary = self
            .canary
            .iter()
            .map(|canary| Chunk::new(&*canary.line, 1));
        self.case.chunks.iter().cloned().chain(canary)
    }

    fn total_bytes(&self) -> u64 {
        self.chunks().map(|chunk| chunk.total_bytes()).sum()
    }

    fn lines(&self) -> usize {
        self.case.lines() + usize::from(self.canary.is_some())
    }

    fn due(&self) -> impl Iterator<Item = Due<'_>> {
        let of_the_case = (0..self.case.lines()).map(|line| self.case.verdict(line));
        let of_the_canary = self.canary.iter().map(|canary| &canary.verdict);
        let verdicts = of_the_case.chain(of_the_canary).enumerate();
        verdicts.map(|(line, expected)| Due {
            exchange: self,
            line,
            expected,
        })
    }

    /// Whether a message is this exchange's canary.
    pub(super) fn is_canary(&self, message: &Value) -> bool {
        self.canary.as_ref().is_some_and(|canary| {
            ["message", "text"]
                .iter()
                .any(|name| message[*name] == canary.nonce)
        })
    }
}

impl Due<'_> {
    /// Whether it is the verdict on the good line behind a case.
    pub(super) fn is_canary(&self) -> bool {
        self.line == self.exchange.case.lines()
    }

    /// The bytes of its line with the terminator, and where they begin in the stream; nothing where
    /// they are too many to be kept.
    pub(super) fn sent(&self) -> Option<(u64, Vec<u8>)> {
        let case = &self.exchange.case;
        if self.is_canary() {
            let line = self.exchange.canary.as_ref()?.line.clone();
            return Some((self.exchange.offset + case.total_bytes(), line));
        }
        if !case.is_plain() {
            return None;
        }
        let bytes = case.bytes();
        let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let before: usize = lines.get(..self.line)?.iter().map(|line| line.len()).sum();
        Some((
            self.exchange.offset + before as u64,
            lines.get(self.line)?.to_vec(),
        ))
    }
}

impl Canary {
    fn new(direction: Direction, nonce: String) -> Self {
        let sample: Sample = text(direction, &nonce);
        let verdict = Expected::Message(sample.message());
        debug_assert_eq!(sample.message()[text_member(direction)], nonce);
        let mut line = sample.line().into_bytes();
        line.push(b'\n');
        Self {
            nonce,
            line,
            verdict,
        }
    }
}

/// Text that no decoder can know beforehand.
fn secret() -> String {
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the system has random bytes");
    format!("canary-{:016x}", u64::from_be_bytes(random))
}

impl Expected {
    /// Whether our own decoder may say this.
    fn allows(&self, own: &Result<Option<Value>, Refusal>) -> bool {
        match (self, own) {
            (Self::Message(message), Ok(Some(own))) => message == own,
            (Self::Refused(code), Err(refusal)) => *code == refusal.code(),
            (Self::Blank, Ok(None)) | (Self::Open, Ok(Some(_)) | Err(_)) => true,
            (Self::Message(_) | Self::Refused(_) | Self::Blank | Self::Open, _) => false,
        }
    }
}

impl Direction {
    /// What our own decoder says to a line.
    pub(super) fn verdict(self, line: &Line<'_>) -> Result<Option<Value>, Refusal> {
        Ok(match self {
            Self::Commands => line.decode_command()?.map(|command| json!(command)),
            Self::Events => line.decode_event()?.map(|event| json!(event)),
        })
    }
}
