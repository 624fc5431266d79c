use std::collections::HashMap;
use std::time::Duration;

use nightcrow_protocol::{Command, EventKind, PaneToken};

use super::conduct::{Experiment, is_action, panes, unannounced, unless_idle};
use super::panes::{armed, ending, greeted};
use super::{Check, Level, Needs, Role, Test, Tier};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::stimulus::{Barrier, PlayedHost, Step};
use crate::transcript::{StdoutLine, Transcript};

/// LIF-007: a person takes over.
pub(super) static A_PERSON_TAKES_OVER: Check = Check {
    id: "LIF-007",
    title: "user_input cancels what was planned",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-708",
    stimulus: "three panes with a reason to act, one without; user_input in two of the three; another pane with a \
               reason; then the occasion for all but the third; once the plugin has settled, shutdown",
    accepted: "neither send_input nor relaunch for the two panes in which a person typed; nothing is concluded if \
               the plugin acts on the occasion alone, as it does for the pane without a reason",
    needs: Needs::Input,
    test: Test::Plugin {
        play: play_person,
        judge: judge_person,
    },
};

/// LIF-008: no answer is an answer.
pub(super) static SILENCE_IS_AN_ANSWER: Check = Check {
    id: "LIF-008",
    title: "a command without effect is not repeated for ever",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-709",
    stimulus: "a pane with reason and occasion to act, and one whose program ends; the host does nothing about the \
               commands; twelve more times the first pane, and one without a reason, print a dot and fall idle; \
               three seconds pass; shutdown",
    accepted: "the same send_input or relaunch at most five times, or as often as the profile says",
    needs: Needs::Input,
    test: Test::Plugin {
        play: play_refusals,
        judge: judge_refusals,
    },
};

/// How often a pane falls idle again.
const ROUNDS: usize = 12;

/// For how long a plugin may show that it repeats itself by its own clock.
const REPEATING: Duration = Duration::from_secs(3);

fn play_person(host: &PlayedHost) -> Vec<Step> {
    let [mut first, mut second] = [host.pane(), host.pane()];
    let [mut armed_only, mut fired_only] = [host.pane(), host.pane()];
    let (mut before, mut after) = (host.pane(), host.pane());
    let mut steps = armed(host, &mut first);
    steps.extend(armed(host, &mut second));
    steps.extend(armed(host, &mut armed_only));
    steps.push(Step::Send(fired_only.opened()));
    steps.extend(greeted(&mut before));
    steps.extend([
        Step::Send(first.user_input()),
        Step::Send(second.user_input()),
    ]);
    steps.extend(armed(host, &mut after));
    steps.push(Step::Await(Barrier::Answer {
        token: after.token(),
        or_settled: true,
    }));
    for pane in [&mut first, &mut second, &mut fired_only, &mut after] {
        steps.extend(host.fire(pane));
    }
    steps.push(host.await_action(&after));
    steps.extend(ending(host));
    steps
}

fn play_refusals(host: &PlayedHost) -> Vec<Step> {
    let [mut pane, mut ended, mut control] = [host.pane(), host.pane(), host.pane()];
    let mut steps = armed(host, &mut pane);
    steps.extend(host.fire(&mut pane));
    steps.push(host.await_action(&pane));
    steps.push(Step::Send(ended.opened()));
    steps.extend(host.exit(&mut ended));
    steps.push(host.await_action(&ended));
    steps.push(Step::Send(control.opened()));
    for _ in 0..ROUNDS {
        for pane in [&mut pane, &mut control] {
            steps.extend([Step::Send(pane.output(".")), Step::Send(pane.idle())]);
        }
    }
    steps.push(Step::Watch(REPEATING));
    steps.extend(ending(host));
    steps
}

fn judge_person(transcript: &Transcript) -> Judgement {
    let [first, second, armed_only, fired_only, _, after] = panes(transcript)[..] else {
        return Ok(unannounced(transcript));
    };
    let acts = |pane: PaneToken| transcript.actions(pane, 0).next();
    if acts(fired_only).is_some() {
        let what =
            "it acts on the occasion alone, without a reason: so it may act again after user_input";
        return Ok(Outcome::NotExercised(what.to_owned()));
    }
    let experiment = Experiment {
        transcript,
        treated: [first, second],
        control: armed_only,
        treatment: EventKind::UserInput,
    };
    if let Some((line, command)) =
        surely_late(transcript, [first, second], after).or_else(|| experiment.provoked(is_action))
    {
        let what = format!(
            "it sent {} for a pane in which a person had typed since there was a reason for it",
            command.kind().as_str()
        );
        return Err(Failure::new(Reason::ActedOverAPerson, what).at(line.offset));
    }
    Ok(unless_idle(
        transcript,
        acts(after).is_some(),
        "it did not act on the pane in which nobody typed",
    ))
}

/// An action on one of these panes after the plugin named a pane that was opened later.
fn surely_late(
    transcript: &Transcript,
    panes: [PaneToken; 2],
    later: PaneToken,
) -> Option<(StdoutLine<'_>, Command<'_>)> {
    let named = transcript.answer(later, 0)?.number;
    let mut commands = transcript.commands();
    commands.find(|(line, command)| {
        line.number > named
            && is_action(command.kind())
            && command.token().is_some_and(|token| panes.contains(&token))
    })
}

fn judge_refusals(transcript: &Transcript) -> Judgement {
    let [pane, ended, control] = panes(transcript)[..] else {
        return Ok(unannounced(transcript));
    };
    let most = transcript.terms.attempts;
    let again = |pane: PaneToken| {
        let mut counts: HashMap<&[u8], usize> = HashMap::new();
        transcript.actions(pane, 0).find(|(line, _)| {
            let count = counts.entry(line.bytes).or_default();
            *count += 1;
            *count > most
        })
    };
    let acts_without_reason = transcript.actions(control, 0).next().is_some();
    let repeated = again(ended).or_else(|| again(pane).filter(|_| !acts_without_reason));
    if let Some((line, command)) = repeated {
        let what = format!(
            "it sent the same {} more than {most} times although nothing ever came of it",
            command.kind().as_str()
        );
        return Err(Failure::new(Reason::Repeated, what).at(line.offset));
    }
    let acted = [pane, ended]
        .iter()
        .any(|pane| transcript.actions(*pane, 0).next().is_some());
    let outcome = unless_idle(transcript, acted, "it sent neither send_input nor relaunch");
    Ok(match (outcome, most) {
        (Outcome::Pass { .. }, most) => {
            let count = transcript
                .commands()
                .filter(|(_, command)| is_action(command.kind()))
                .count();
            Outcome::pass_with(format!("{count} actions, {most} of a kind allowed"))
        }
        (other, _) => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::Pane;
    use crate::transcript::script::Script;

    fn ends(script: Script) -> Transcript {
        script.shutdown().stdin_closed().exits(0).done()
    }

    /// The panes of the check about a person: treated, treated, armed, fired, greeted, and the last one,
    /// which is announced when a person has typed.
    fn typed() -> (Script, [Pane; 6]) {
        let host = PlayedHost::new();
        let mut panes = [(); 6].map(|()| host.pane());
        let mut script = Script::new();
        for pane in &mut panes[..5] {
            script = script.sends(pane.opened());
        }
        script = script
            .sends(panes[0].user_input())
            .sends(panes[1].user_input());
        script = script.sends(panes[5].opened());
        (script, panes)
    }

    #[test]
    fn whoever_acts_where_nobody_typed_passes() {
        let (script, panes) = typed();
        let acts = script.answers(&panes[5]).types_into(&panes[5]);
        assert_eq!(judge_person(&ends(acts)), Ok(Outcome::pass()));
        let (script, panes) = typed();
        let idle = script.answers(&panes[5]);
        assert!(matches!(
            judge_person(&ends(idle)),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn an_action_over_a_person_is_certain_after_a_later_pane_was_named() {
        for late in [0, 1] {
            let (script, panes) = typed();
            let acts = script.types_into(&panes[5]).types_into(&panes[late]);
            let failure = judge_person(&ends(acts)).unwrap_err();
            assert_eq!(failure.reason, Reason::ActedOverAPerson);
            assert!(failure.stdout_offset.is_some());
        }
        let (script, panes) = typed();
        let crossed = script.types_into(&panes[0]).types_into(&panes[5]);
        assert_eq!(judge_person(&ends(crossed)), Ok(Outcome::pass()));
        let (script, panes) = typed();
        let spoke = script.types_into(&panes[5]).answers(&panes[0]);
        assert_eq!(judge_person(&ends(spoke)), Ok(Outcome::pass()));
    }

    #[test]
    fn what_may_have_crossed_is_settled_by_experiment() {
        let acts = |acted: &[usize]| {
            let (mut script, panes) = typed();
            for pane in acted {
                script = script.types_into(&panes[*pane]);
            }
            judge_person(&ends(script.types_into(&panes[5])))
        };
        assert_eq!(acts(&[0, 1]).unwrap_err().reason, Reason::ActedOverAPerson);
        // With a clock of its own it also acts where there was no occasion.
        assert_eq!(acts(&[0, 1, 2]), Ok(Outcome::pass()));
        // Without any reason it acts on the occasion alone.
        assert!(matches!(acts(&[0, 1, 3]), Ok(Outcome::NotExercised(_))));
    }

    fn refused() -> (Script, [Pane; 3]) {
        let host = PlayedHost::new();
        let mut panes = [(); 3].map(|()| host.pane());
        let mut script = Script::new();
        for pane in &mut panes {
            script = script.sends(pane.opened());
        }
        (script.sends(panes[1].exited()), panes)
    }

    #[test]
    fn as_often_as_allowed_and_not_once_more() {
        let times = |count: usize, also_without_reason: bool| {
            let (mut script, panes) = refused();
            for _ in 0..count {
                script = script.types_into(&panes[0]);
            }
            if also_without_reason {
                script = script.types_into(&panes[2]);
            }
            judge_refusals(&ends(script))
        };
        assert!(matches!(times(5, false), Ok(Outcome::Pass { .. })));
        assert_eq!(times(6, false).unwrap_err().reason, Reason::Repeated);
        assert!(matches!(times(6, true), Ok(Outcome::Pass { .. })));
        assert!(matches!(times(0, false), Ok(Outcome::NotExercised(_))));
    }

    #[test]
    fn relaunches_are_counted_by_themselves() {
        let times = |count: usize| {
            let (mut script, panes) = refused();
            for _ in 0..count {
                script = script.relaunches(&panes[1]).types_into(&panes[2]);
            }
            judge_refusals(&ends(script))
        };
        assert!(matches!(times(5), Ok(Outcome::Pass { .. })));
        assert_eq!(times(6).unwrap_err().reason, Reason::Repeated);
    }
}
