use std::collections::HashSet;
use std::time::Duration;

use nightcrow_protocol::{CommandKind, PaneToken};

use super::conduct::{is_action, panes, unless_idle};
use super::panes::ending;
use super::{Check, Level, Needs, Role, Test, Tier};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::profile::Signal;
use crate::stimulus::{Barrier, PlayedHost, Step};
use crate::transcript::{StdoutLine, Transcript};

/// WAT-008: a host that does not answer.
pub(super) static UNANSWERED_WATCH: Check = Check {
    id: "WAT-008",
    title: "an unanswered watch_pane is not repeated in a loop",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-709",
    stimulus: "once the plugin has settled, five signals from one pane and one from each of twenty others; the host grants none of them; two \
               seconds pass; shutdown",
    accepted: "watch_pane for the same token only once within the profile's cooldown, and at most as many panes \
               asked for at once as the profile says",
    needs: Needs::Signal,
    test: Test::Plugin {
        play: play_unanswered,
        judge: judge_unanswered,
    },
};

/// WAT-009: what the signal was for.
pub(super) static SIGNAL_IS_KEPT: Check = Check {
    id: "WAT-009",
    title: "the signal is kept until the pane is granted",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-719",
    stimulus: "once the plugin has settled, a signal from a pane that was opened by hand; once watch_pane came, pane_opened and the occasion of \
               the profile's [signal]; once the plugin has settled, shutdown",
    accepted: "send_input, relaunch or attention for the pane, without a second signal",
    needs: Needs::Signal,
    test: Test::Plugin {
        play: play_signal,
        judge: judge_signal,
    },
};

/// How many other panes signal.
const CROWD: usize = 20;

/// How often the first one does.
const INSISTENCE: usize = 5;

/// For how long a plugin may show that it repeats itself by its own clock.
const REPEATING: Duration = Duration::from_secs(2);

fn signal(host: &PlayedHost) -> &Signal {
    let signal = host.profile().signal.as_ref();
    signal.expect("a check that needs a signal is played only with one")
}

fn play_unanswered(host: &PlayedHost) -> Vec<Step> {
    let signal = signal(host);
    let mut one = host.pane_by_hand();
    // A helper that signals finds nobody while the plugin is starting.
    let mut steps = vec![Step::Await(Barrier::Settled)];
    for _ in 0..INSISTENCE {
        steps.extend(host.signal(signal, &mut one));
        steps.push(Step::Await(Barrier::Answer {
            token: one.token(),
            or_settled: true,
        }));
    }
    for _ in 0..CROWD {
        steps.extend(host.signal(signal, &mut host.pane_by_hand()));
    }
    steps.push(Step::Watch(REPEATING));
    steps.extend(ending(host));
    steps
}

fn play_signal(host: &PlayedHost) -> Vec<Step> {
    let signal = signal(host);
    let mut pane = host.pane_by_hand();
    let mut steps = vec![Step::Await(Barrier::Settled)];
    steps.extend(host.signal(signal, &mut pane));
    steps.push(Step::Await(Barrier::Answer {
        token: pane.token(),
        or_settled: false,
    }));
    steps.push(Step::Send(pane.opened()));
    steps.extend(host.perform(&signal.fire, &mut pane));
    steps.push(host.await_action(&pane));
    steps.extend(ending(host));
    steps
}

/// The `watch_pane` commands, with the token that each asks for.
fn watches(transcript: &Transcript) -> impl Iterator<Item = (StdoutLine<'_>, PaneToken)> {
    let watches = transcript
        .commands()
        .filter(|(_, command)| command.kind() == CommandKind::WatchPane);
    watches.filter_map(|(line, command)| Some((line, command.token()?)))
}

fn judge_unanswered(transcript: &Transcript) -> Judgement {
    let (pending, cooldown) = (transcript.terms.pending, transcript.terms.cooldown);
    let entries = transcript.entries();
    let mut asked: Vec<(Duration, PaneToken)> = Vec::new();
    for (line, token) in watches(transcript) {
        let at = entries[line.entry].at;
        let recent = asked.iter().filter(|(then, _)| at - *then < cooldown);
        let recent: HashSet<PaneToken> = recent.map(|(_, token)| *token).collect();
        if recent.contains(&token) {
            let what = format!(
                "it asked for the same pane again within {cooldown:?}, although nothing had come of it"
            );
            return Err(Failure::new(Reason::Repeated, what).at(line.offset));
        }
        if recent.len() >= pending {
            let what = format!("it asked for more than {pending} panes at once");
            return Err(Failure::new(Reason::TooManyPending, what).at(line.offset));
        }
        asked.push((at, token));
    }
    let outcome = unless_idle(transcript, !asked.is_empty(), "it sent no watch_pane");
    Ok(match outcome {
        Outcome::Pass { .. } => Outcome::pass_with(format!("{} panes asked for", asked.len())),
        other => other,
    })
}

fn judge_signal(transcript: &Transcript) -> Judgement {
    let Some((watch, token)) = watches(transcript).next() else {
        return Ok(unless_idle(transcript, false, "it sent no watch_pane"));
    };
    if panes(transcript) != [token] {
        let what = "it asked for another pane than the one that signalled";
        return Err(Failure::new(Reason::UnknownPane, what).at(watch.offset));
    }
    let acted = transcript.commands().any(|(_, command)| {
        let is_attention = command.kind() == CommandKind::Attention;
        command.token() == Some(token) && (is_action(command.kind()) || is_attention)
    });
    match unless_idle(transcript, true, "") {
        Outcome::Pass { .. } if !acted && !transcript.terms.has_occasion => {
            let what = "it was granted the pane and did nothing: if it waits for an occasion, [signal] of the profile \
                        has to name it as `fire`";
            Ok(Outcome::NotExercised(what.to_owned()))
        }
        Outcome::Pass { .. } if !acted => {
            let what = "it was granted the pane and did not do what the signal had asked for";
            Err(Failure::new(Reason::SignalForgotten, what))
        }
        outcome => Ok(outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::Pane;
    use crate::transcript::Terms;
    use crate::transcript::script::Script;

    fn ends(script: Script) -> Transcript {
        script.shutdown().stdin_closed().exits(0).done()
    }

    fn patient() -> Script {
        Script::on(Terms {
            pending: 2,
            cooldown: Duration::from_secs(30),
            ..Terms::default()
        })
    }

    fn panes() -> [Pane; 3] {
        let host = PlayedHost::new();
        [(); 3].map(|()| host.pane_by_hand())
    }

    fn reason(judgement: Judgement) -> Reason {
        judgement.unwrap_err().reason
    }

    #[test]
    fn asking_again_takes_as_long_as_the_profile_says() {
        let again = |seconds| {
            let [pane, ..] = panes();
            let script = patient().watches(&pane).after(seconds).watches(&pane);
            judge_unanswered(&ends(script))
        };
        assert_eq!(reason(again(29)), Reason::Repeated);
        assert!(matches!(again(30), Ok(Outcome::Pass { .. })));
        assert!(matches!(
            judge_unanswered(&ends(patient())),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn only_so_many_are_asked_for_at_once() {
        let third = |seconds| {
            let [first, second, third] = panes();
            let script = patient().watches(&first).watches(&second);
            judge_unanswered(&ends(script.after(seconds).watches(&third)))
        };
        assert_eq!(reason(third(1)), Reason::TooManyPending);
        assert!(matches!(third(31), Ok(Outcome::Pass { .. })));
    }

    #[test]
    fn a_granted_pane_is_acted_upon() {
        let granted = |acts: fn(Script, &Pane) -> Script| {
            let [mut pane, ..] = panes();
            let script = patient().watches(&pane).sends(pane.opened());
            judge_signal(&ends(acts(script, &pane)))
        };
        for acts in [Script::types_into, Script::calls_for, Script::relaunches] {
            assert_eq!(granted(acts), Ok(Outcome::pass()));
        }
        assert_eq!(reason(granted(|script, _| script)), Reason::SignalForgotten);
        assert_eq!(reason(granted(Script::answers)), Reason::SignalForgotten);
    }

    #[test]
    fn another_pane_than_the_one_that_signalled_is_a_guess() {
        let [mut pane, other, _] = panes();
        let script = patient().watches(&other).sends(pane.opened());
        assert_eq!(
            reason(judge_signal(&ends(script.types_into(&pane)))),
            Reason::UnknownPane
        );
        assert!(matches!(
            judge_signal(&ends(patient())),
            Ok(Outcome::NotExercised(_))
        ));
    }
}
