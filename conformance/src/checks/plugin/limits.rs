use nightcrow_protocol::limits::MAX_LINE_BYTES;
use nightcrow_protocol::{EventKind, PaneToken, RefusalCode};

use super::framing::no_line;
use super::{
    Check, Level, Needs, Role, TALK, Test, Tier, cut_short, did_not_crash, kept_reading, stayed,
};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::stimulus::{Barrier, Burst, EventLine, Pane, PlayedHost, Step};
use crate::transcript::{Exit, Happening, Transcript};

/// LIM-017: nothing too large comes out, whatever goes in.
pub(super) static WITHIN_LIMITS: Check = Check {
    id: "LIM-017",
    title: "no line and no input over the limits",
    level: Level::Must,
    tier: Tier::Full,
    role: Role::Plugin,
    proves: "PLG-111",
    stimulus: "2,000 pane_output lines of 65,536 bytes over four panes, each followed by pane_idle; then end of stdin",
    accepted: "lines of at most 65,536 bytes without their LF, and `data` of at most 8,192 bytes of UTF-8",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_within_limits,
        judge: judge_within_limits,
    },
};

/// LIM-018: the longest legal line, with both terminators.
pub(super) static LONGEST_LINE: Check = Check {
    id: "LIM-018",
    title: "the longest legal event line is taken",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-712",
    stimulus: "pane_opened for two panes; a pane_output line of exactly 65,536 bytes ended by LF; pane_opened for a \
               third pane; the same long line ended by CR LF; pane_opened for a fourth pane; end of stdin",
    accepted: "the plugin lives on, and if it answers the first two pane_opened, each with a command about that \
               pane, it answers the third and the fourth too",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_longest_line,
        judge: judge_longest_line,
    },
};

/// LIM-020: a line that no host may send.
pub(super) static OVERLONG_LINE: Check = Check {
    id: "LIM-020",
    title: "an over-long event line is survived",
    level: Level::Should,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-713",
    stimulus: "pane_opened for two panes; a pane_output line of 102,400 bytes, which breaks PLG-103 on purpose; \
               pane_opened for a third pane; end of stdin",
    accepted: "the plugin drops the line and answers the next pane_opened as it answered the first two, \
               or it ends with status 0 and says why in a log command or on stderr",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_overlong_line,
        judge: judge_overlong_line,
    },
};

const OVERLONG_BYTES: usize = 102_400;

/// How many panes are announced before a long line. One alone could be all that a plugin cares for.
const CONTROLS: usize = 2;

fn play_within_limits(host: &PlayedHost) -> Vec<Step> {
    let mut panes: Vec<Pane> = (0..4).map(|_| host.pane()).collect();
    let mut steps: Vec<Step> = panes
        .iter_mut()
        .map(|pane| Step::Send(pane.opened()))
        .collect();
    let cycle = panes
        .iter_mut()
        .flat_map(|pane| [longest(pane), pane.idle()]);
    steps.extend([Step::SendBurst(Burst::new(cycle, 500)), Step::CloseStdin]);
    steps
}

/// A `pane_output` line of exactly the limit.
fn longest(pane: &mut Pane) -> EventLine {
    pane.output(TALK).padded_to(MAX_LINE_BYTES)
}

/// Waits for the answer to a `pane_opened`.
fn answer(pane: &Pane, or_settled: bool) -> Step {
    Step::Await(Barrier::Answer {
        token: pane.token(),
        or_settled,
    })
}

fn play_longest_line(host: &PlayedHost) -> Vec<Step> {
    let (mut first, mut control) = (host.pane(), host.pane());
    let (mut third, mut fourth) = (host.pane(), host.pane());
    vec![
        Step::Send(first.opened()),
        answer(&first, true),
        Step::Send(control.opened()),
        answer(&control, true),
        Step::Send(longest(&mut first)),
        Step::Send(third.opened()),
        answer(&third, false),
        Step::Send(longest(&mut first).with_cr_lf()),
        Step::Send(fourth.opened()),
        answer(&fourth, false),
        Step::CloseStdin,
    ]
}

fn play_overlong_line(host: &PlayedHost) -> Vec<Step> {
    let (mut first, mut control, mut third) = (host.pane(), host.pane(), host.pane());
    vec![
        Step::Send(first.opened()),
        answer(&first, true),
        Step::Send(control.opened()),
        answer(&control, true),
        Step::Send(first.output(TALK).padded_to(OVERLONG_BYTES)),
        Step::Send(third.opened()),
        answer(&third, false),
        Step::CloseStdin,
    ]
}

fn judge_within_limits(transcript: &Transcript) -> Judgement {
    let mut lines = 0;
    for line in transcript.lines() {
        let number = line.number;
        if line.is_too_long() {
            let what = format!("line {number} of stdout holds {} bytes", line.bytes.len());
            return Err(Failure::new(Reason::LineTooLong, what).at(line.offset + MAX_LINE_BYTES));
        }
        if line.is_cut {
            break;
        }
        if let Err(refusal) = line.decode()
            && refusal.code() == RefusalCode::InputTooLarge
        {
            let what =
                format!("line {number} of stdout asks for more input than fits one send_input");
            return Err(Failure::new(Reason::InputTooLarge, what)
                .at(line.offset + refusal.offset())
                .decoder(refusal.to_string()));
        }
        lines = number;
    }
    if lines == 0 {
        return Ok(no_line(transcript));
    }
    Ok(cut_short(transcript).unwrap_or_else(|| Outcome::pass_with(format!("{lines} lines"))))
}

/// The panes announced, with the entries of their `pane_opened`.
fn announced(transcript: &Transcript) -> Vec<(usize, PaneToken)> {
    let lines = transcript
        .sent_lines()
        .filter(|(_, line)| line.kind() == Some(EventKind::PaneOpened));
    lines
        .filter_map(|(entry, line)| Some((entry, line.pane()?.0)))
        .collect()
}

/// The panes announced after a long line, if each of the two before the first long line was answered
/// before it was sent; if not, there is nothing to compare with.
fn to_be_answered(transcript: &Transcript) -> Result<Vec<(usize, PaneToken)>, Outcome> {
    let mut outputs = transcript
        .sent_lines()
        .filter(|(_, line)| line.kind() == Some(EventKind::PaneOutput));
    let long_line = outputs.next().map_or(usize::MAX, |(entry, _)| entry);
    let (before, after): (Vec<_>, Vec<_>) = announced(transcript)
        .into_iter()
        .partition(|(entry, _)| *entry < long_line);
    let was_answered = |&(entry, token): &(usize, PaneToken)| {
        let answer = transcript.answer(token, entry);
        answer.is_some_and(|line| line.entry < long_line)
    };
    if before.len() == CONTROLS && before.iter().all(was_answered) {
        Ok(after)
    } else {
        let what = "it does not answer each pane_opened";
        Err(Outcome::NotExercised(what.to_owned()))
    }
}

fn judge_longest_line(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    did_not_crash(transcript)?;
    let panes = match to_be_answered(transcript) {
        Ok(panes) => panes,
        Err(outcome) => return Ok(outcome),
    };
    let terminators = ["LF", "CR LF"];
    for ((entry, token), terminator) in panes.into_iter().zip(terminators) {
        if transcript.answer(token, entry).is_none() {
            let what = format!(
                "it answered the first two pane_opened, but not the one after a line of 65,536 bytes ended by {terminator}"
            );
            return Err(Failure::new(Reason::NotAnswered, what).after(entry + 1));
        }
    }
    Ok(Outcome::pass())
}

fn judge_overlong_line(transcript: &Transcript) -> Judgement {
    kept_reading(transcript)?;
    let mut violations = transcript
        .sent_lines()
        .filter(|(_, line)| line.breaks().is_some());
    let long_line = violations.next().map_or(usize::MAX, |(entry, _)| entry);
    if let Err(fault) = stayed(transcript) {
        let clean = matches!(transcript.exit(), Some((_, Exit::Status(0))));
        return if clean && says_why(transcript, long_line) {
            Ok(Outcome::pass_with("it ended with status 0 and said why"))
        } else {
            Err(fault)
        };
    }
    did_not_crash(transcript)?;
    let panes = match to_be_answered(transcript) {
        Ok(panes) => panes,
        Err(outcome) => return Ok(outcome),
    };
    match panes.first() {
        Some(&(entry, token)) if transcript.answer(token, entry).is_none() => {
            let what =
                "it answered the first two pane_opened, but not the one after the over-long line";
            Err(Failure::new(Reason::NotAnswered, what).after(entry + 1))
        }
        _ => Ok(Outcome::pass()),
    }
}

/// Whether anything was said on stderr or in a `log` while or after the line at this entry was sent.
fn says_why(transcript: &Transcript, long_line: usize) -> bool {
    // A subject may end before the whole line was written: look from what came before it.
    let begun = (0..long_line.min(transcript.entries().len()))
        .rev()
        .find(|index| matches!(transcript.entries()[*index].what, Happening::Awaited { .. }))
        .unwrap_or(0);
    transcript.stderr().len() > transcript.stderr_before(begun)
        || transcript.commands().any(|(line, command)| {
            line.entry > begun && matches!(command, nightcrow_protocol::Command::Log(_))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::{LOG, Script};

    fn reason(judgement: Judgement) -> Reason {
        judgement.unwrap_err().reason
    }

    fn panes() -> [Pane; 4] {
        let host = PlayedHost::new();
        [host.pane(), host.pane(), host.pane(), host.pane()]
    }

    #[test]
    fn within_limits_counts_bytes_without_the_terminator() {
        let says = |line: String| {
            Script::new()
                .opened()
                .burst(9)
                .says(line)
                .stdin_closed()
                .exits(0)
                .done()
        };
        let longest = format!("{}\n", "x".repeat(MAX_LINE_BYTES));
        assert!(matches!(
            judge_within_limits(&says(longest)),
            Ok(Outcome::Pass { .. })
        ));
        let too_long = format!("{}\n", "x".repeat(MAX_LINE_BYTES + 1));
        let failure = judge_within_limits(&says(too_long)).unwrap_err();
        assert_eq!(
            (failure.reason, failure.stdout_offset),
            (Reason::LineTooLong, Some(MAX_LINE_BYTES))
        );
        let endless = Script::new().says("x".repeat(MAX_LINE_BYTES + 1));
        let endless = judge_within_limits(&endless.stdin_closed().killed().done());
        assert_eq!(reason(endless), Reason::LineTooLong);
        let unfinished = Script::new().says("{").stdin_closed().killed().done();
        assert!(matches!(
            judge_within_limits(&unfinished),
            Ok(Outcome::NotExercised(_))
        ));
        let input = |data: String| {
            says(format!(
                "{{\"cmd\":\"send_input\",\"v\":3,\"token\":\"t\",\"generation\":1,\"data\":\"{data}\"}}\n"
            ))
        };
        assert!(matches!(
            judge_within_limits(&input("é".repeat(4_096))),
            Ok(Outcome::Pass { .. })
        ));
        assert_eq!(
            reason(judge_within_limits(&input("é".repeat(4_097)))),
            Reason::InputTooLarge
        );
        assert!(matches!(
            judge_within_limits(&says(String::new())),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn who_answers_once_must_answer_after_the_long_lines() {
        let begun = |answers: &[usize]| {
            let said = |script: Script, pane: &Pane, index: usize| {
                if answers.contains(&index) {
                    script.answers(pane)
                } else {
                    script
                }
            };
            let [mut a, mut b, mut c, mut d] = panes();
            let script = said(Script::new().sends(a.opened()), &a, 0).sends(b.opened());
            let script = said(script, &b, 1).sends(longest(&mut a)).sends(c.opened());
            let script = said(script, &c, 2)
                .sends(longest(&mut a).with_cr_lf())
                .sends(d.opened());
            said(script, &d, 3).stdin_closed().exits(0).done()
        };
        let all = begun(&[0, 1, 2, 3]);
        assert_eq!(judge_longest_line(&all), Ok(Outcome::pass()));
        // Whoever answers nobody, or only its first pane, cannot be compared with itself.
        for some in [&[][..], &[0], &[1], &[0, 2, 3]] {
            assert!(matches!(
                judge_longest_line(&begun(some)),
                Ok(Outcome::NotExercised(_))
            ));
        }
        let lf = judge_longest_line(&begun(&[0, 1, 3])).unwrap_err();
        assert_eq!(lf.reason, Reason::NotAnswered);
        assert!(lf.explanation.ends_with("ended by LF"));
        let cr_lf = judge_longest_line(&begun(&[0, 1, 2])).unwrap_err();
        assert!(cr_lf.explanation.ends_with("ended by CR LF"));

        // Answers that come late, all at the end of stdin, are answers too, but the first one then
        // cannot tell whether the plugin answers at all.
        let [mut a, mut b, mut c, _] = panes();
        let late = Script::new()
            .sends(a.opened())
            .sends(b.opened())
            .sends(longest(&mut a))
            .sends(c.opened())
            .stdin_closed()
            .answers(&a)
            .answers(&b)
            .exits(0)
            .done();
        assert!(matches!(
            judge_longest_line(&late),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn dying_of_the_longest_line_is_judged_even_in_silence() {
        let [mut a, ..] = panes();
        let died = Script::new()
            .sends(a.opened())
            .sends(longest(&mut a))
            .exits(1)
            .done();
        assert_eq!(reason(judge_longest_line(&died)), Reason::ExitedEarly);
        let [mut a, ..] = panes();
        let crashed = Script::new()
            .sends(a.opened())
            .sends(longest(&mut a))
            .stdin_closed()
            .dies(11)
            .done();
        assert_eq!(reason(judge_longest_line(&crashed)), Reason::Crashed);
        let [mut a, ..] = panes();
        let stuck = Script::new()
            .sends(a.opened())
            .stalled()
            .stdin_closed()
            .killed()
            .done();
        assert_eq!(reason(judge_longest_line(&stuck)), Reason::StoppedReading);
    }

    #[test]
    fn an_over_long_line_may_be_dropped_or_be_the_end() {
        let overlong = |a: &mut Pane| a.output("").padded_to(OVERLONG_BYTES);
        let begun = |a: &mut Pane, b: &mut Pane, c: &mut Pane| {
            let script = Script::new().sends(a.opened()).answers(a);
            let script = script.sends(b.opened()).answers(b);
            script.sends(overlong(a)).sends(c.opened())
        };
        let [mut a, mut b, mut c, _] = panes();
        let dropped = begun(&mut a, &mut b, &mut c);
        let dropped = dropped.answers(&c).stdin_closed().exits(0).done();
        assert_eq!(judge_overlong_line(&dropped), Ok(Outcome::pass()));

        let ends = |status, words: &str| {
            let [mut a, ..] = panes();
            let begun = Script::new()
                .sends(a.opened())
                .answers(&a)
                .awaited(Barrier::Settled, true);
            begun
                .sends(overlong(&mut a))
                .complains(words)
                .exits(status)
                .done()
        };
        assert!(matches!(
            judge_overlong_line(&ends(0, "line too long\n")),
            Ok(Outcome::Pass { .. })
        ));
        assert_eq!(
            reason(judge_overlong_line(&ends(0, ""))),
            Reason::ExitedEarly
        );
        assert_eq!(
            reason(judge_overlong_line(&ends(1, "traceback\n"))),
            Reason::ExitedEarly
        );

        let [mut a, mut b, mut c, _] = panes();
        let deaf = begun(&mut a, &mut b, &mut c);
        let third = (c.as_ref().token, c.as_ref().generation);
        let deaf = deaf.says(LOG).stdin_closed().exits(0).done();
        let failure = judge_overlong_line(&deaf).unwrap_err();
        assert_eq!(failure.reason, Reason::NotAnswered);
        let mut sent = deaf.sent_lines();
        let (third, _) = sent.find(|(_, line)| line.pane() == Some(third)).unwrap();
        assert_eq!(
            failure.after,
            Some(third + 1),
            "all that could be an answer is shown"
        );
    }
}
