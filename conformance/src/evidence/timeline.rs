use std::ops::Range;
use std::time::Duration;

use nightcrow_protocol::EventKind;

use super::{Excerpt, to_usize};
use crate::report::{counted, printable};
use crate::transcript::{Happening, Transcript};

/// Who did what, and when: an exchange told in moments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The first moments.
    pub beginning: Vec<Moment>,
    /// How many moments between beginning and end are left out.
    pub left_out: usize,
    /// The last moments, and the one of the failure if it would have been left out.
    pub end: Vec<Moment>,
}

/// Something that happened, or several things of one kind without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// When it began, since the subject was started.
    pub from: Duration,
    /// When it was over.
    pub until: Duration,
    /// Who acted.
    pub lane: Lane,
    /// What happened, in a few words of the runner's own.
    pub what: String,
    /// Some of its bytes.
    pub excerpts: Vec<Excerpt>,
    /// Whether the failure shows here.
    pub is_fault: bool,
}

/// Who acts in a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// The runner wrote to the subject's stdin.
    Stdin,
    /// The subject wrote to its stdout.
    Stdout,
    /// The subject wrote to its stderr.
    Stderr,
    /// Something became of the subject's process or pipes.
    Subject,
    /// The runner did or saw something.
    Runner,
}

impl Lane {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdin => "stdin",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Subject => "subject",
            Self::Runner => "runner",
        }
    }
}

/// How many moments are told from either end.
const BEGINNING: usize = 28;
const END: usize = 12;

/// How many lines of what the subject wrote in one moment are shown.
const SHOWN_LINES: usize = 3;

impl Timeline {
    /// Tells an exchange. The failure is at byte `fault` of stdout if it is about a byte, and shows at
    /// entry `ending` if it is about a moment.
    pub(super) fn of(transcript: &Transcript, fault: Option<usize>, ending: Option<usize>) -> Self {
        let mut stretches = stretches(transcript);
        let shows =
            |stretch: &Stretch| ending.is_some_and(|entry| stretch.entries.contains(&entry));
        let tell = |stretch: &Stretch| Moment {
            is_fault: shows(stretch),
            ..stretch.tell(transcript, fault)
        };
        if stretches.len() <= BEGINNING + END {
            return Self {
                beginning: stretches.iter().map(tell).collect(),
                ..Self::default()
            };
        }
        let mut end = stretches.split_off(stretches.len() - END);
        let middle = stretches.split_off(BEGINNING);
        let mut left_out = middle.len();
        if let Some(fault) = middle.into_iter().find(shows) {
            left_out -= 1;
            end.insert(0, fault);
        }
        Self {
            beginning: stretches.iter().map(tell).collect(),
            left_out,
            end: end.iter().map(tell).collect(),
        }
    }

    /// Every moment that is told.
    pub fn moments(&self) -> impl Iterator<Item = &Moment> {
        self.beginning.iter().chain(&self.end)
    }
}

/// Entries of a transcript that make one moment: pieces of one stream without anything between them,
/// or one entry of any other kind.
struct Stretch {
    entries: Range<usize>,
    /// The part of the stream, if it is one of the subject's.
    written: Option<Range<usize>>,
}

fn stretches(transcript: &Transcript) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let entries = transcript.entries();
    for (index, entry) in entries.iter().enumerate() {
        let written = written(&entry.what);
        if let Some(last) = stretches.last_mut()
            && let (Some(so_far), Some((lane, more))) = (&mut last.written, &written)
            && self::written(&entries[last.entries.start].what).is_some_and(|(of, _)| of == *lane)
        {
            so_far.end = more.end;
            last.entries.end = index + 1;
        } else {
            stretches.push(Stretch {
                entries: index..index + 1,
                written: written.map(|(_, range)| range),
            });
        }
    }
    stretches
}

/// Which part of which stream of the subject this brought.
fn written(what: &Happening) -> Option<(Lane, Range<usize>)> {
    match what {
        Happening::Stdout(range) => Some((Lane::Stdout, range.clone())),
        Happening::Stderr(range) => Some((Lane::Stderr, range.clone())),
        _ => None,
    }
}

impl Stretch {
    fn tell(&self, transcript: &Transcript, fault: Option<usize>) -> Moment {
        let entries = &transcript.entries()[self.entries.clone()];
        let (first, last) = (&entries[0], &entries[entries.len() - 1]);
        let moment = |lane, what, excerpts| Moment {
            from: first.at,
            until: last.at,
            lane,
            what,
            excerpts,
            is_fault: false,
        };
        let stream = |lane, stream: &[u8], fault| {
            let range = self.written.clone().unwrap_or_default();
            let (what, excerpts) = lines(stream, range, fault);
            moment(lane, what, excerpts)
        };
        let line = |bytes| vec![Excerpt::of_line(0, bytes, None)];
        match &first.what {
            Happening::Stdout(_) => stream(Lane::Stdout, transcript.stdout(), fault),
            Happening::Stderr(_) => stream(Lane::Stderr, transcript.stderr(), None),
            Happening::SentLine(sent) => {
                let kind = sent.kind().map_or("no event", EventKind::as_str);
                let what = match sent.breaks() {
                    Some(requirement) => format!("{kind}, which breaks {requirement} on purpose"),
                    None => kind.to_owned(),
                };
                moment(Lane::Stdin, what, line(sent.bytes()))
            }
            Happening::SentBurst(burst) => {
                let (events, bytes) = (burst.events, burst.bytes);
                let what = format!("a burst of {events} events, {bytes} bytes; the first:");
                moment(Lane::Stdin, what, line(&burst.first))
            }
            Happening::SentChunk { chunk, sent } => {
                let what = match chunk.times() {
                    1 => counted(to_usize(*sent), "byte"),
                    times => format!("{times} times these, {sent} bytes in all:"),
                };
                moment(Lane::Stdin, what, line(chunk.unit()))
            }
            what => match tell(what) {
                Some((lane, words)) => moment(lane, words, Vec::new()),
                None => moment(Lane::Runner, String::new(), Vec::new()),
            },
        }
    }
}

/// What was written in one moment: how much, and its first lines, or the one with the fault.
fn lines(stream: &[u8], range: Range<usize>, fault: Option<usize>) -> (String, Vec<Excerpt>) {
    let bytes = &stream[range.clone()];
    let number = memchr::memchr_iter(b'\n', bytes).count() + usize::from(!bytes.ends_with(b"\n"));
    let mut offset = range.start;
    let mut excerpts = Vec::new();
    let mut left = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let fault = fault.and_then(|fault| fault.checked_sub(offset).filter(|at| *at < line.len()));
        if excerpts.len() < SHOWN_LINES || fault.is_some() {
            excerpts.push(Excerpt::of_line(offset, line, fault));
        } else {
            left += 1;
        }
        offset += line.len();
    }
    let amount = format!(
        "{}, {}",
        counted(number, "line"),
        counted(bytes.len(), "byte")
    );
    match left {
        0 => (amount, excerpts),
        _ => (
            format!("{amount}; {} not shown", counted(left, "line")),
            excerpts,
        ),
    }
}

/// What happened besides bytes, and to whom, as the end of a sentence; nothing for bytes.
pub(super) fn tell(what: &Happening) -> Option<(Lane, String)> {
    use Lane::{Runner, Subject};
    Some(match what {
        Happening::SentLine(_)
        | Happening::SentBurst(_)
        | Happening::SentChunk { .. }
        | Happening::Stdout(_)
        | Happening::Stderr(_) => return None,
        Happening::Did { what, fault: None } => (Runner, printable(what)),
        Happening::Did {
            what,
            fault: Some(fault),
        } => (Runner, printable(&format!("{what} did not work: {fault}"))),
        Happening::Stalled { unsent } => (
            Subject,
            format!("the subject took no byte until the timeout; {unsent} bytes were left to send"),
        ),
        Happening::StdinBroken => (
            Subject,
            "the subject's stdin was closed on its side".to_owned(),
        ),
        Happening::StdinClosed => (Runner, "stdin was closed".to_owned()),
        Happening::StdoutHeld { capacity } => (
            Runner,
            format!("stdout was not read any more; its pipe holds {capacity} bytes"),
        ),
        Happening::StdoutReleased => (Runner, "stdout was read again".to_owned()),
        Happening::StdoutClosed => (Runner, "the read end of stdout was closed".to_owned()),
        Happening::Awaited { barrier, met: true } => (Runner, format!("waited for: {barrier}")),
        Happening::Awaited {
            barrier,
            met: false,
        } => (Runner, format!("waited in vain for: {barrier}")),
        Happening::Sampled(sample) => match sample.figures {
            Some(figures) => (
                Runner,
                format!(
                    "looked: {:.1} MiB resident, {:.2} s of CPU, {}, {}",
                    figures.resident as f64 / f64::from(1 << 20),
                    figures.cpu.as_secs_f64(),
                    counted(figures.descriptors, "open file"),
                    match figures.processes {
                        1 => "1 process".to_owned(),
                        many => format!("{many} processes"),
                    },
                ),
            ),
            None => (
                Runner,
                format!("looked: {} bytes wait in stdout", sample.stdout_waiting),
            ),
        },
        Happening::QuietWindow(window) => (
            Runner,
            format!(
                "watched for {:.2} s with nothing to do: {:.2} s of CPU",
                window.length.as_secs_f64(),
                window.cpu.as_secs_f64()
            ),
        ),
        Happening::Exited { exit, unread } => {
            let words = match unread {
                Some(unread) if *unread > 0 => {
                    format!("the subject ended with {exit}, {unread} bytes of its stdin unread")
                }
                _ => format!("the subject ended with {exit}"),
            };
            (Subject, words)
        }
        Happening::Killed => (Runner, "the subject was killed".to_owned()),
        Happening::OutOfTime => (Runner, "the time for the whole check was over".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::PlayedHost;
    use crate::transcript::script::Script;

    fn told(timeline: &Timeline) -> Vec<(Lane, &str)> {
        let moments = timeline.moments();
        moments
            .map(|moment| (moment.lane, moment.what.as_str()))
            .collect()
    }

    #[test]
    fn pieces_of_a_stream_make_one_moment() {
        let script = Script::new().says("a\nb").says("\nc\n").complains("oops\n");
        let transcript = script.says("d").stdin_closed().exits(0).done();
        let timeline = Timeline::of(&transcript, Some(2), Some(1));
        assert_eq!(
            told(&timeline),
            [
                (Lane::Stdout, "3 lines, 6 bytes"),
                (Lane::Stderr, "1 line, 5 bytes"),
                (Lane::Stdout, "1 line, 1 byte"),
                (Lane::Runner, "stdin was closed"),
                (Lane::Subject, "the subject ended with status 0"),
            ]
        );
        let first = &timeline.beginning[0];
        assert!(first.is_fault && !timeline.beginning[2].is_fault);
        assert_eq!(first.excerpts[1].caret, Some(0));
        assert_eq!(timeline.beginning[2].excerpts[0].offset, 6);
    }

    #[test]
    fn a_flood_makes_a_short_timeline_that_still_shows_the_fault() {
        let mut script = Script::new();
        for number in 0..1000 {
            let text = "x\n".repeat(500) + &number.to_string();
            script = script.says(text).sends(PlayedHost::new().shutdown());
        }
        let transcript = script.done();
        let at = transcript.stdout().len() / 2;
        let ending = super::super::arrival(&transcript, at);
        let timeline = Timeline::of(&transcript, Some(at), Some(ending));
        assert_eq!(timeline.left_out + timeline.moments().count(), 2000);
        let fault = timeline.moments().find(|moment| moment.is_fault).unwrap();
        assert!(fault.excerpts.iter().any(|excerpt| excerpt.caret.is_some()));
        let size: usize = timeline
            .moments()
            .flat_map(|moment| &moment.excerpts)
            .map(|excerpt| excerpt.text.len())
            .sum();
        assert!(size < 64 << 10, "{size}");
    }
}
