use memchr::memmem;

use super::conduct::unless_idle;
use super::panes::ending;
use super::{Check, Level, Needs, Role, Test, Tier};
use crate::outcome::{Failure, Judgement, Reason};
use crate::stimulus::{PlayedHost, Step};
use crate::transcript::Transcript;

/// EVT-006: what is private stays private.
pub(super) static NOTHING_PRIVATE: Check = Check {
    id: "EVT-006",
    title: "nothing that a program printed or wrote gets into commands",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-717",
    stimulus: "a pane's life in which a random word is printed, and stands wherever the profile says ${marker}; once \
               the plugin has settled, shutdown",
    accepted: "the word occurs nowhere on stdout",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_private,
        judge: judge_private,
    },
};

fn play_private(host: &PlayedHost) -> Vec<Step> {
    let mut pane = host.pane();
    let secret = format!("{0}\r\n{0} {0}\r\n", host.marker());
    let mut steps = vec![Step::Send(pane.opened()), Step::Send(pane.output(&secret))];
    steps.extend(host.arm(&mut pane));
    steps.extend(host.fire(&mut pane));
    steps.push(host.await_action(&pane));
    steps.push(Step::Send(pane.output(&secret)));
    steps.extend(host.exit(&mut pane));
    steps.push(host.await_action(&pane));
    steps.push(Step::Send(pane.closed()));
    steps.extend(ending(host));
    steps
}

pub(super) fn judge_private(transcript: &Transcript) -> Judgement {
    let marker = transcript.terms.marker.as_bytes();
    if let Some(offset) = memmem::find(transcript.stdout(), marker) {
        let what = "a command repeats what was printed in a pane or written to a file";
        return Err(Failure::new(Reason::PrivateText, what).at(offset));
    }
    let spoke = transcript.commands().next().is_some();
    Ok(unless_idle(transcript, spoke, "it sent no command"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;
    use crate::transcript::script::{LOG, Script};

    #[test]
    fn the_marker_comes_back_nowhere() {
        let said = |text: &str| {
            let script = Script::new().opened().says(text).shutdown();
            judge_private(&script.stdin_closed().exits(0).done())
        };
        assert_eq!(said(LOG), Ok(Outcome::pass()));
        assert!(matches!(said(""), Ok(Outcome::NotExercised(_))));
        let leak = said(&LOG.replace("hi", "saw a marker there")).unwrap_err();
        assert_eq!(leak.reason, Reason::PrivateText);
        assert!(leak.stdout_offset.is_some());
    }
}
