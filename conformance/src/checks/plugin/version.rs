use nightcrow_protocol::{Command, RefusalCode};

use super::{Check, Level, Needs, Role, Test, Tier, cut_short, framing, lifecycle};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::stimulus::{Barrier, PlayedHost, Step};
use crate::transcript::{Exit, Transcript};

/// VER-005: the plugin's own version.
pub(super) static OWN_VERSION: Check = Check {
    id: "VER-005",
    title: "every command says version 3",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-301",
    stimulus: "a pane's whole life; once the plugin has settled, shutdown and end of stdin",
    accepted: "each command has a member \"v\" with the integer 3",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: framing::whole_life,
        judge: judge_own_version,
    },
};

/// VER-006: a host of another version.
pub(super) static OTHER_VERSION: Check = Check {
    id: "VER-006",
    title: "lines of another version are not acted on, and that is said",
    level: Level::Must,
    tier: Tier::Core,
    role: Role::Plugin,
    proves: "PLG-710",
    stimulus: "once the plugin has settled: a pane's whole life with \"v\":4 in every line, which breaks \
               PLG-301 on purpose; then end of stdin",
    accepted: "no command about a pane, and a word about it: a log command, a line on stderr, \
               or an exit status other than 0; a crash is none of these",
    needs: Needs::Nothing,
    test: Test::Plugin {
        play: play_other_version,
        judge: judge_other_version,
    },
};

fn play_other_version(host: &PlayedHost) -> Vec<Step> {
    let lines = lifecycle(host).into_iter().filter_map(|step| match step {
        Step::Send(line) => Some(line.of_version_4()),
        // What happens beside the events is not of any version.
        _ => None,
    });
    // What it says about itself at the start must not be taken for a word about the version.
    let mut steps = vec![Step::Await(Barrier::Settled)];
    steps.extend(lines.map(Step::Send));
    steps.push(Step::CloseStdin);
    steps
}

fn judge_own_version(transcript: &Transcript) -> Judgement {
    let mut commands = 0;
    for line in transcript.lines().filter(|line| !line.is_cut) {
        match line.decode() {
            Ok(Some(_)) => commands += 1,
            Ok(None) => {}
            Err(refusal) => {
                let of_other_version = refusal.code() == RefusalCode::VersionMismatch;
                if of_other_version || refusal.member() == Some("v") {
                    let what = format!(
                        "the command on line {} of stdout is not of version 3",
                        line.number
                    );
                    return Err(Failure::new(Reason::WrongVersion, what)
                        .at(line.offset + refusal.offset().min(line.bytes.len().saturating_sub(1)))
                        .decoder(refusal.to_string()));
                }
            }
        }
    }
    if commands == 0 {
        return Ok(Outcome::NotExercised("it sent no command".to_owned()));
    }
    Ok(cut_short(transcript).unwrap_or_else(|| Outcome::pass_with(format!("{commands} commands"))))
}

fn judge_other_version(transcript: &Transcript) -> Judgement {
    let first = transcript
        .sent_lines()
        .next()
        .map_or(usize::MAX, |(entry, _)| entry);
    let acted = transcript
        .pane_commands()
        .find(|(line, _)| line.entry > first);
    if let Some((line, command)) = acted {
        let what = format!(
            "it sent {} although its host speaks version 4, which may mean something else by the same words",
            command.kind().as_str()
        );
        return Err(Failure::new(Reason::ActedOnOtherVersion, what).at(line.offset));
    }
    if let Some((_, exit @ Exit::Signal(_))) = transcript.exit() {
        let what = format!("it was ended by {exit} when its host spoke version 4");
        return Err(Failure::new(Reason::Crashed, what));
    }
    let logged = transcript
        .commands()
        .any(|(line, command)| line.entry > first && matches!(command, Command::Log(_)));
    let complained =
        transcript.stderr().len() > transcript.stderr_before(first.min(transcript.entries().len()));
    match transcript.exit() {
        _ if logged => Ok(Outcome::pass_with("it said so in a log command")),
        _ if complained => Ok(Outcome::pass_with("it said so on stderr")),
        Some((_, exit)) if exit != Exit::Status(0) => Ok(Outcome::pass_with(format!(
            "it said so by ending with {exit}"
        ))),
        _ => {
            let what = "it passed over lines of version 4 without a word: whoever runs it cannot find out \
                        why nothing happens";
            Err(Failure::new(Reason::NotRecorded, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::{LOG, Script, status};

    #[test]
    fn own_version_is_3_everywhere() {
        let whole = |says: &str| {
            judge_own_version(
                &Script::new()
                    .opened()
                    .says(says)
                    .stdin_closed()
                    .exits(0)
                    .done(),
            )
        };
        assert!(matches!(whole(LOG), Ok(Outcome::Pass { .. })));
        for wrong in ["\"v\":2", "\"v\":\"3\"", "\"w\":3"] {
            let failure = whole(&format!("{LOG}{}", LOG.replace("\"v\":3", wrong))).unwrap_err();
            assert_eq!(failure.reason, Reason::WrongVersion, "{wrong}");
            assert!(failure.stdout_offset.unwrap() > LOG.len());
        }
        assert!(matches!(whole("chatter\n"), Ok(Outcome::NotExercised(_))));
        assert!(matches!(whole(""), Ok(Outcome::NotExercised(_))));
    }

    #[test]
    fn another_version_is_refused_aloud() {
        let begun = || Script::new().says(LOG).opened();
        assert!(matches!(
            judge_other_version(&begun().says(LOG).stdin_closed().exits(0).done()),
            Ok(Outcome::Pass { .. })
        ));
        assert!(matches!(
            judge_other_version(
                &begun()
                    .complains("version 4?")
                    .stdin_closed()
                    .exits(0)
                    .done()
            ),
            Ok(Outcome::Pass { .. })
        ));
        assert!(matches!(
            judge_other_version(&begun().stdin_closed().exits(2).done()),
            Ok(Outcome::Pass { .. })
        ));
        let crashed = begun().says(LOG).complains("panicked").dies(6).done();
        let crashed = judge_other_version(&crashed).unwrap_err();
        assert_eq!(crashed.reason, Reason::Crashed);
        // Its greeting came before the first line, and is no word about the version.
        let silent = judge_other_version(&begun().stdin_closed().exits(0).done()).unwrap_err();
        assert_eq!(silent.reason, Reason::NotRecorded);
        let acted = begun()
            .says(status("0a"))
            .says(LOG)
            .stdin_closed()
            .exits(0)
            .done();
        let acted = judge_other_version(&acted).unwrap_err();
        assert_eq!(
            (acted.reason, acted.stdout_offset),
            (Reason::ActedOnOtherVersion, Some(LOG.len()))
        );
    }
}
