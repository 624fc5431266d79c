use super::{Check, Level, Needs, Role, TALK, Test, Tier, ended, kept_reading, stayed};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::stimulus::{Barrier, Burst, EventLine, PlayedHost, Step};
use crate::transcript::{Exit, Happening, Transcript};

/// LIF-010: nobody reads its stdout any more.
pub(super) static CLOSED_STDOUT: Check = Check {
    id: "LIF-010",
    title: "a closed stdout ends the plugin",
    level: Level::Should,
    tier: Tier::Full,
    role: Role::Plugin,
    proves: "PLG-716",
    stimulus: "pane_opened; the read end of stdout is closed; events that make the plugin speak; end of stdin",
    accepted: "exit within the grace with any status, or by SIGPIPE; no hang and no other signal",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_closed_stdout,
        judge: judge_closed_stdout,
    },
};

/// LIF-011: a reader that comes late.
pub(super) static SLOW_READER: Check = Check {
    id: "LIF-011",
    title: "a slow reader is tolerated",
    level: Level::Should,
    tier: Tier::Full,
    role: Role::Plugin,
    proves: "PLG-715",
    stimulus: "stdout is not read until stdin has taken 2 MiB of panes being opened, used and closed; \
               then it is read, and stdin ends",
    accepted: "all of stdin is read; commands that do not fit may wait in a bounded queue or be dropped",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_slow_reader,
        judge: judge_held_stdout,
    },
};

/// LIF-027: a reader that never comes.
pub(super) static UNREAD_STDOUT: Check = Check {
    id: "LIF-027",
    title: "stdin is read on while nobody reads stdout",
    level: Level::Must,
    tier: Tier::Full,
    role: Role::Plugin,
    proves: "PLG-715",
    stimulus: "stdout is not read while stdin takes 8 MiB of panes being opened, used and closed",
    accepted: "all of stdin is read; commands that do not fit may wait in a bounded queue or be dropped",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_unread_stdout,
        judge: judge_held_stdout,
    },
};

fn play_closed_stdout(host: &PlayedHost) -> Vec<Step> {
    let mut pane = host.pane();
    let mut steps = vec![
        Step::Send(pane.opened()),
        Step::Await(Barrier::Answer {
            token: pane.token(),
            or_settled: true,
        }),
        Step::CloseStdout,
    ];
    steps.extend(pane_lives(host, 16 << 10).into_iter().map(Step::Send));
    steps.push(Step::CloseStdin);
    steps
}

fn play_slow_reader(host: &PlayedHost) -> Vec<Step> {
    vec![
        Step::HoldStdout,
        Step::SendBurst(Burst::new(pane_lives(host, 2 << 20), 1)),
        Step::Await(Barrier::Taken),
        // Whoever writes on a thread or in a process of its own may have yet to fill the pipe.
        Step::Await(Barrier::Settled),
        Step::Sample,
        Step::ReleaseStdout,
        Step::SendBurst(Burst::new(pane_lives(host, 64 << 10), 1)),
        Step::Await(Barrier::Taken),
        Step::CloseStdin,
    ]
}

fn play_unread_stdout(host: &PlayedHost) -> Vec<Step> {
    vec![
        Step::HoldStdout,
        Step::SendBurst(Burst::new(pane_lives(host, 8 << 20), 1)),
        Step::Await(Barrier::Taken),
        // Whoever writes on a thread or in a process of its own may have yet to fill the pipe.
        Step::Await(Barrier::Settled),
        Step::Sample,
        Step::ReleaseStdout,
        Step::CloseStdin,
    ]
}

/// Lives of many panes one after the other, of about this many bytes. Each prints some 16 KiB.
fn pane_lives(host: &PlayedHost, bytes: usize) -> Vec<EventLine> {
    let text = format!(
        "{}{TALK}",
        "The quick brown fox jumps over the lazy dog.\r\n".repeat(340)
    );
    let (mut lines, mut length) = (Vec::new(), 0);
    while length < bytes {
        let mut pane = host.pane();
        let life = [
            pane.opened(),
            pane.output(&text),
            pane.idle(),
            pane.exited(),
            pane.closed(),
        ];
        length += life.iter().map(|line| line.bytes().len()).sum::<usize>();
        lines.extend(life);
    }
    lines
}

fn judge_closed_stdout(transcript: &Transcript) -> Judgement {
    match ended(transcript)? {
        Exit::Status(_) => {}
        Exit::Signal(signal) if signal == rustix::process::Signal::PIPE.as_raw() => {}
        exit @ Exit::Signal(_) => {
            let what = format!("it was ended by {exit} when nobody read its stdout any more");
            return Err(Failure::new(Reason::Crashed, what));
        }
    }
    let closed = transcript.position(|what| matches!(what, Happening::StdoutClosed));
    let spoke = transcript.commands().next().is_some();
    match closed {
        Some(_) if spoke => Ok(Outcome::pass()),
        Some(_) => Ok(Outcome::NotExercised(
            "it had said nothing while stdout was open".to_owned(),
        )),
        None => Ok(Outcome::NotExercised(
            "it ended before stdout was closed".to_owned(),
        )),
    }
}

fn judge_held_stdout(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    let capacity = transcript
        .entries()
        .iter()
        .find_map(|entry| match entry.what {
            Happening::StdoutHeld { capacity } => Some(capacity as u64),
            _ => None,
        });
    let waiting = transcript
        .samples()
        .next()
        .map(|sample| sample.stdout_waiting);
    let (Some(capacity), Some(waiting)) = (capacity, waiting) else {
        return Ok(Outcome::Error(
            "the stdout pipe could not be looked at".to_owned(),
        ));
    };
    // The pipe was full if it had no room for the next line.
    let longest = transcript
        .lines()
        .filter(|line| !line.is_cut)
        .map(|line| line.bytes.len() + 1)
        .max()
        .unwrap_or(0) as u64;
    if waiting + longest <= capacity {
        return Ok(Outcome::NotExercised(format!(
            "it said too little to fill its stdout pipe: {waiting} of {capacity} bytes"
        )));
    }
    Ok(Outcome::pass())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::{LOG, Script};

    fn reason(judgement: Judgement) -> Reason {
        judgement.unwrap_err().reason
    }

    #[test]
    fn a_closed_stdout_allows_any_orderly_end() {
        let closed = || {
            Script::new()
                .opened()
                .says(LOG)
                .happens(Happening::StdoutClosed)
                .stdin_closed()
        };
        assert_eq!(
            judge_closed_stdout(&closed().exits(0).done()),
            Ok(Outcome::pass())
        );
        assert_eq!(
            judge_closed_stdout(&closed().exits(101).done()),
            Ok(Outcome::pass())
        );
        assert_eq!(
            judge_closed_stdout(&closed().dies(13).done()),
            Ok(Outcome::pass())
        );
        assert_eq!(
            reason(judge_closed_stdout(&closed().dies(6).done())),
            Reason::Crashed
        );
        assert_eq!(
            reason(judge_closed_stdout(&closed().killed().done())),
            Reason::StillRunning
        );
        let silent = Script::new()
            .opened()
            .happens(Happening::StdoutClosed)
            .stdin_closed()
            .exits(0)
            .done();
        assert!(matches!(
            judge_closed_stdout(&silent),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn only_a_full_pipe_proves_something() {
        let held = |waiting, says: &str| {
            let script = Script::new()
                .happens(Happening::StdoutHeld { capacity: 4_096 })
                .burst(9);
            script
                .waiting_output(waiting)
                .says(says)
                .stdin_closed()
                .exits(0)
                .done()
        };
        let short = "{}\n".repeat(9);
        let room = 4_096 - LOG.len() as u64;
        for says in [LOG.to_owned(), format!("{short}{LOG}{short}")] {
            let full = judge_held_stdout(&held(room + 1, &says));
            assert_eq!(full, Ok(Outcome::pass()));
            let with_room = judge_held_stdout(&held(room, &says));
            assert!(matches!(with_room, Ok(Outcome::NotExercised(_))));
        }
        assert!(matches!(
            judge_held_stdout(&held(0, "")),
            Ok(Outcome::NotExercised(_))
        ));
        let stuck = Script::new()
            .happens(Happening::StdoutHeld { capacity: 4_096 })
            .stalled();
        assert_eq!(
            reason(judge_held_stdout(&stuck.stdin_closed().exits(0).done())),
            Reason::StoppedReading
        );
    }
}
