use super::conduct::broken;
use super::framing::judge_only_lines;
use super::lifecycle::ended_well;
use super::privacy::judge_private;
use super::{Check, Level, Needs, Role, Test, Tier, kept_reading, stayed};
use crate::explore::Seeds;
use crate::monitor::Rule;
use crate::outcome::{Judgement, Outcome, Reason};
use crate::stimulus::Barrier;
use crate::transcript::{Happening, Transcript};

/// LIF-028: what nobody thought of.
pub(super) static RANDOM_HISTORIES: Check = Check {
    id: "LIF-028",
    title: "the contract is kept whatever happens in which order",
    level: Level::Should,
    tier: Tier::Full,
    role: Role::Plugin,
    proves: "PLG-720",
    stimulus: "200 random histories of a few panes each, 50 at a time beside each other: panes open, print, fall idle, \
               are typed into, end, start again, close and come back, with what the profile does in between; once \
               the plugin has settled, shutdown",
    accepted: "stdout carries commands and nothing else, none that is certainly forbidden and none with what was \
               printed; the plugin goes on reading and ends with status 0 when it is told to, not before",
    needs: Needs::Nothing,
    test: Test::Explored {
        seeds: Seeds {
            first: 1,
            count: 200,
        },
        judge,
    },
};

/// Everything that is certain of any conversation.
fn judge(transcript: &Transcript) -> Judgement {
    if let error @ Outcome::Error(_) = judge_only_lines(transcript)? {
        return Ok(error);
    }
    broken(transcript, Rule::ALL)?;
    judge_private(transcript)?;
    stayed(transcript)?;
    kept_reading(transcript)?;
    match ended_well(transcript) {
        // Whoever still had much to read could not know that it was to end.
        Err(failure) if failure.reason == Reason::StillRunning && !has_settled(transcript) => {}
        ended => ended?,
    }
    Ok(Outcome::pass())
}

/// Whether the subject had nothing more to do when it was told to end.
fn has_settled(transcript: &Transcript) -> bool {
    let mut ends = transcript.entries().iter().rev();
    let last = ends.find_map(|entry| match &entry.what {
        Happening::Awaited {
            barrier: Barrier::Settled,
            met,
        } => Some(*met),
        _ => None,
    });
    last.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::{LOG, Script, status};

    fn reason(transcript: &Transcript) -> Reason {
        judge(transcript).unwrap_err().reason
    }

    fn told_to_end(settled: bool) -> Script {
        let script = Script::new().opened().says(LOG);
        script
            .awaited(Barrier::Settled, settled)
            .shutdown()
            .stdin_closed()
    }

    #[test]
    fn what_is_certain_of_any_conversation_is_judged() {
        assert_eq!(
            judge(&told_to_end(true).exits(0).done()),
            Ok(Outcome::pass())
        );
        assert_eq!(
            reason(&told_to_end(true).exits(1).done()),
            Reason::ExitStatus
        );
        let talk = Script::new().says("hello\n").stdin_closed().exits(0);
        assert_eq!(reason(&talk.done()), Reason::NotACommand);
        let guess = Script::new().says(status("0a")).stdin_closed().exits(0);
        assert_eq!(reason(&guess.done()), Reason::UnknownPane);
        let leak = format!(
            "{{\"cmd\":\"log\",\"v\":3,\"level\":\"info\",\"message\":\"{}\"}}\n",
            "marker"
        );
        let leak = Script::new().says(leak).stdin_closed().exits(0);
        assert_eq!(reason(&leak.done()), Reason::PrivateText);
        assert_eq!(
            reason(&Script::new().opened().exits(0).done()),
            Reason::ExitedEarly
        );
        assert_eq!(
            reason(&Script::new().opened().dies(11).done()),
            Reason::Crashed
        );
    }

    #[test]
    fn whoever_has_much_to_read_has_time_to_end() {
        assert_eq!(
            reason(&told_to_end(true).killed().done()),
            Reason::StillRunning
        );
        assert_eq!(
            judge(&told_to_end(false).killed().done()),
            Ok(Outcome::pass())
        );
    }
}
