//! Holds what a decoder said against what it had to say.

use serde_json::Value;

use super::Expected;
use super::codes::Codes;
use super::measure::Measure;
use super::stream::{Due, Stream};
use super::verdict::{Said, Verdict};
use crate::outcome::{Failure, Judgement, Outcome, Reason, SentLine};
use crate::report::escape;
use crate::transcript::{Exit, StdoutLine, Transcript};

/// The verdict on a decoder that was given this stream.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn judge(
    stream: &Stream,
    codes: &Codes,
    measure: Measure,
    transcript: &Transcript,
) -> Judgement {
    let mut hearing = Hearing {
        stream,
        codes,
        transcript,
        lines: transcript.lines().filter(|line| !line.is_cut).collect(),
        odd_codes: Vec::new(),
    };
    hearing.compare()?;
    hearing.ended_well()?;
    let measured = measure.judge(transcript)?;
    let notes: Vec<_> = [hearing.odd_codes(), measured]
        .into_iter()
        .flatten()
        .collect();
    Ok(match notes[..] {
        [] => Outcome::pass(),
        _ => Outcome::pass_with(notes.join("; ")),
    })
}

struct Hearing<'a> {
    stream: &'a Stream,
    codes: &'a Codes,
    transcript: &'a Transcript,
    lines: Vec<StdoutLine<'a>>,
    /// Refusals with another code than the contract's, where codes are not judged.
    odd_codes: Vec<String>,
}

/// What is wrong with one verdict.
type Fault = (Reason, String);

impl Hearing<'_> {
    fn compare(&mut self) -> Result<(), Failure> {
        let mut due = self.stream.due();
        for index in 0..self.lines.len() {
            let line = self.lines[index];
            let verdict = Verdict::read(line.bytes)
                .map_err(|(place, what)| not_a_verdict(&line, place, &what))?;
            let Some(due) = due.next() else {
                let lines = self.stream.lines();
                let what = format!(
                    "it gave a verdict on line {}, but it was sent {lines} lines",
                    verdict.n
                );
                return Err(Failure::new(Reason::ExtraVerdict, what).at(line.offset));
            };
            if let Some(fault) = self.fault(&verdict, due, index) {
                return Err(self.explain(fault, due, index));
            }
        }
        match due.next() {
            None => Ok(()),
            Some(_) if self.transcript.stdout_is_cut() => self.compare_end(),
            Some(due) => Err(self.silent_about(due)),
        }
    }

    /// What is wrong with a verdict on a line that another one was due on.
    fn fault(&mut self, verdict: &Verdict, due: Due<'_>, index: usize) -> Option<Fault> {
        let number = index as u64 + 1;
        if verdict.n != number {
            let what = format!("it gave verdict number {number} to line {}", verdict.n);
            return Some((Reason::WrongNumber, what));
        }
        let name = name(due, number);
        match (due.expected, &verdict.said) {
            (Expected::Blank, Said::Blank)
            | (Expected::Open, Said::Message(_) | Said::Refused(_)) => None,
            (Expected::Message(message), Said::Message(said)) => {
                difference(message, said).map(|difference| {
                    (
                        Reason::WrongValue,
                        format!("{name} was decoded, but {difference}"),
                    )
                })
            }
            (Expected::Refused(code), Said::Refused(said)) => {
                if *self.codes == Codes::Unjudged && said != code.as_str() {
                    self.odd_codes.push(format!(
                        "line {number} gave `{}` for {code}",
                        escape(said.as_bytes())
                    ));
                }
                let fault = self.codes.fault(said, *code)?;
                let said = escape(said.as_bytes());
                let what = format!(
                    "{name} must be refused with {code}, but was with `{said}`, which {fault}"
                );
                Some((
                    Reason::WrongCode,
                    what.trim_end_matches(", which ").to_owned(),
                ))
            }
            (Expected::Refused(code), Said::Message(said)) => {
                let what = format!(
                    "{name} must be refused with {code}, but was taken for {}",
                    shown(said)
                );
                Some((Reason::AcceptedBadLine, what))
            }
            (Expected::Blank, Said::Message(said)) => {
                let what = format!("{name} is blank, but was taken for {}", shown(said));
                Some((Reason::AcceptedBadLine, what))
            }
            (Expected::Message(_), Said::Refused(code)) => {
                let what = format!(
                    "{name} is a message, but was refused with `{}`",
                    escape(code.as_bytes())
                );
                Some((Reason::RefusedGoodLine, what))
            }
            (Expected::Blank, Said::Refused(code)) => {
                let what = format!(
                    "{name} is blank, but was refused with `{}`",
                    escape(code.as_bytes())
                );
                Some((Reason::RefusedBlankLine, what))
            }
            (Expected::Message(_) | Expected::Refused(_) | Expected::Open, Said::Blank) => {
                let what = format!("{name} was skipped as blank, but is not");
                Some((Reason::SkippedLine, what))
            }
        }
    }

    /// The failure of which this is the first sign. Where lines were cut in other places, the canary
    /// stands in another place too, and that tells more.
    fn explain(&self, fault: Fault, due: Due<'_>, index: usize) -> Failure {
        let (wanted, start) = (due.exchange.case.lines(), due.exchange.first_line);
        let canary = self.lines[start..].iter().position(|line| {
            matches!(Verdict::read(line.bytes), Ok(Verdict { said: Said::Message(message), .. }) if due.exchange.is_canary(&message))
        });
        let line = &self.lines[index];
        match canary {
            Some(got) if got != wanted => {
                let first = Due { line: 0, ..due };
                let (reason, what) = miscounted(first, wanted, got);
                with_sent(
                    Failure::new(reason, what).at(line.offset),
                    self.stream,
                    first,
                )
            }
            _ => {
                let (reason, what) = fault;
                with_sent(Failure::new(reason, what).at(line.offset), self.stream, due)
            }
        }
    }

    /// Why a line got no verdict.
    fn silent_about(&self, due: Due<'_>) -> Failure {
        let number = self.lines.len() as u64 + 1;
        let missing = format!("{} got no verdict", name(due, number));
        let (reason, what) = match self.transcript.exit() {
            Some((_, exit @ Exit::Signal(_))) => (
                Reason::Crashed,
                format!("it was ended by {exit}; {missing}"),
            ),
            Some((_, exit)) if exit != Exit::Status(0) => (
                Reason::ExitStatus,
                format!("it ended with {exit}; {missing}"),
            ),
            Some(_) => (Reason::MissingVerdict, missing),
            None if self.transcript.stalled().is_some() => (
                Reason::StoppedReading,
                format!("it stopped reading its stdin; {missing}"),
            ),
            None => (
                Reason::StillRunning,
                format!("it neither went on nor ended, and was killed; {missing}"),
            ),
        };
        with_sent(Failure::new(reason, what), self.stream, due)
    }

    /// Of very many verdicts only the first and the last are kept: the last one and their number must
    /// be right as well.
    fn compare_end(&self) -> Result<(), Failure> {
        let (due, got) = (
            self.stream.lines() as u64,
            self.transcript.stdout_line_ends(),
        );
        if got != due && self.transcript.exit().is_some() {
            let (reason, few) = if got < due {
                (Reason::MissingVerdict, "only ")
            } else {
                (Reason::ExtraVerdict, "")
            };
            let what = format!("it was sent {due} lines and gave {few}{got} verdicts");
            return Err(Failure::new(reason, what));
        }
        let end = self.transcript.stdout_end();
        let last = end
            .strip_suffix(b"\n")
            .unwrap_or(end)
            .rsplit(|byte| *byte == b'\n')
            .next();
        let said = Verdict::read(last.unwrap_or_default());
        match self.stream.last() {
            Some(last) if got != due => Err(self.silent_about(last)),
            Some(Due {
                expected: Expected::Message(message),
                ..
            }) if !matches!(&said, Ok(Verdict { n, said: Said::Message(said) }) if *n == due && said == message) =>
            {
                let what =
                    format!("the last of its {due} verdicts is not the one on the last line");
                Err(Failure::new(Reason::WrongNumber, what))
            }
            _ => Ok(()),
        }
    }

    fn ended_well(&self) -> Result<(), Failure> {
        let (reason, what) = match self.transcript.exit() {
            Some((_, Exit::Status(0))) => return Ok(()),
            Some((_, exit @ Exit::Signal(_))) => {
                (Reason::Crashed, format!("it was ended by {exit}"))
            }
            Some((_, exit)) => (
                Reason::ExitStatus,
                format!("it ended with {exit}, although refusals are no errors of its own"),
            ),
            None => (
                Reason::StillRunning,
                "it gave every verdict but did not end at the end of its stdin, and was killed"
                    .to_owned(),
            ),
        };
        Err(Failure::new(reason, what))
    }

    fn odd_codes(&self) -> Option<String> {
        let first = self.odd_codes.first()?;
        let count = self.odd_codes.len();
        Some(format!(
            "codes not judged (see --codes): {count} differ, {first}"
        ))
    }
}

fn not_a_verdict(line: &StdoutLine<'_>, place: usize, what: &str) -> Failure {
    let explanation = format!("line {} of stdout is no verdict", line.number);
    Failure::new(Reason::NotAVerdict, explanation)
        .at(line.offset + place.min(line.bytes.len()))
        .decoder(what.to_owned())
}

fn miscounted(due: Due<'_>, wanted: usize, got: usize) -> Fault {
    let about = &due.exchange.case.about;
    let reason = if got < wanted {
        Reason::MissingVerdict
    } else {
        Reason::ExtraVerdict
    };
    let lines = if wanted == 1 {
        "1 line"
    } else {
        &format!("{wanted} lines")
    };
    let verdicts = if got == 1 {
        "1 verdict"
    } else {
        &format!("{got} verdicts")
    };
    (reason, format!("{lines} ({about}) gave {verdicts}"))
}

/// What a line is called in explanations.
fn name(due: Due<'_>, number: u64) -> String {
    let about = &due.exchange.case.about;
    if due.is_canary() {
        format!("line {number} (a good one, behind: {about})")
    } else {
        format!("line {number} ({about})")
    }
}

/// How a message differs from what it should be, member by member.
fn difference(expected: &Value, said: &Value) -> Option<String> {
    if expected == said {
        return None;
    }
    let (Some(expected), Some(said)) = (expected.as_object(), said.as_object()) else {
        return Some(format!("to {}", shown(said)));
    };
    for (name, value) in expected {
        match said.get(name) {
            None => return Some(format!("`{name}` is missing")),
            Some(other) if other != value => {
                return Some(format!(
                    "`{name}` is {} and not {}",
                    shown(other),
                    shown(value)
                ));
            }
            Some(_) => {}
        }
    }
    let surplus = said.keys().find(|name| !expected.contains_key(*name));
    surplus.map(|name| format!("`{}` is no member of it", escape(name.as_bytes())))
}

/// A value, cut to what can be read at a glance.
fn shown(value: &Value) -> String {
    const SHOWN_BYTES: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_BYTES) {
        Some((end, _)) => format!(
            "{}[...] ({} bytes)",
            escape(text[..end].as_bytes()),
            text.len()
        ),
        None => escape(text.as_bytes()),
    }
}

/// The failure with the line that it is about, and what our own decoder has against that line.
fn with_sent(failure: Failure, stream: &Stream, due: Due<'_>) -> Failure {
    let Some((offset, bytes)) = due.sent() else {
        return failure;
    };
    let mut framer = nightcrow_protocol::LineFramer::new();
    let mut input = &bytes[..];
    let refusal = match framer.next_line(&mut input) {
        Some(line) => stream.direction().verdict(&line).err(),
        None => framer
            .finish()
            .and_then(|line| stream.direction().verdict(&line).err()),
    };
    let fault = refusal
        .as_ref()
        .map(|refusal| refusal.offset().min(bytes.len()));
    let failure = failure.about(SentLine {
        offset,
        bytes,
        fault,
    });
    match refusal {
        Some(refusal) => failure.decoder(refusal.to_string()),
        None => failure,
    }
}
