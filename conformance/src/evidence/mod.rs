//! What remains of a transcript once it has been judged: the bytes that matter, cut and escaped, and
//! the course of the exchange. It is bounded, whatever the subject did, so that a run with many checks
//! needs little memory and no report can grow without end.

mod excerpt;
mod timeline;

pub use excerpt::Excerpt;
pub use timeline::{Lane, Moment, Timeline};

use nightcrow_protocol::PaneToken;

use crate::outcome::Failure;
use crate::stimulus::EventLine;
use crate::transcript::{Happening, Transcript};

/// What was sent and what came back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The last lines sent before the failure; if that is a command for a pane, of those that were about it.
    pub sent: Vec<Excerpt>,
    /// The lines of stdout round the fault, or the last ones.
    pub received: Vec<Excerpt>,
    /// The last lines of stderr.
    pub stderr: Vec<Excerpt>,
    /// What else happened, as short sentences in order.
    pub course: Vec<String>,
    /// All of it, in order.
    pub timeline: Timeline,
}

/// How many lines of each stream are shown.
const SHOWN_LINES: usize = 4;

/// How many sentences tell the course.
const SHOWN_COURSE: usize = 24;

impl Evidence {
    /// What there is to show of an exchange, and of the failure that was found in it.
    #[must_use]
    pub fn of(failure: Option<&Failure>, transcript: &Transcript) -> Self {
        let entries = transcript.entries();
        let fault = failure.and_then(|failure| failure.stdout_offset);
        let ending = failure
            .and_then(|failure| failure.after)
            .or_else(|| Some(arrival(transcript, fault?)));
        let until = ending.map_or(entries.len(), |entry| entries.len().min(entry + 1));
        Self {
            sent: match failure.and_then(|failure| failure.sent.as_ref()) {
                Some(line) => vec![Excerpt::of_line(
                    to_usize(line.offset),
                    &line.bytes,
                    line.fault,
                )],
                None => sent(
                    transcript,
                    until,
                    fault.and_then(|at| pane_at(transcript, at)),
                ),
            },
            received: match fault {
                Some(offset) => round(transcript.stdout(), offset),
                None => last(transcript.stdout()),
            },
            stderr: last(transcript.stderr()),
            course: course(transcript),
            timeline: Timeline::of(transcript, fault, ending),
        }
    }
}

fn to_usize(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// The entry that brought this byte of stdout.
fn arrival(transcript: &Transcript, offset: usize) -> usize {
    let brought = transcript.position(|what| match what {
        Happening::Stdout(range) => range.contains(&offset),
        _ => false,
    });
    brought.unwrap_or(transcript.entries().len())
}

/// The pane that the command at this byte of stdout is about, if anything was sent about it.
fn pane_at(transcript: &Transcript, offset: usize) -> Option<PaneToken> {
    let mut lines = transcript.lines();
    let line =
        lines.find(|line| (line.offset..=line.offset + line.bytes.len()).contains(&offset))?;
    let pane = line.command()?.token()?;
    let mut sent = transcript.sent_lines();
    sent.any(|(_, line)| is_about(line, pane)).then_some(pane)
}

fn is_about(line: &EventLine, pane: PaneToken) -> bool {
    line.pane().is_some_and(|(token, _)| token == pane)
}

/// The last things sent before entry `until`; no lines about other panes than `pane`, if there is one.
fn sent(transcript: &Transcript, until: usize, pane: Option<PaneToken>) -> Vec<Excerpt> {
    let mut offset = 0;
    let mut excerpts = Vec::new();
    for entry in &transcript.entries()[..until] {
        let (text, length) = match &entry.what {
            Happening::SentLine(line)
                if pane.is_some_and(|pane| line.pane().is_some() && !is_about(line, pane)) =>
            {
                offset += line.bytes().len() as u64;
                continue;
            }
            Happening::SentLine(line) => {
                let text = Excerpt::of_line(0, line.bytes(), None).text;
                let text = match line.breaks() {
                    Some(requirement) => format!("{text}   (breaks {requirement} on purpose)"),
                    None => text,
                };
                (text, line.bytes().len() as u64)
            }
            Happening::SentBurst(burst) => {
                let first = Excerpt::of_line(0, &burst.first, None).text;
                let (events, bytes) = (burst.events, burst.bytes);
                let text = format!("{events} events, {bytes} bytes, the first: {first}");
                (text, bytes)
            }
            Happening::SentChunk { chunk, sent } => {
                let unit = Excerpt::of_line(0, chunk.unit(), None).text;
                let text = match chunk.times() {
                    1 => unit,
                    times => format!("{times} times {unit}"),
                };
                (text, *sent)
            }
            _ => continue,
        };
        excerpts.push(Excerpt {
            offset,
            text,
            caret: None,
        });
        offset += length;
    }
    excerpts.split_off(excerpts.len().saturating_sub(SHOWN_LINES))
}

/// The line in which `offset` stands, and the one before it.
fn round(stream: &[u8], offset: usize) -> Vec<Excerpt> {
    let offset = offset.min(stream.len().saturating_sub(1));
    let start = line_start(stream, offset);
    let end = memchr::memchr(b'\n', &stream[offset..]).map_or(stream.len(), |end| offset + end + 1);
    let mut excerpts = Vec::new();
    if start > 0 {
        let before = line_start(stream, start - 1);
        excerpts.push(Excerpt::of_line(before, &stream[before..start], None));
    }
    let line = &stream[start..end];
    excerpts.push(Excerpt::of_line(start, line, Some(offset - start)));
    excerpts
}

fn line_start(stream: &[u8], offset: usize) -> usize {
    memchr::memrchr(b'\n', &stream[..offset]).map_or(0, |end| end + 1)
}

/// The last lines of a stream.
fn last(stream: &[u8]) -> Vec<Excerpt> {
    let mut excerpts = Vec::new();
    let mut end = stream.len();
    while end > 0 && excerpts.len() < SHOWN_LINES {
        let start = line_start(stream, end - 1);
        excerpts.push(Excerpt::of_line(start, &stream[start..end], None));
        end = start;
    }
    excerpts.reverse();
    excerpts
}

/// What happened besides bytes and waits that were met.
fn course(transcript: &Transcript) -> Vec<String> {
    let told = transcript.entries().iter().filter_map(|entry| {
        let words = match &entry.what {
            Happening::Awaited { met: true, .. }
            | Happening::Sampled(_)
            | Happening::QuietWindow(_) => return None,
            what => timeline::tell(what)?.1,
        };
        Some(format!("{:.2} s: {words}", entry.at.as_secs_f64()))
    });
    told.take(SHOWN_COURSE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Reason;
    use crate::stimulus::PlayedHost;
    use crate::transcript::script::Script;

    #[test]
    fn the_caret_stands_under_the_offending_byte() {
        let transcript = Script::new().says("{}\na\tb\x1bc\n{}\n").exits(0).done();
        let failure = Failure::new(Reason::NotACommand, "so").at(6);
        let evidence = Evidence::of(Some(&failure), &transcript);
        let fault = &evidence.received[1];
        assert_eq!(
            (fault.offset, fault.text.as_str(), fault.caret),
            (3, "a\\tb\\x1bc\\n", Some(4))
        );
        assert_eq!(evidence.received[0].text, "{}\\n");
    }

    #[test]
    fn of_what_was_sent_the_pane_of_the_fault_matters() {
        let host = PlayedHost::new();
        let (mut pane, mut other) = (host.pane(), host.pane());
        let mut script = Script::new().sends(pane.opened()).sends(other.opened());
        for _ in 0..SHOWN_LINES {
            script = script.sends(other.idle());
        }
        let transcript = script.says("{}\n").types_into(&pane).done();
        let shown = |offset: usize| {
            let failure = Failure::new(Reason::ActedOverAPerson, "so").at(offset);
            Evidence::of(Some(&failure), &transcript).sent
        };
        assert_eq!(shown(0).len(), SHOWN_LINES);
        let [opened] = &shown(3)[..] else {
            panic!("the other pane is shown")
        };
        assert!(opened.text.contains("pane_opened") && opened.offset == 0);
    }

    #[test]
    fn shows_the_last_of_what_was_sent_and_received() {
        let mut script = Script::new();
        for _ in 0..6 {
            script = script.opened().says("x\n");
        }
        let transcript = script.stdin_closed().exits(3).done();
        let failure = Failure::new(Reason::ExitStatus, "so");
        let evidence = Evidence::of(Some(&failure), &transcript);
        assert_eq!((evidence.sent.len(), evidence.received.len()), (4, 4));
        assert_eq!(evidence.received[3].offset, 10);
        assert_eq!(evidence.course.len(), 2);
    }
}
