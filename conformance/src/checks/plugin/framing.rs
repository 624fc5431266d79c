use nightcrow_protocol::{CommandKind, RefusalCode};

use super::{Check, Level, Needs, Role, TALK, Test, Tier, cut_short, lifecycle};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::schema;
use crate::stimulus::{Barrier, PlayedHost, Step};
use crate::transcript::{StdoutLine, Transcript};

/// FRM-016: nothing but protocol lines on stdout.
pub(super) static ONLY_LINES: Check = Check {
    id: "FRM-016",
    title: "stdout carries protocol lines and nothing else",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-701",
    stimulus: "a pane's whole life, with what makes the plugin act: opened, output, idle, user_input, output, idle, \
               exited, opened again, output, idle, exited, closed; once the plugin has settled, shutdown and end of \
               stdin",
    accepted: "every byte of stdout belongs to a line that is one command of the contract: \
               send_input, relaunch, status, watch_pane, attention or log; logs go to stderr or into log",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: whole_life,
        judge: judge_only_lines,
    },
};

/// FRM-017: line ends and stray bytes.
pub(super) static CLEAN_LINES: Check = Check {
    id: "FRM-017",
    title: "lines end in LF and hold no CR and no BOM",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-110",
    stimulus: "a pane's whole life; once the plugin has settled, shutdown and end of stdin",
    accepted: "each line ends in one LF byte, the last one too; no CR byte anywhere (JSON writes it as \\r), \
               no byte order mark",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: whole_life,
        judge: judge_clean_lines,
    },
};

/// FRM-018: flushing.
pub(super) static FLUSHED: Check = Check {
    id: "FRM-018",
    title: "each line is flushed at once",
    level: Level::Should,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-112",
    stimulus: "pane_opened, pane_output, pane_idle, reason and occasion to act, pane_exited, with stdin left open \
               until the plugin acted or settled",
    accepted: "the first command, and any send_input, arrives while stdin is still open; a log at the end of stdin may \
               be a goodbye",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_flushed,
        judge: judge_flushed,
    },
};

/// FRM-020: stderr, for the record.
pub(super) static STDERR: Check = Check {
    id: "FRM-020",
    title: "stderr is recorded",
    level: Level::Info,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-718",
    stimulus: "a pane's whole life; once the plugin has settled, shutdown and end of stdin",
    accepted: "anything",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: whole_life,
        judge: judge_stderr,
    },
};

/// A pane's whole life, and once the subject has settled `shutdown` and end of stdin.
pub(super) fn whole_life(host: &PlayedHost) -> Vec<Step> {
    let mut steps = lifecycle(host);
    steps.extend([
        // What still waits in a queue at shutdown is dropped, and then proves nothing.
        Step::Await(Barrier::Settled),
        Step::Send(host.shutdown()),
        Step::CloseStdin,
    ]);
    steps
}

fn play_flushed(host: &PlayedHost) -> Vec<Step> {
    let mut pane = host.pane();
    let mut steps = vec![
        Step::Send(pane.opened()),
        Step::Send(pane.output(TALK)),
        Step::Send(pane.idle()),
    ];
    steps.extend(host.arm(&mut pane));
    steps.extend(host.fire(&mut pane));
    steps.push(host.await_action(&pane));
    steps.extend(host.exit(&mut pane));
    steps.extend([
        Step::Await(Barrier::Command),
        // Else an answer to the exit could look as if it had been held back.
        Step::Await(Barrier::Settled),
        Step::CloseStdin,
    ]);
    steps
}

pub(super) fn judge_only_lines(transcript: &Transcript) -> Judgement {
    let mut commands = 0;
    for line in transcript.lines().filter(|line| !may_become_one(line)) {
        if let Some(outcome) = not_a_command(&line)? {
            return Ok(outcome);
        }
        commands += 1;
    }
    if commands == 0 {
        return Ok(no_line(transcript));
    }
    Ok(cut_short(transcript).unwrap_or_else(|| Outcome::pass_with(format!("{commands} commands"))))
}

/// Whether only our own kill kept the line from becoming a command.
fn may_become_one(line: &StdoutLine<'_>) -> bool {
    let first = line.bytes.trim_ascii_start().first();
    line.is_cut && !line.is_too_long() && first.is_none_or(|byte| *byte == b'{')
}

/// There is no whole line to judge.
pub(super) fn no_line(transcript: &Transcript) -> Outcome {
    Outcome::NotExercised(match transcript.stdout() {
        [] => "it wrote nothing to stdout".to_owned(),
        _ => "it wrote no whole line to stdout".to_owned(),
    })
}

/// Holds a line against decoder and schema, which must agree where both can tell.
fn not_a_command(line: &StdoutLine<'_>) -> Result<Option<Outcome>, Failure> {
    let number = line.number;
    match line.decode() {
        Ok(Some(_)) => Ok(schema::check_command(line.bytes).err().map(|fault| {
            Outcome::Error(format!(
                "decoder and schema of this runner disagree about line {number} of stdout: {fault}"
            ))
        })),
        Ok(None) => Err(Failure::new(
            Reason::BlankLine,
            format!(
                "line {number} of stdout is blank: a host skips it, but it is no protocol line"
            ),
        )
        .at(line.offset)),
        Err(refusal) => Err(Failure::new(
            Reason::NotACommand,
            format!("line {number} of stdout is not a command of the contract"),
        )
        .at(line.offset + refusal.offset().min(line.bytes.len().saturating_sub(1)))
        .decoder(refusal.to_string())),
    }
}

fn judge_clean_lines(transcript: &Transcript) -> Judgement {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let stdout = transcript.stdout();
    if let Some(offset) = stdout.iter().position(|byte| *byte == b'\r') {
        let what = if stdout.get(offset + 1) == Some(&b'\n') {
            "a line ends in CR LF: a sender ends its lines in LF alone"
        } else {
            "a raw CR stands inside a line: JSON writes it as \\r"
        };
        return Err(Failure::new(Reason::CarriageReturn, what).at(offset));
    }
    let mut last = None;
    for line in transcript.lines() {
        if line.bytes.starts_with(BOM) {
            let what = format!(
                "line {} of stdout begins with a byte order mark",
                line.number
            );
            return Err(Failure::new(Reason::ByteOrderMark, what).at(line.offset));
        }
        if !line.is_cut {
            last = Some(line);
        }
    }
    let Some(last) = last else {
        return Ok(no_line(transcript));
    };
    if !last.terminated {
        return Err(unterminated(&last));
    }
    Ok(cut_short(transcript)
        .unwrap_or_else(|| Outcome::pass_with(format!("{} lines", last.number))))
}

/// The last line lacks its LF.
pub(super) fn unterminated(last: &StdoutLine<'_>) -> Failure {
    let what = "stdout ends inside a line: the last line has no LF";
    Failure::new(Reason::Unterminated, what).at(last.offset + last.bytes.len().saturating_sub(1))
}

fn judge_flushed(transcript: &Transcript) -> Judgement {
    let told = transcript.told_to_end().unwrap_or(usize::MAX);
    // A goodbye in a log says nothing about flushing: it had no reason to come earlier.
    let mut telling = transcript
        .commands()
        .filter(|(line, command)| line.entry < told || command.kind() != CommandKind::Log);
    let Some((first, _)) = telling.next() else {
        return Ok(Outcome::NotExercised("it sent no command".to_owned()));
    };
    if first.entry > told {
        let what = "commands came only after stdin was closed: they had been waiting in the plugin's own buffer";
        return Err(Failure::new(Reason::NotFlushed, what)
            .at(first.offset)
            .after(told));
    }
    let held = telling
        .find(|(line, command)| line.entry > told && command.kind() == CommandKind::SendInput);
    if let Some((line, _)) = held {
        let what = "a send_input came only after stdin was closed: it had been waiting in the plugin's own buffer";
        return Err(Failure::new(Reason::NotFlushed, what)
            .at(line.offset)
            .after(told));
    }
    Ok(Outcome::pass())
}

fn judge_stderr(transcript: &Transcript) -> Judgement {
    let encoding = match std::str::from_utf8(transcript.stderr()) {
        Ok(_) => "valid UTF-8",
        Err(_) => RefusalCode::NotUtf8.as_str(),
    };
    Ok(match transcript.stderr_received() {
        0 => Outcome::pass_with("nothing on stderr"),
        count => Outcome::pass_with(format!("{count} bytes on stderr, {encoding}")),
    })
}

#[cfg(test)]
mod tests {
    use nightcrow_protocol::limits::MAX_LINE_BYTES;

    use super::*;
    use crate::transcript::script::{LOG, Script, status};

    fn reason(judgement: Judgement) -> (Reason, Option<usize>) {
        let failure = judgement.unwrap_err();
        (failure.reason, failure.stdout_offset)
    }

    fn whole(says: impl AsRef<[u8]>) -> Transcript {
        Script::new()
            .opened()
            .says(says)
            .shutdown()
            .stdin_closed()
            .exits(0)
            .done()
    }

    #[test]
    fn only_lines_wants_commands_alone() {
        assert!(matches!(
            judge_only_lines(&whole(LOG)),
            Ok(Outcome::Pass { .. })
        ));
        let chatty = judge_only_lines(&whole(format!("{LOG}starting\n")));
        assert_eq!(reason(chatty), (Reason::NotACommand, Some(LOG.len())));
        let blank = judge_only_lines(&whole(format!("{LOG}\n{LOG}")));
        assert_eq!(reason(blank), (Reason::BlankLine, Some(LOG.len())));
    }

    #[test]
    fn silence_and_an_early_end_prove_nothing() {
        assert!(matches!(
            judge_only_lines(&whole("")),
            Ok(Outcome::NotExercised(_))
        ));
        assert!(matches!(
            judge_clean_lines(&whole("")),
            Ok(Outcome::NotExercised(_))
        ));
        assert!(matches!(
            judge_flushed(&whole("")),
            Ok(Outcome::NotExercised(_))
        ));
        let short = Script::new().opened().says(LOG).exits(0).done();
        assert!(matches!(
            judge_only_lines(&short),
            Ok(Outcome::NotExercised(_))
        ));
        assert!(matches!(
            judge_clean_lines(&short),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn a_line_cut_by_our_own_kill_is_not_held_against_anyone() {
        let half = format!("{LOG}{{\"cmd\":");
        let killed = Script::new()
            .opened()
            .says(half)
            .stdin_closed()
            .killed()
            .done();
        assert!(matches!(
            judge_only_lines(&killed),
            Ok(Outcome::Pass { .. })
        ));
        assert!(matches!(
            judge_clean_lines(&killed),
            Ok(Outcome::Pass { .. })
        ));
    }

    #[test]
    fn a_cut_line_that_could_be_no_command_is_judged() {
        let killed = |says: &str| Script::new().opened().says(says).stdin_closed().killed();
        let endless = format!("{LOG}{{{}", " ".repeat(MAX_LINE_BYTES));
        for hopeless in [&endless, &format!("{LOG}starting")] {
            let judged = judge_only_lines(&killed(hopeless).done()).unwrap_err();
            assert_eq!(judged.reason, Reason::NotACommand);
            assert!(judged.stdout_offset >= Some(LOG.len()));
        }
        let half = judge_only_lines(&killed("{\"cmd\":").done());
        assert_eq!(
            half,
            Ok(Outcome::NotExercised(
                "it wrote no whole line to stdout".to_owned()
            ))
        );
    }

    #[test]
    fn whoever_drops_its_queue_at_shutdown_is_first_left_to_empty_it() {
        let steps = whole_life(&PlayedHost::new());
        let shutdown = |step: &Step| matches!(step, Step::Send(line) if line.is_shutdown());
        let shutdown = steps.iter().position(shutdown).unwrap();
        assert!(matches!(steps[shutdown - 1], Step::Await(Barrier::Settled)));
    }

    #[test]
    fn clean_lines_looks_at_bytes() {
        assert!(matches!(
            judge_clean_lines(&whole(LOG)),
            Ok(Outcome::Pass { .. })
        ));
        // Chatter is somebody else's business.
        assert!(matches!(
            judge_clean_lines(&whole("starting\n")),
            Ok(Outcome::Pass { .. })
        ));
        assert_eq!(
            reason(judge_clean_lines(&whole("{}\r\n"))),
            (Reason::CarriageReturn, Some(2))
        );
        assert_eq!(
            reason(judge_clean_lines(&whole("a\rb\n"))),
            (Reason::CarriageReturn, Some(1))
        );
        let bom = judge_clean_lines(&whole("{}\n\u{feff}{}\n"));
        assert_eq!(reason(bom), (Reason::ByteOrderMark, Some(3)));
        assert_eq!(
            reason(judge_clean_lines(&whole("{}\n{}"))),
            (Reason::Unterminated, Some(4))
        );
    }

    #[test]
    fn flushed_means_before_the_end_of_stdin() {
        let early = Script::new()
            .opened()
            .says(LOG)
            .stdin_closed()
            .exits(0)
            .done();
        assert_eq!(judge_flushed(&early), Ok(Outcome::pass()));
        let late = Script::new()
            .opened()
            .stdin_closed()
            .says(status("0a"))
            .exits(0)
            .done();
        assert_eq!(reason(judge_flushed(&late)), (Reason::NotFlushed, Some(0)));
    }

    #[test]
    fn an_input_must_not_wait_even_if_another_command_did_not() {
        let mut pane = PlayedHost::new().pane();
        let begun = Script::new().sends(pane.opened()).says(LOG);
        let held = begun.stdin_closed().types_into(&pane).exits(0).done();
        let found = reason(judge_flushed(&held));
        assert_eq!(found, (Reason::NotFlushed, Some(LOG.len())));
        let mut pane = PlayedHost::new().pane();
        let begun = Script::new().sends(pane.opened()).says(LOG);
        let at_once = begun.types_into(&pane).stdin_closed().exits(0).done();
        assert_eq!(judge_flushed(&at_once), Ok(Outcome::pass()));
    }

    #[test]
    fn a_goodbye_need_not_come_early() {
        let ending = |says: String| Script::new().opened().stdin_closed().says(says).exits(0);
        let goodbye = judge_flushed(&ending(LOG.to_owned()).done());
        assert!(matches!(goodbye, Ok(Outcome::NotExercised(_))));
        let hidden = judge_flushed(&ending(format!("{LOG}{}", status("0a"))).done());
        assert_eq!(reason(hidden), (Reason::NotFlushed, Some(LOG.len())));
    }

    #[test]
    fn stderr_is_only_recorded() {
        let note = |transcript: &Transcript| match judge_stderr(transcript) {
            Ok(Outcome::Pass { note }) => note.unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(note(&whole("")), "nothing on stderr");
        let loud = Script::new()
            .complains("hé\n")
            .stdin_closed()
            .exits(1)
            .done();
        assert_eq!(note(&loud), "4 bytes on stderr, valid UTF-8");
    }
}
