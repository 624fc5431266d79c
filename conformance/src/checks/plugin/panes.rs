use nightcrow_protocol::{CommandKind, EventKind};

use super::conduct::{Experiment, broken, is_about_a_process, panes, unless_idle};
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

fn play_closed(host: &PlayedHost) -> Vec<Step> {
    let [mut first, mut second, mut control] = [host.pane(), host.pane(), host.pane()];
    let (mut before, mut after) = (host.pane(), host.pane());
    let mut steps = armed(host, &mut first);
    steps.extend(armed(host, &mut second));
    steps.extend(armed(host, &mut control));
    steps.extend(greeted(&mut before));
    steps.extend([Step::Send(first.closed()), Step::Send(second.closed())]);
    steps.extend(canary(host, &mut after));
    steps.extend(ending(host));
    steps
}

fn play_exited(host: &PlayedHost) -> Vec<Step> {
    let [mut first, mut second, mut control] = [host.pane(), host.pane(), host.pane()];
    let (mut before, mut after) = (host.pane(), host.pane());
    let mut steps = armed(host, &mut first);
    steps.extend(armed(host, &mut second));
    steps.extend(armed(host, &mut control));
    steps.extend(greeted(&mut before));
    steps.extend(host.exit(&mut first));
    steps.extend(host.exit(&mut second));
    steps.push(host.await_action(&second));
    steps.push(Step::Send(first.opened()));
    steps.extend(canary(host, &mut after));
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
        return Ok(unless_idle(
            transcript,
            false,
            "not every pane was announced",
        ));
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
        return Ok(unless_idle(
            transcript,
            false,
            "not every pane was announced",
        ));
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
