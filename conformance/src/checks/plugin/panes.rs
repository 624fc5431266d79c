use nightcrow_protocol::{CommandKind, EventKind};

use super::conduct::{Experiment, broken, is_about_a_process, panes, unannounced, unless_idle};
use super::{Check, Level, Needs, Role, Test, Tier};
use crate::monitor::Rule;
use crate::outcome::{Failure, Judgement, Reason};
use crate::stimulus::{Barrier, Pane, PlayedHost, Step};
use crate::transcript::Transcript;

/// LIF-004: a closed pane.
pub(super) static NOTHING_AFTER_CLOSED: Check = Check {
    id: "LIF-004",
    title: "nothing is sent for a closed pane",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-705",
    stimulus: "three panes, each with a reason to act; pane_closed for two of them; another pane with reason and \
               occasion to act; once the plugin has settled, shutdown",
    accepted: "no command but watch_pane for the two panes once the plugin can have read their pane_closed: it \
               named a pane that was opened later, or it spoke for both and not for the one left open",
    needs: Needs::Input,
    test: Test::Plugin {
        play: play_closed,
        judge: judge_closed,
    },
};

/// LIF-005: the ended and the living.
pub(super) static INPUT_TO_THE_LIVING: Check = Check {
    id: "LIF-005",
    title: "no input to an ended program, no relaunch of a live one",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-706",
    stimulus: "three panes, each with a reason to act; the programs of two of them end, and the first is started \
               again; another pane with reason and occasion to act; once the plugin has settled, shutdown",
    accepted: "send_input only for live programs and relaunch only for ended ones, as far as the plugin can know",
    needs: Needs::Input,
    test: Test::Plugin {
        play: play_exited,
        judge: judge_exited,
    },
};

/// LIF-006: generations.
pub(super) static NEWEST_GENERATION: Check = Check {
    id: "LIF-006",
    title: "commands carry the newest generation",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-707",
    stimulus: "pane_opened, pane_exited, pane_opened with generation 2; another pane with reason and occasion to \
               act; then the first with reason and occasion to act; once the plugin has settled, shutdown",
    accepted: "every command for the first pane carries generation 2 once the plugin can have read of it",
    needs: Needs::Input,
    test: Test::Plugin {
        play: play_generations,
        judge: judge_generations,
    },
};

/// A pane that is announced, with a reason to act.
pub(super) fn armed(host: &PlayedHost, pane: &mut Pane) -> Vec<Step> {
    let mut steps = vec![Step::Send(pane.opened())];
    steps.extend(host.arm(pane));
    steps
}

/// A pane that is announced and spoken of, if the plugin greets panes.
pub(super) fn greeted(pane: &mut Pane) -> Vec<Step> {
    vec![
        Step::Send(pane.opened()),
        Step::Await(Barrier::Answer {
            token: pane.token(),
            or_settled: true,
        }),
    ]
}

/// A pane with reason and occasion to act: a command for it shows that everything before was read.
pub(super) fn canary(host: &PlayedHost, pane: &mut Pane) -> Vec<Step> {
    let mut steps = armed(host, pane);
    steps.extend(host.fire(pane));
    steps.push(host.await_action(pane));
    steps
}

/// The end of an exchange: what comes late has a chance to come.
pub(super) fn ending(host: &PlayedHost) -> Vec<Step> {
    vec![
        Step::Await(Barrier::Settled),
        Step::Send(host.shutdown()),
        Step::CloseStdin,
    ]
}

/// Two panes to be treated, and what comes before: both, and a third that will be left alone, have a
/// reason to act, and another pane shows that this was read.
fn prepared(host: &PlayedHost) -> ([Pane; 2], Vec<Step>) {
    let mut treated = [host.pane(), host.pane()];
    let mut steps: Vec<Step> = treated
        .iter_mut()
        .flat_map(|pane| armed(host, pane))
        .collect();
    steps.extend(armed(host, &mut host.pane()));
    steps.extend(greeted(&mut host.pane()));
    (treated, steps)
}

fn play_closed(host: &PlayedHost) -> Vec<Step> {
    let ([mut first, mut second], mut steps) = prepared(host);
    steps.extend([Step::Send(first.closed()), Step::Send(second.closed())]);
    steps.extend(canary(host, &mut host.pane()));
    steps.extend(ending(host));
    steps
}

fn play_exited(host: &PlayedHost) -> Vec<Step> {
    let ([mut first, mut second], mut steps) = prepared(host);
    steps.extend(host.exit(&mut first));
    steps.extend(host.exit(&mut second));
    steps.push(host.await_action(&second));
    steps.push(Step::Send(first.opened()));
    steps.extend(canary(host, &mut host.pane()));
    steps.extend(ending(host));
    steps
}

fn play_generations(host: &PlayedHost) -> Vec<Step> {
    let (mut pane, mut other) = (host.pane(), host.pane());
    let mut steps = greeted(&mut pane);
    steps.extend(host.exit(&mut pane));
    steps.push(host.await_action(&pane));
    steps.push(Step::Send(pane.opened()));
    steps.extend(canary(host, &mut other));
    steps.extend(host.arm(&mut pane));
    steps.extend(host.fire(&mut pane));
    steps.push(host.await_action(&pane));
    steps.extend(ending(host));
    steps
}

fn judge_closed(transcript: &Transcript) -> Judgement {
    broken(transcript, &[Rule::OpenPane])?;
    let [first, second, control, _, after] = panes(transcript)[..] else {
        return Ok(unannounced(transcript));
    };
    let experiment = Experiment {
        transcript,
        treated: [first, second],
        control,
        treatment: EventKind::PaneClosed,
    };
    if let Some((line, command)) = experiment.provoked(is_about_a_process) {
        let what = format!(
            "pane_closed made it send {}: it did so for two panes when they were closed, and not for the one \
             that stayed open",
            command.kind().as_str()
        );
        return Err(Failure::new(Reason::ClosedPane, what).at(line.offset));
    }
    let spoke = transcript.answer(after, 0).is_some();
    Ok(unless_idle(
        transcript,
        spoke,
        "it sent no command for the pane that was opened last",
    ))
}

fn judge_exited(transcript: &Transcript) -> Judgement {
    broken(
        transcript,
        &[Rule::InputToTheLiving, Rule::RelaunchOfTheEnded],
    )?;
    let [first, second, control, _, after] = panes(transcript)[..] else {
        return Ok(unannounced(transcript));
    };
    let experiment = Experiment {
        transcript,
        treated: [first, second],
        control,
        treatment: EventKind::PaneExited,
    };
    let provoked = experiment.provoked(|command| matches!(command, CommandKind::SendInput));
    if let Some((line, _)) = provoked {
        let what = "pane_exited made it send send_input: it did so for two panes whose programs ended, and not for \
                    the one whose program lived on";
        return Err(Failure::new(Reason::InputToExited, what).at(line.offset));
    }
    let acted = [first, second, after]
        .iter()
        .any(|pane| transcript.actions(*pane, 0).next().is_some());
    Ok(unless_idle(
        transcript,
        acted,
        "it sent neither send_input nor relaunch",
    ))
}

fn judge_generations(transcript: &Transcript) -> Judgement {
    broken(transcript, &[Rule::NewestGeneration])?;
    let Some(&pane) = panes(transcript).first() else {
        return Ok(unless_idle(transcript, false, "no pane was announced"));
    };
    let newest = transcript.commands().any(|(_, command)| {
        let is_second = |generation: nightcrow_protocol::PaneGeneration| generation.get() == 2;
        command.token() == Some(pane) && command.generation().is_some_and(is_second)
    });
    Ok(unless_idle(
        transcript,
        newest,
        "it sent no command for the program that was started again",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;
    use crate::transcript::script::Script;

    fn reason(judgement: Judgement) -> Reason {
        judgement.unwrap_err().reason
    }

    /// Five panes as the first two checks have them, with a greeting for the fourth if it is `greeted`.
    fn begun(greeted: bool) -> (Script, [Pane; 5]) {
        let host = PlayedHost::new();
        let mut panes = [(); 5].map(|()| host.pane());
        let mut script = Script::new();
        for pane in &mut panes[..4] {
            script = script.sends(pane.opened());
        }
        if greeted {
            script = script.answers(&panes[3]);
        }
        (script, panes)
    }

    fn ends(script: Script) -> Transcript {
        script.shutdown().stdin_closed().exits(0).done()
    }

    #[test]
    fn nothing_is_said_of_a_closed_pane() {
        let closed = || {
            let (script, mut panes) = begun(true);
            let script = script.sends(panes[0].closed()).sends(panes[1].closed());
            (script.sends(panes[4].opened()), panes)
        };
        let (script, panes) = closed();
        assert_eq!(
            judge_closed(&ends(script.types_into(&panes[4]))),
            Ok(Outcome::pass())
        );
        let (script, panes) = closed();
        let watching = script
            .watches(&panes[0])
            .types_into(&panes[4])
            .watches(&panes[1]);
        assert_eq!(judge_closed(&ends(watching)), Ok(Outcome::pass()));
        let (script, panes) = closed();
        let late = script.types_into(&panes[4]).types_into(&panes[0]);
        let late = judge_closed(&ends(late)).unwrap_err();
        assert_eq!(late.reason, Reason::ClosedPane);
        assert!(late.stdout_offset.is_some());
        let (script, _) = closed();
        assert!(matches!(
            judge_closed(&ends(script)),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn what_only_crossed_is_settled_by_experiment() {
        let closed = |speaks: &[usize]| {
            let (mut script, mut panes) = begun(true);
            script = script.sends(panes[0].closed()).sends(panes[1].closed());
            for pane in speaks {
                script = script.answers(&panes[*pane]);
            }
            let script = script.sends(panes[4].opened()).types_into(&panes[4]);
            judge_closed(&ends(script))
        };
        assert_eq!(reason(closed(&[0, 1])), Reason::ClosedPane);
        // One alone may have been on its way; and whoever speaks of the open one too has other reasons.
        assert_eq!(closed(&[0]), Ok(Outcome::pass()));
        assert_eq!(closed(&[1]), Ok(Outcome::pass()));
        assert_eq!(closed(&[0, 1, 2]), Ok(Outcome::pass()));
        assert_eq!(closed(&[2]), Ok(Outcome::pass()));
    }

    #[test]
    fn the_dead_get_no_input_and_the_living_no_relaunch() {
        let exited = |speaks: fn(Script, &[Pane; 5]) -> Script| {
            let (script, mut panes) = begun(true);
            let script = script.sends(panes[0].exited()).sends(panes[1].exited());
            let script = speaks(script, &panes).sends(panes[4].opened());
            judge_exited(&ends(script.types_into(&panes[4])))
        };
        let fair = exited(|script, panes| script.relaunches(&panes[0]).relaunches(&panes[1]));
        assert_eq!(fair, Ok(Outcome::pass()));
        let both = exited(|script, panes| script.types_into(&panes[0]).types_into(&panes[1]));
        assert_eq!(reason(both), Reason::InputToExited);
        let one = exited(|script, panes| script.types_into(&panes[0]));
        assert_eq!(one, Ok(Outcome::pass()));
        let live = exited(|script, panes| script.relaunches(&panes[2]));
        assert_eq!(reason(live), Reason::RelaunchOfLive);
        let (script, mut panes) = begun(true);
        let script = script.sends(panes[0].exited()).sends(panes[1].exited());
        let script = script.sends(panes[4].opened()).answers(&panes[4]);
        let late = script.types_into(&panes[1]);
        assert_eq!(reason(judge_exited(&ends(late))), Reason::InputToExited);
        let (script, mut panes) = begun(true);
        let idle = script.sends(panes[4].opened()).answers(&panes[4]);
        assert!(matches!(
            judge_exited(&ends(idle)),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn a_relaunch_alone_shows_that_it_acts() {
        let (script, mut panes) = begun(false);
        let script = script.sends(panes[0].exited()).relaunches(&panes[0]);
        let script = script.sends(panes[4].opened());
        assert_eq!(judge_exited(&ends(script)), Ok(Outcome::pass()));
    }

    #[test]
    fn the_newest_generation_is_named() {
        let host = PlayedHost::new();
        let again = || {
            let (mut pane, mut other) = (host.pane(), host.pane());
            let script = Script::new().sends(pane.opened()).sends(pane.exited());
            // What is written before the second opening carries the first generation.
            let old = Script::new().types_into(&pane).done().stdout().to_vec();
            let script = script.sends(pane.opened()).sends(other.opened());
            (script, pane, other, old)
        };
        let (script, pane, other, _) = again();
        let newest = script.types_into(&other).types_into(&pane);
        assert_eq!(judge_generations(&ends(newest)), Ok(Outcome::pass()));
        let (script, _, other, old) = again();
        let stale = script.types_into(&other).says(old);
        assert_eq!(
            reason(judge_generations(&ends(stale))),
            Reason::StaleGeneration
        );
        let (script, _, other, old) = again();
        let crossed = script.says(old).types_into(&other);
        assert!(matches!(
            judge_generations(&ends(crossed)),
            Ok(Outcome::NotExercised(_))
        ));
    }
}
