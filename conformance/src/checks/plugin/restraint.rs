use std::collections::HashMap;
use std::time::Duration;

use nightcrow_protocol::{Command, EventKind, PaneToken};

use super::conduct::{Experiment, is_action, panes, unless_idle};
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
        return Ok(unless_idle(
            transcript,
            false,
            "not every pane was announced",
        ));
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
        return Ok(unless_idle(
            transcript,
            false,
            "not every pane was announced",
        ));
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
