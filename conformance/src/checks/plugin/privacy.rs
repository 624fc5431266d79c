use memchr::memmem;
use nightcrow_protocol::Command;

use super::conduct::{panes, unless_idle};
use super::panes::ending;
use super::{Check, Level, Needs, Role, Test, Tier};
use crate::outcome::{Failure, Judgement, Reason};
use crate::stimulus::{PlayedHost, Step};
use crate::transcript::{StdoutLine, Transcript};

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
    accepted: "the word occurs nowhere on stdout, and no text of a command holds more than the first six characters of \
               a pane's token",
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
    if let Some(line) = shows_a_token(transcript) {
        let what = "a text in a command shows more than the first six characters of a pane's token";
        return Err(Failure::new(Reason::PrivateText, what).at(line.offset));
    }
    let spoke = transcript.commands().next().is_some();
    Ok(unless_idle(transcript, spoke, "it sent no command"))
}

/// The first line with a text in which a token stands.
fn shows_a_token(transcript: &Transcript) -> Option<StdoutLine<'_>> {
    let tokens = panes(transcript);
    let shows = |text: &str| {
        let mut too_much = tokens.iter().filter_map(|token| token.as_str().get(..7));
        too_much.any(|beginning| text.contains(beginning))
    };
    let mut commands = transcript.commands();
    let shown = commands.find(|(_, command)| texts(command).into_iter().any(shows));
    shown.map(|(line, _)| line)
}

/// The texts in a command.
fn texts<'c>(command: &'c Command<'_>) -> Vec<&'c str> {
    match command {
        Command::Log(log) => vec![&log.message],
        Command::Status(status) => [Some(&status.state), status.detail.as_ref()]
            .into_iter()
            .flatten()
            .map(AsRef::as_ref)
            .collect(),
        Command::SendInput(input) => vec![input.data.as_str()],
        Command::Relaunch(relaunch) => relaunch.resume_args.iter().map(AsRef::as_ref).collect(),
        Command::WatchPane(_) | Command::Attention(_) => Vec::new(),
    }
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

    #[test]
    fn six_characters_of_a_token_may_be_shown() {
        let mut pane = PlayedHost::new().pane();
        let opened = pane.opened();
        let token = pane.token();
        let shown = |length: usize, line: &str| {
            let line = line.replace("hi", &format!("saw {}", &token.as_str()[..length]));
            let script = Script::new().sends(opened.clone()).says(&line).shutdown();
            judge_private(&script.stdin_closed().exits(0).done())
        };
        let named = token.as_str();
        for line in [
            LOG.to_owned(),
            format!(
                "{{\"cmd\":\"status\",\"v\":3,\"token\":\"{named}\",\"generation\":1,\"state\":\"hi\",\"attempt\":0}}\n"
            ),
            format!(
                "{{\"cmd\":\"status\",\"v\":3,\"token\":\"{named}\",\"generation\":1,\"state\":\"s\",\"detail\":\"hi\",\"attempt\":0}}\n"
            ),
            format!(
                "{{\"cmd\":\"send_input\",\"v\":3,\"token\":\"{named}\",\"generation\":1,\"data\":\"hi\"}}\n"
            ),
            format!(
                "{{\"cmd\":\"relaunch\",\"v\":3,\"token\":\"{named}\",\"generation\":1,\"resume_args\":[\"hi\"]}}\n"
            ),
        ] {
            assert_eq!(shown(6, &line), Ok(Outcome::pass()), "{line}");
            let leak = shown(7, &line).unwrap_err();
            assert_eq!(leak.reason, Reason::PrivateText, "{line}");
        }
    }
}
