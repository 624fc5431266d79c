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
        if self.transcript.stalled().is_some() && index + 1 == self.lines.len() {
            // It got only a part of this line.
            return self.silent_about(due);
        }
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
            _ if self.transcript.stalled().is_some() => (
                Reason::StoppedReading,
                format!("it stopped reading its stdin; {missing}"),
            ),
            Some(_) => (Reason::MissingVerdict, missing),
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
            escape(&text.as_bytes()[..end]),
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

#[cfg(test)]
mod tests {
    use nightcrow_protocol::RefusalCode;
    use serde_json::json;

    use super::*;
    use crate::checks::decoder::{Case, Direction};
    use crate::transcript::script::Script;

    const LINE: &str = r#"{"cmd":"log","v":3,"level":"info","message":"x"}"#;

    fn message() -> Value {
        json!({"cmd": "log", "v": 3, "level": "info", "message": "x"})
    }

    /// A message, a bad line and two blank ones.
    fn stream() -> Stream {
        let stream = Stream::new(
            Direction::Commands,
            vec![
                Case::accepted("a message", LINE, message()),
                Case::refused("no JSON", "{]", RefusalCode::NotJson),
                Case::stream("blanks", "\n\n", vec![Expected::Blank; 2]),
            ],
        );
        assert_eq!(stream.self_check(), Ok(()));
        stream
    }

    /// What an honest decoder says.
    fn honest(stream: &Stream) -> Vec<Value> {
        let verdicts = stream.due().enumerate().map(|(index, due)| {
            let n = index + 1;
            match due.expected {
                Expected::Message(message) => json!({"n": n, "ok": message}),
                Expected::Refused(code) => json!({"n": n, "refuse": code.as_str()}),
                Expected::Blank => json!({"n": n, "blank": true}),
                Expected::Open => json!({"n": n, "refuse": "open"}),
            }
        });
        verdicts.collect()
    }

    fn said(verdicts: &[Value]) -> String {
        verdicts
            .iter()
            .map(|verdict| format!("{verdict}\n"))
            .collect()
    }

    fn judged(stream: &Stream, says: &str, codes: &Codes) -> Judgement {
        let transcript = Script::new().stdin_closed().says(says).exits(0).done();
        judge(stream, codes, Measure::Nothing, &transcript)
    }

    /// The reason for the failure of a decoder whose verdicts were changed.
    fn reason(change: impl Fn(&mut Vec<Value>)) -> Reason {
        let stream = stream();
        let mut verdicts = honest(&stream);
        change(&mut verdicts);
        judged(&stream, &said(&verdicts), &Codes::Contract)
            .unwrap_err()
            .reason
    }

    /// Numbers the verdicts anew, as a decoder does that counts its own output.
    fn renumber(verdicts: &mut [Value]) {
        for (index, verdict) in verdicts.iter_mut().enumerate() {
            verdict["n"] = json!(index + 1);
        }
    }

    #[test]
    fn the_right_verdicts_pass_however_they_are_spelled() {
        let stream = stream();
        let verdicts = said(&honest(&stream));
        assert_eq!(
            judged(&stream, &verdicts, &Codes::Contract),
            Ok(Outcome::pass())
        );
        let crlf = verdicts.replace('\n', "\r\n");
        assert_eq!(
            judged(&stream, &crlf, &Codes::Contract),
            Ok(Outcome::pass())
        );
        let open = verdicts.trim_end();
        assert_eq!(judged(&stream, open, &Codes::Contract), Ok(Outcome::pass()));
    }

    #[test]
    fn each_fault_has_a_reason_of_its_own() {
        assert_eq!(
            reason(|said| said[0]["ok"]["message"] = json!("y")),
            Reason::WrongValue
        );
        assert_eq!(
            reason(|said| said[0]["ok"]["zz"] = json!(1)),
            Reason::WrongValue
        );
        assert_eq!(
            reason(|said| said[0]["ok"]["v"] = json!(3.0)),
            Reason::WrongValue
        );
        assert_eq!(
            reason(|said| said[0] = json!({"n": 1, "refuse": "x"})),
            Reason::RefusedGoodLine
        );
        assert_eq!(
            reason(|said| said[0] = json!({"n": 1, "blank": true})),
            Reason::SkippedLine
        );
        assert_eq!(
            reason(|said| said[2] = json!({"n": 3, "ok": {}})),
            Reason::AcceptedBadLine
        );
        assert_eq!(
            reason(|said| said[2]["refuse"] = json!("not_utf8")),
            Reason::WrongCode
        );
        assert_eq!(
            reason(|said| said[4] = json!({"n": 5, "refuse": "not_json"})),
            Reason::RefusedBlankLine
        );
        assert_eq!(reason(|said| said[3]["n"] = json!(9)), Reason::WrongNumber);
        assert_eq!(reason(|said| said[3] = json!("hello")), Reason::NotAVerdict);
    }

    #[test]
    fn canaries_tell_how_many_verdicts_a_case_got() {
        let twice = |said: &mut Vec<Value>| {
            said.insert(2, json!({"n": 3, "refuse": "not_json"}));
            renumber(said);
        };
        assert_eq!(reason(twice), Reason::ExtraVerdict);
        let never = |said: &mut Vec<Value>| {
            said.remove(2);
            renumber(said);
        };
        assert_eq!(reason(never), Reason::MissingVerdict);
        let stream = stream();
        let mut verdicts = honest(&stream);
        never(&mut verdicts);
        let failure = judged(&stream, &said(&verdicts), &Codes::Contract).unwrap_err();
        assert_eq!(failure.explanation, "1 line (no JSON) gave 0 verdicts");
        assert_eq!(failure.sent.unwrap().bytes, b"{]\n");
        assert_eq!(
            reason(|said| said.push(json!({"n": 8, "blank": true}))),
            Reason::ExtraVerdict
        );
        assert_eq!(reason(|said| said.truncate(3)), Reason::MissingVerdict);
    }

    #[test]
    fn codes_are_noted_where_they_are_not_judged() {
        let stream = stream();
        let mut verdicts = honest(&stream);
        for codes in [Codes::Unjudged, Codes::Contract] {
            let unnoted = judged(&stream, &said(&verdicts), &codes);
            assert_eq!(unnoted, Ok(Outcome::pass()));
        }
        verdicts[2]["refuse"] = json!("syntax");
        let outcome = judged(&stream, &said(&verdicts), &Codes::Unjudged).unwrap();
        let Outcome::Pass { note: Some(note) } = outcome else {
            panic!("{outcome:?}")
        };
        assert!(note.contains("line 3 gave `syntax` for not_json"), "{note}");
    }

    #[test]
    fn how_it_ended_counts_when_all_else_is_right() {
        let stream = stream();
        let all = said(&honest(&stream));
        let some = all.lines().next().unwrap().to_owned() + "\n";
        let reason = |script: Script| {
            let failure = judge(&stream, &Codes::Contract, Measure::Nothing, &script.done());
            failure.unwrap_err().reason
        };
        let says = |text: &str| Script::new().stdin_closed().says(text);
        assert_eq!(reason(says(&all).exits(1)), Reason::ExitStatus);
        assert_eq!(reason(says(&all).dies(6)), Reason::Crashed);
        assert_eq!(reason(says(&all).killed()), Reason::StillRunning);
        assert_eq!(reason(says(&some).exits(1)), Reason::ExitStatus);
        assert_eq!(reason(says(&some).dies(11)), Reason::Crashed);
        assert_eq!(reason(says(&some).killed()), Reason::StillRunning);
        assert_eq!(
            reason(Script::new().stalled().stdin_closed().killed()),
            Reason::StoppedReading
        );
    }

    #[test]
    fn of_very_many_verdicts_the_last_one_counts_too() {
        let lines = 400_000;
        let flood = Case {
            times: lines,
            ..Case::stream("many", "\n".repeat(lines), vec![Expected::Blank])
        };
        let stream = Stream::new(Direction::Commands, vec![flood]);
        let verdicts = honest(&stream);
        let judged = |verdicts: &[Value]| judged(&stream, &said(verdicts), &Codes::Contract);
        assert_eq!(judged(&verdicts), Ok(Outcome::pass()));
        let few = judged(&verdicts[..lines - 7]).unwrap_err();
        assert_eq!(few.reason, Reason::MissingVerdict);
        let mut last = verdicts;
        last[lines]["n"] = json!(1);
        assert_eq!(judged(&last).unwrap_err().reason, Reason::WrongNumber);
    }
}
