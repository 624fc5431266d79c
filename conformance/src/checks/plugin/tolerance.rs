use memchr::memmem;
use nightcrow_protocol::{CommandKind, PaneToken};

use super::conduct::{panes, unannounced, unless_idle};
use super::panes::greeted;
use super::{Check, Level, Needs, Role, Test, Tier, did_not_crash, kept_reading, stayed};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::stimulus::{Barrier, EventLine, Pane, PlayedHost, Step};
use crate::transcript::{Happening, Transcript};

/// SHP-009: events of a host with ideas of its own.
pub(super) static UNKNOWN_EVENT: Check = Check {
    id: "SHP-009",
    title: "unknown events are skipped",
    level: Level::Should,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-711",
    stimulus: "pane_opened for two panes; three events of version 3 with tags that name nothing, which breaks \
               PLG-303 on purpose, two of them about a pane that was never opened; pane_opened for a third pane; \
               end of stdin",
    accepted: "the plugin lives on, sends no command for the pane that only the unknown events name, and if it \
               answers the first two pane_opened it answers the third too",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_unknown_event,
        judge: judge_unknown_event,
    },
};

/// SHP-010: members of a host with ideas of its own.
pub(super) static UNKNOWN_MEMBERS: Check = Check {
    id: "SHP-010",
    title: "unknown members of events are ignored",
    level: Level::Should,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-210",
    stimulus: "a pane's life from pane_opened to pane_closed; the same life of a second pane with three unknown \
               members in every event; a shutdown with them too",
    accepted: "whatever kinds of commands the plugin sends for the first pane it sends for the second in time, and it ends",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_unknown_members,
        judge: judge_unknown_members,
    },
};

fn play_unknown_event(host: &PlayedHost) -> Vec<Step> {
    let [mut first, mut second, mut third] = [host.pane(), host.pane(), host.pane()];
    let never_opened = host.pane().as_ref();
    let mut steps = greeted(&mut first);
    steps.extend(greeted(&mut second));
    steps.extend([
        Step::Send(EventLine::unknown("pane_zoomed", never_opened)),
        Step::Send(EventLine::unknown("pane_open", never_opened)),
        Step::Send(EventLine::unknown("", first.as_ref())),
        Step::Send(third.opened()),
        Step::Await(Barrier::Answer {
            token: third.token(),
            or_settled: false,
        }),
        Step::CloseStdin,
    ]);
    steps
}

/// All kinds of pane events, with what makes the plugin act.
fn life(host: &PlayedHost, pane: &mut Pane) -> Vec<Step> {
    let mut steps = greeted(pane);
    steps.extend(host.arm(pane));
    steps.extend(host.fire(pane));
    steps.push(host.await_action(pane));
    steps.push(Step::Send(pane.user_input()));
    steps.push(host.await_action(pane));
    steps.extend(host.exit(pane));
    steps.push(host.await_action(pane));
    steps.push(Step::Send(pane.closed()));
    steps
}

fn play_unknown_members(host: &PlayedHost) -> Vec<Step> {
    let (mut plain, mut extended) = (host.pane(), host.pane());
    let [token, like] = [extended.token(), plain.token()];
    let mut steps = life(host, &mut plain);
    let other = life(host, &mut extended);
    steps.extend(other.into_iter().map(|step| match step {
        Step::Send(line) => Step::Send(line.with_unknown_members()),
        Step::Await(Barrier::Action { .. }) => Step::Await(Barrier::Alike { token, like }),
        step => step,
    }));
    steps.extend([
        Step::Await(Barrier::Settled),
        Step::Send(host.shutdown().with_unknown_members()),
        Step::Await(Barrier::Exit),
        Step::CloseStdin,
    ]);
    steps
}

fn judge_unknown_event(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    did_not_crash(transcript)?;
    let announced = panes(transcript);
    let mut commands = transcript.pane_commands();
    let made_up = commands.find(|(_, command)| {
        let token = command.token();
        token.is_some_and(|token| {
            !announced.contains(&token) && is_in_an_unknown_event(transcript, token)
        })
    });
    if let Some((line, command)) = made_up {
        let what = format!(
            "it sent {} for a pane that only an unknown event had named",
            command.kind().as_str()
        );
        return Err(Failure::new(Reason::ActedOnUnknownEvent, what).at(line.offset));
    }
    let [first, second, third] = announced[..] else {
        return Ok(unannounced(transcript));
    };
    let answered = |pane: PaneToken| transcript.answer(pane, 0).is_some();
    if !answered(first) || !answered(second) {
        let what = "it does not answer each pane_opened";
        return Ok(Outcome::NotExercised(what.to_owned()));
    }
    if !answered(third) {
        let what =
            "it answered the first two pane_opened, but not the one after the unknown events";
        return Err(Failure::new(Reason::NotAnswered, what));
    }
    Ok(Outcome::pass())
}

fn is_in_an_unknown_event(transcript: &Transcript, token: PaneToken) -> bool {
    let mut unknown = transcript
        .sent_lines()
        .filter(|(_, line)| line.kind().is_none());
    let member = format!("\"token\":\"{}\"", token.as_str());
    unknown.any(|(_, line)| memmem::find(line.bytes(), member.as_bytes()).is_some())
}

fn judge_unknown_members(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    if transcript.waited_in_vain_for(Barrier::Exit) {
        let what = "it had not ended when the grace after a shutdown with unknown members was over";
        return Err(Failure::new(Reason::StillRunning, what));
    }
    let [plain, extended] = panes(transcript)[..] else {
        return Ok(unannounced(transcript));
    };
    if let Some(missing) = missing(transcript, plain, extended) {
        let what = format!(
            "it sent {} for a pane, but not for the one whose events had unknown members",
            missing.as_str()
        );
        return Err(Failure::new(Reason::NotAnswered, what));
    }
    let what = "it sent no command about a pane";
    let is_active = transcript.answer(plain, 0).is_some();
    Ok(unless_idle(transcript, is_active, what))
}

/// The first kind of command that was waited for in vain, as it had come for another pane.
fn missing(transcript: &Transcript, like: PaneToken, pane: PaneToken) -> Option<CommandKind> {
    let is_vain = |what: &Happening| {
        let barrier = Barrier::Alike { token: pane, like };
        matches!(what, Happening::Awaited { barrier: awaited, met: false } if *awaited == barrier)
    };
    let vain = transcript.position(is_vain)?;
    let found = transcript.kinds_about(pane, Some(vain));
    let expected = transcript
        .commands()
        .filter(|(_, command)| command.token() == Some(like));
    let mut kinds = expected.map(|(_, command)| command.kind());
    kinds.find(|kind| !found.contains(kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::Script;

    fn reason(judgement: Judgement) -> Reason {
        judgement.unwrap_err().reason
    }

    fn three(answered: &[usize]) -> (Script, Pane) {
        let host = PlayedHost::new();
        let mut panes = [(); 3].map(|()| host.pane());
        let never_opened = host.pane();
        let mut script = Script::new();
        for (index, pane) in panes.iter_mut().enumerate() {
            if index == 2 {
                script = script.sends(EventLine::unknown("pane_zoomed", never_opened.as_ref()));
            }
            script = script.sends(pane.opened());
            if answered.contains(&index) {
                script = script.answers(pane);
            }
        }
        (script, never_opened)
    }

    #[test]
    fn an_unknown_event_changes_nothing() {
        let ends = |script: Script| judge_unknown_event(&script.stdin_closed().exits(0).done());
        assert_eq!(ends(three(&[0, 1, 2]).0), Ok(Outcome::pass()));
        assert_eq!(reason(ends(three(&[0, 1]).0)), Reason::NotAnswered);
        for unsure in [&[0][..], &[1], &[]] {
            assert!(matches!(
                ends(three(unsure).0),
                Ok(Outcome::NotExercised(_))
            ));
        }
        let (script, never_opened) = three(&[0, 1, 2]);
        assert_eq!(
            reason(ends(script.answers(&never_opened))),
            Reason::ActedOnUnknownEvent
        );
        let (script, _) = three(&[0, 1, 2]);
        let crashed = judge_unknown_event(&script.stdin_closed().dies(6).done());
        assert_eq!(reason(crashed), Reason::Crashed);
        let (script, _) = three(&[0, 1]);
        let early = judge_unknown_event(&script.exits(1).done());
        assert_eq!(reason(early), Reason::ExitedEarly);
        let (script, _) = three(&[0, 1]);
        let stuck = judge_unknown_event(&script.stalled().stdin_closed().killed().done());
        assert_eq!(reason(stuck), Reason::StoppedReading);
    }

    #[test]
    fn unknown_members_change_nothing() {
        let lives = |first: fn(Script, &Pane) -> Script, second: fn(Script, &Pane) -> Script| {
            let host = PlayedHost::new();
            let (mut plain, mut extended) = (host.pane(), host.pane());
            let script = first(Script::new().sends(plain.opened()), &plain);
            let opened = extended.opened().with_unknown_members();
            let (token, like) = (extended.token(), plain.token());
            let in_time = second(script.sends(opened), &extended);
            let in_vain = in_time.awaited(Barrier::Alike { token, like }, false);
            let late = second(in_vain, &extended);
            judge_unknown_members(&late.shutdown().stdin_closed().exits(0).done())
        };
        let both = |script: Script, pane: &Pane| script.answers(pane).types_into(pane);
        assert_eq!(lives(both, both), Ok(Outcome::pass()));
        assert_eq!(lives(Script::answers, both), Ok(Outcome::pass()));
        let failure = lives(both, Script::answers).unwrap_err();
        assert_eq!(failure.reason, Reason::NotAnswered);
        assert!(failure.explanation.contains("sent send_input"));
        assert!(matches!(
            lives(|script, _| script, both),
            Ok(Outcome::NotExercised(_))
        ));
    }

    #[test]
    fn what_was_not_waited_for_may_have_been_cut_off() {
        let host = PlayedHost::new();
        let (mut plain, mut extended) = (host.pane(), host.pane());
        let (token, like) = (extended.token(), plain.token());
        let script = Script::new().sends(plain.opened()).answers(&plain);
        let opened = extended.opened().with_unknown_members();
        let script = script
            .sends(opened)
            .awaited(Barrier::Alike { token, like }, true);
        let judgement = judge_unknown_members(&script.shutdown().exits(0).done());
        assert_eq!(judgement, Ok(Outcome::pass()));
    }

    #[test]
    fn the_lines_with_unknown_members_are_well_formed() {
        let line = PlayedHost::new().pane().opened().with_unknown_members();
        assert_eq!(line.self_check(), Ok(()));
        assert!(line.bytes().ends_with(b"\"Token\":\"y\"}\n"));
        let shutdown = PlayedHost::new().shutdown().with_unknown_members();
        assert_eq!(shutdown.self_check(), Ok(()));
        assert!(shutdown.is_shutdown());
    }
}
