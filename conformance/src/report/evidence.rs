//! The bytes behind a failure, cut to what matters and escaped.

use super::escape;
use crate::outcome::Failure;
use crate::stimulus::EventLine;
use crate::transcript::{Happening, Transcript};

/// What was sent and what came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Evidence {
    /// The last lines sent before the failure.
    pub(super) sent: Vec<Excerpt>,
    /// The lines of stdout round the fault, or the last ones.
    pub(super) received: Vec<Excerpt>,
    /// The last lines of stderr.
    pub(super) stderr: Vec<Excerpt>,
    /// What else happened, in words.
    pub(super) course: Vec<String>,
}

/// Part of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// Where it begins in the stream.
    pub(super) offset: u64,
    /// Its bytes, escaped.
    pub(super) text: String,
    /// The column of `text` at which the offending byte stands.
    pub(super) caret: Option<usize>,
}

/// How many lines of each stream are shown.
const SHOWN_LINES: usize = 4;

/// How many bytes of a line are shown before and behind the byte that matters.
const SHOWN_BYTES: usize = 120;

impl Evidence {
    pub(super) fn of(failure: &Failure, transcript: &Transcript) -> Self {
        let entries = transcript.entries();
        let ending = failure
            .after
            .or_else(|| Some(arrival(transcript, failure.stdout_offset?)));
        let until = ending.map_or(entries.len(), |entry| entries.len().min(entry + 1));
        Self {
            sent: match &failure.sent {
                Some(line) => vec![excerpt(to_usize(line.offset), &line.bytes, line.fault)],
                None => sent(transcript, until),
            },
            received: match failure.stdout_offset {
                Some(offset) => round(transcript.stdout(), offset),
                None => last(transcript.stdout()),
            },
            stderr: last(transcript.stderr()),
            course: course(transcript),
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

/// The last things sent before entry `until`.
fn sent(transcript: &Transcript, until: usize) -> Vec<Excerpt> {
    let mut offset = 0;
    let mut excerpts = Vec::new();
    for entry in &transcript.entries()[..until] {
        let (text, length) = match &entry.what {
            Happening::SentLine(line) => (sent_line(line), line.bytes().len() as u64),
            Happening::SentBurst(burst) => {
                let first = excerpt(0, &burst.first, None).text;
                (
                    format!(
                        "{} events, {} bytes, the first: {first}",
                        burst.events, burst.bytes
                    ),
                    burst.bytes,
                )
            }
            Happening::SentChunk { chunk, sent } => {
                let unit = excerpt(0, chunk.unit(), None).text;
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

fn sent_line(line: &EventLine) -> String {
    let text = excerpt(0, line.bytes(), None).text;
    match line.breaks() {
        Some(requirement) => format!("{text}   (breaks {requirement} on purpose)"),
        None => text,
    }
}

/// The line in which `offset` stands, and the one before it.
fn round(stream: &[u8], offset: usize) -> Vec<Excerpt> {
    let offset = offset.min(stream.len().saturating_sub(1));
    let start = line_start(stream, offset);
    let end = memchr::memchr(b'\n', &stream[offset..]).map_or(stream.len(), |end| offset + end + 1);
    let mut excerpts = Vec::new();
    if start > 0 {
        let before = line_start(stream, start - 1);
        excerpts.push(excerpt(before, &stream[before..start], None));
    }
    excerpts.push(excerpt(start, &stream[start..end], Some(offset - start)));
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
        excerpts.push(excerpt(start, &stream[start..end], None));
        end = start;
    }
    excerpts.reverse();
    excerpts
}

/// A line, cut to what stands round the byte that matters, or to its two ends.
fn excerpt(offset: usize, line: &[u8], fault: Option<usize>) -> Excerpt {
    const CUT: &str = "[...]";
    if line.len() <= 2 * SHOWN_BYTES {
        let caret = fault.map(|fault| escape(&line[..fault]).len());
        return Excerpt {
            offset: offset as u64,
            text: escape(line),
            caret,
        };
    }
    let Some(fault) = fault else {
        let (head, tail) = (&line[..SHOWN_BYTES], &line[line.len() - SHOWN_BYTES / 2..]);
        let text = format!(
            "{}{CUT}{}   ({} bytes)",
            escape(head),
            escape(tail),
            line.len()
        );
        return Excerpt {
            offset: offset as u64,
            text,
            caret: None,
        };
    };
    let start = fault.saturating_sub(SHOWN_BYTES);
    let end = (fault + SHOWN_BYTES).min(line.len());
    let before = if start > 0 { CUT } else { "" };
    let behind = if end < line.len() { CUT } else { "" };
    let head = format!("{before}{}", escape(&line[start..fault]));
    let text = format!("{head}{}{behind}", escape(&line[fault..end]));
    Excerpt {
        offset: (offset + start) as u64,
        text,
        caret: Some(head.len()),
    }
}

/// What happened besides bytes, as short sentences in order.
fn course(transcript: &Transcript) -> Vec<String> {
    let told = transcript.entries().iter().filter_map(|entry| {
        let words = match &entry.what {
            Happening::Did { what, fault: None } => escape(what.as_bytes()),
            Happening::Did {
                what,
                fault: Some(fault),
            } => escape(format!("{what} did not work: {fault}").as_bytes()),
            Happening::Stalled { unsent } => {
                format!(
                    "the subject took no byte until the timeout; {unsent} bytes were left to send"
                )
            }
            Happening::StdinBroken => "the subject's stdin was closed on its side".to_owned(),
            Happening::StdinClosed => "stdin was closed".to_owned(),
            Happening::StdoutHeld { capacity } => {
                format!("stdout was not read any more; its pipe holds {capacity} bytes")
            }
            Happening::StdoutReleased => "stdout was read again".to_owned(),
            Happening::StdoutClosed => "the read end of stdout was closed".to_owned(),
            Happening::Awaited {
                barrier,
                met: false,
            } => {
                format!("waited in vain for: {barrier}")
            }
            Happening::Exited { exit, unread } => match unread {
                Some(unread) if *unread > 0 => {
                    format!("the subject ended with {exit}, {unread} bytes of its stdin unread")
                }
                _ => format!("the subject ended with {exit}"),
            },
            Happening::Killed => "the subject was killed".to_owned(),
            Happening::OutOfTime => "the time for the whole check was over".to_owned(),
            Happening::SentLine(_)
            | Happening::SentBurst(_)
            | Happening::SentChunk { .. }
            | Happening::Stdout(_)
            | Happening::Stderr(_)
            | Happening::Awaited { met: true, .. }
            | Happening::Sampled(_)
            | Happening::QuietWindow(_) => return None,
        };
        Some(format!("{:.2} s: {words}", entry.at.as_secs_f64()))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Reason;
    use crate::transcript::script::Script;

    #[test]
    fn the_caret_stands_under_the_offending_byte() {
        let transcript = Script::new().says("{}\na\tb\x1bc\n{}\n").exits(0).done();
        let failure = Failure::new(Reason::NotACommand, "so").at(6);
        let evidence = Evidence::of(&failure, &transcript);
        let fault = &evidence.received[1];
        assert_eq!(
            (fault.offset, fault.text.as_str(), fault.caret),
            (3, "a\\tb\\x1bc\\n", Some(4))
        );
        assert_eq!(evidence.received[0].text, "{}\\n");
    }

    #[test]
    fn long_lines_are_cut_round_the_fault() {
        let line = [b"x".repeat(70_000), b"\n".to_vec()].concat();
        let shown = excerpt(0, &line, Some(65_536));
        assert_eq!(shown.offset, 65_416);
        assert_eq!(shown.caret, Some(5 + 120));
        assert!(shown.text.starts_with("[...]xx") && shown.text.ends_with("xx[...]"));
        assert!(excerpt(0, &line, None).text.ends_with("(70001 bytes)"));
    }

    #[test]
    fn shows_the_last_of_what_was_sent_and_received() {
        let mut script = Script::new();
        for _ in 0..6 {
            script = script.opened().says("x\n");
        }
        let transcript = script.stdin_closed().exits(3).done();
        let evidence = Evidence::of(&Failure::new(Reason::ExitStatus, "so"), &transcript);
        assert_eq!((evidence.sent.len(), evidence.received.len()), (4, 4));
        assert_eq!(evidence.received[3].offset, 10);
        assert_eq!(evidence.course.len(), 2);
    }
}
