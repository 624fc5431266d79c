use nightcrow_protocol::CommandKind;

use super::conduct::broken;
use super::framing::unterminated;
use super::{Check, Level, Needs, Role, Test, Tier, ended, kept_reading, lifecycle, stayed};
use crate::monitor::Rule;
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::stimulus::{Barrier, PlayedHost, Step};
use crate::transcript::{Exit, Happening, Transcript};

/// LIF-001: `shutdown`.
pub(super) static ENDS_ON_SHUTDOWN: Check = Check {
    id: "LIF-001",
    title: "shutdown ends the plugin",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-702",
    stimulus: "a pane's whole life; once the plugin has settled, shutdown, with stdin left open",
    accepted: "exit with status 0 within the grace, and no command about a pane after shutdown",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_shutdown,
        judge: judge_shutdown,
    },
};

/// LIF-002: end of stdin.
pub(super) static ENDS_ON_EOF: Check = Check {
    id: "LIF-002",
    title: "end of stdin ends the plugin",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-703",
    stimulus: "a pane's whole life; once the plugin has settled, end of stdin without shutdown",
    accepted: "exit with status 0 within the grace, its last line whole",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_eof,
        judge: judge_eof,
    },
};

/// LIF-003: no pane, no pane command.
pub(super) static KNOWN_PANES: Check = Check {
    id: "LIF-003",
    title: "commands only for panes that were announced",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-704",
    stimulus: "no pane at all; once the plugin has settled, a pane's whole life, then shutdown and end of stdin",
    accepted: "before the pane is announced log and watch_pane at most; then commands with exactly its token",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_no_pane,
        judge: judge_no_pane,
    },
};

fn play_shutdown(host: &PlayedHost) -> Vec<Step> {
    let mut steps = lifecycle(host);
    steps.extend([
        // Else a command that answers an earlier event could look as if it came after shutdown.
        Step::Await(Barrier::Settled),
        Step::Send(host.shutdown()),
        Step::Await(Barrier::Exit),
    ]);
    steps
}

fn play_eof(host: &PlayedHost) -> Vec<Step> {
    let mut steps = lifecycle(host);
    steps.extend([Step::Await(Barrier::Settled), Step::CloseStdin]);
    steps
}

fn play_no_pane(host: &PlayedHost) -> Vec<Step> {
    let mut steps = vec![Step::Await(Barrier::Settled)];
    steps.extend(lifecycle(host));
    steps.extend([
        Step::Await(Barrier::Settled),
        Step::Send(host.shutdown()),
        Step::CloseStdin,
    ]);
    steps
}

fn judge_shutdown(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    if transcript.waited_in_vain_for(Barrier::Exit) {
        let what = "it had not ended when the grace after shutdown was over";
        return Err(Failure::new(Reason::StillRunning, what));
    }
    ended_well(transcript)?;
    let settled = transcript.position(|what| {
        matches!(
            what,
            Happening::Awaited {
                barrier: Barrier::Settled,
                met: true
            }
        )
    });
    let (Some(_), Some(shutdown)) = (settled, transcript.told_to_end()) else {
        return Ok(Outcome::pass_with(
            "it never settled before shutdown, so the order of its last commands was not judged",
        ));
    };
    let mut late = transcript
        .commands()
        .filter(|(line, command)| line.entry > shutdown && command.kind() != CommandKind::Log);
    match late.next() {
        Some((line, command)) => {
            let what = format!("it sent {} after shutdown", command.kind().as_str());
            Err(Failure::new(Reason::CommandAfterShutdown, what).at(line.offset))
        }
        None => Ok(Outcome::pass()),
    }
}

fn judge_eof(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    ended_well(transcript)?;
    match transcript.lines().last() {
        Some(last) if !last.terminated && !last.is_cut => Err(unterminated(&last)),
        _ => Ok(Outcome::pass()),
    }
}

pub(super) fn ended_well(transcript: &Transcript) -> Result<(), Failure> {
    match ended(transcript)? {
        Exit::Status(0) => Ok(()),
        exit @ Exit::Status(_) => Err(Failure::new(
            Reason::ExitStatus,
            format!("it ended with {exit}, not with status 0"),
        )),
        exit @ Exit::Signal(_) => Err(Failure::new(
            Reason::Crashed,
            format!("it was ended by {exit}"),
        )),
    }
}

fn judge_no_pane(transcript: &Transcript) -> Judgement {
    broken(transcript, &[Rule::KnownPane])?;
    Ok(match transcript.commands().count() {
        0 => Outcome::NotExercised("it sent no command".to_owned()),
        _ => Outcome::pass(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::{LOG, Script, status};

    fn reason(judgement: Judgement) -> Reason {
        judgement.unwrap_err().reason
    }

    fn settled() -> Script {
        Script::new()
            .opened()
            .says(status("0a"))
            .awaited(Barrier::Settled, true)
    }

    #[test]
    fn shutdown_wants_a_quiet_end_with_status_0() {
        let good = settled()
            .shutdown()
            .says(LOG)
            .exits(0)
            .awaited(Barrier::Exit, true)
            .done();
        assert_eq!(judge_shutdown(&good), Ok(Outcome::pass()));
        let late = settled()
            .shutdown()
            .says(status("0a"))
            .exits(0)
            .awaited(Barrier::Exit, true)
            .done();
        assert_eq!(reason(judge_shutdown(&late)), Reason::CommandAfterShutdown);
        let deaf = settled()
            .shutdown()
            .awaited(Barrier::Exit, false)
            .stdin_closed()
            .exits(0)
            .done();
        assert_eq!(reason(judge_shutdown(&deaf)), Reason::StillRunning);
        let failed = settled()
            .shutdown()
            .exits(1)
            .awaited(Barrier::Exit, true)
            .done();
        assert_eq!(reason(judge_shutdown(&failed)), Reason::ExitStatus);
        let crashed = settled()
            .shutdown()
            .dies(6)
            .awaited(Barrier::Exit, true)
            .done();
        assert_eq!(reason(judge_shutdown(&crashed)), Reason::Crashed);
        let early = Script::new().opened().exits(0).done();
        assert_eq!(reason(judge_shutdown(&early)), Reason::ExitedEarly);
        let stuck = Script::new()
            .opened()
            .stalled()
            .stdin_closed()
            .killed()
            .done();
        assert_eq!(reason(judge_shutdown(&stuck)), Reason::StoppedReading);
    }

    #[test]
    fn order_is_not_judged_where_it_cannot_be_known() {
        let busy = Script::new()
            .opened()
            .awaited(Barrier::Settled, false)
            .shutdown();
        let busy = busy
            .says(status("0a"))
            .exits(0)
            .awaited(Barrier::Exit, true)
            .done();
        assert!(matches!(
            judge_shutdown(&busy),
            Ok(Outcome::Pass { note: Some(_) })
        ));
    }

    #[test]
    fn end_of_stdin_wants_the_same_and_a_whole_last_line() {
        assert_eq!(
            judge_eof(&settled().stdin_closed().exits(0).done()),
            Ok(Outcome::pass())
        );
        assert_eq!(
            reason(judge_eof(&settled().stdin_closed().killed().done())),
            Reason::StillRunning
        );
        assert_eq!(
            reason(judge_eof(&settled().stdin_closed().exits(1).done())),
            Reason::ExitStatus
        );
        assert_eq!(
            reason(judge_eof(&settled().stdin_closed().dies(9).done())),
            Reason::Crashed
        );
        assert_eq!(
            reason(judge_eof(&settled().exits(0).done())),
            Reason::ExitedEarly
        );
        let cut = settled().stdin_closed().says("{\"cmd\"").exits(0).done();
        assert_eq!(reason(judge_eof(&cut)), Reason::Unterminated);
    }

    #[test]
    fn only_what_was_announced_is_commanded() {
        let ends = |script: Script| script.shutdown().stdin_closed().exits(0).done();
        assert_eq!(
            judge_no_pane(&ends(Script::new().says(LOG))),
            Ok(Outcome::pass())
        );
        let watch = "{\"cmd\":\"watch_pane\",\"v\":3,\"token\":\"0a\"}\n";
        assert_eq!(
            judge_no_pane(&ends(Script::new().says(watch))),
            Ok(Outcome::pass())
        );
        assert_eq!(
            reason(judge_no_pane(&ends(Script::new().says(status("0a"))))),
            Reason::UnknownPane
        );
        assert!(matches!(
            judge_no_pane(&ends(Script::new())),
            Ok(Outcome::NotExercised(_))
        ));
        let mut pane = PlayedHost::new().pane();
        let announced = Script::new().sends(pane.opened());
        assert_eq!(
            judge_no_pane(&ends(announced.answers(&pane))),
            Ok(Outcome::pass())
        );
        let early = Script::new().answers(&pane).opened();
        assert_eq!(reason(judge_no_pane(&ends(early))), Reason::UnknownPane);
    }
}
