use std::time::Duration;

use super::{Check, Level, Needs, Role, Test, Tier, ended, kept_reading, stayed};
use crate::outcome::{Failure, Judgement, Outcome, Reason};
use crate::stimulus::{Barrier, Burst, EventLine, Pane, PlayedHost, Step};
use crate::transcript::{Exit, QuietWindow, Transcript};

/// LIF-009: a flood of output.
pub(super) static FLOOD: Check = Check {
    id: "LIF-009",
    title: "a flood of output is tolerated",
    level: Level::Should,
    tier: Tier::Full,
    role: Role::Plugin,
    proves: "PLG-714",
    stimulus: "100,000 pane_output events of 1 KiB, then end of stdin",
    accepted: "all of stdin is read, resident memory after 90,000 and more events is at most 32 MiB above what it \
               was after 40,000 to 50,000, and the plugin ends at the end of stdin",
    needs: Needs::Figures,
    test: Test::Plugin {
        play: play_flood,
        judge: judge_flood,
    },
};

/// LIF-026: a long day.
pub(super) static STEADY: Check = Check {
    id: "LIF-026",
    title: "memory and CPU do not depend on how many events came",
    level: Level::Must,
    tier: Tier::Full,
    role: Role::Plugin,
    proves: "PLG-714",
    stimulus: "1,000,000 events, among them 25,000 openings and closings of 500 panes, memory looked at from the 200,000th on; then quiet, watched for a second at a time",
    accepted: "resident memory after 800,000 and more events is at most 32 MiB above what it was after \
               200,000 to 400,000, and in one of five quiet seconds less than 50 ms of CPU are used; time \
               for which the plugin wanted a CPU and got none is not part of a second",
    needs: Needs::Figures,
    test: Test::Plugin {
        play: play_steady,
        judge: judge_steady,
    },
};

/// What memory may grow by over at least 40,000 events of a flood: room for a garbage collector, not
/// for the 45 MB that came in.
const FLOOD_GROWTH: u64 = 32 << 20;

/// What memory may grow by over at least 400,000 events. Whoever keeps their texts needs 100 bytes
/// each and more, so 40 MB; a garbage-collected runtime that keeps nothing stays under it.
const STEADY_GROWTH: u64 = 32 << 20;

/// How many samples are taken early, when a runtime has warmed up, and how many late.
const COMPARED: usize = 5;

/// Events between two samples of a long day.
const STRIDE: usize = 50_000;

/// How long a quiet window is, without the time for which the subject waited for a CPU: on a busy machine
/// it would else be over before anybody could show how busy he is.
pub(crate) const QUIET_WINDOW: Duration = Duration::from_secs(1);

/// CPU time that a plugin with nothing to do may use in one quiet window.
pub(crate) const QUIET_CPU: Duration = Duration::from_millis(50);

/// How many windows must be busy before the subject is: a garbage collection that comes late, or a
/// backlog, is over by then.
pub(crate) const BUSY_WINDOWS: usize = 5;

fn play_flood(host: &PlayedHost) -> Vec<Step> {
    let mut panes: Vec<Pane> = (0..4).map(|_| host.pane()).collect();
    let mut steps: Vec<Step> = panes
        .iter_mut()
        .map(|pane| Step::Send(pane.opened()))
        .collect();
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(23);
    let lines = lines_in_turn(&mut panes, 100, |pane| vec![pane.output(&text)]);
    let stride = Burst::new(lines, 25);
    for events in (2_500..=100_000).step_by(2_500) {
        steps.push(Step::SendBurst(stride.clone()));
        if (40_000..=50_000).contains(&events) || events >= 90_000 {
            steps.push(Step::Sample);
        }
    }
    steps.extend([Step::Await(Barrier::Taken), Step::Sample, Step::CloseStdin]);
    steps
}

fn play_steady(host: &PlayedHost) -> Vec<Step> {
    let mut panes: Vec<Pane> = (0..5).map(|_| host.pane()).collect();
    let mut steps: Vec<Step> = panes
        .iter_mut()
        .map(|pane| Step::Send(pane.opened()))
        .collect();
    let text =
        "The quick brown fox jumps over the lazy dog, and over what else lies there. ".repeat(2);
    let lasting = lines_in_turn(&mut panes, 900, |pane| {
        let mut lines = vec![pane.output(&text); 18];
        lines.extend([pane.idle(), pane.user_input()]);
        lines
    });
    for events in (STRIDE..=1_000_000).step_by(STRIDE) {
        let passing = (0..25).flat_map(|_| passing_pane(host, &text));
        let lines = lasting.iter().cloned().chain(passing);
        steps.push(Step::SendBurst(Burst::new(lines, STRIDE / 1_000)));
        if (200_000..=400_000).contains(&events) || events >= 800_000 {
            steps.push(Step::Sample);
        }
    }
    steps.extend([
        Step::Await(Barrier::Taken),
        Step::WatchQuiet,
        Step::Sample,
        Step::CloseStdin,
    ]);
    steps
}

/// The short life of a pane.
fn passing_pane(host: &PlayedHost, text: &str) -> [EventLine; 4] {
    let mut pane = host.pane();
    [
        pane.opened(),
        pane.output(text),
        pane.exited(),
        pane.closed(),
    ]
}

/// This many lines, some for one pane, then some for the next, and so on.
fn lines_in_turn(
    panes: &mut [Pane],
    count: usize,
    some: impl Fn(&mut Pane) -> Vec<EventLine>,
) -> Vec<EventLine> {
    let mut lines = Vec::with_capacity(count);
    while lines.len() < count {
        lines.extend(panes.iter_mut().flat_map(&some));
    }
    assert_eq!(lines.len(), count, "a whole number of turns");
    lines
}

fn judge_flood(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    let over = "40,000 events of 1 KiB and more";
    let Some(growth) = growth(transcript, FLOOD_GROWTH, over)? else {
        return Ok(unseen());
    };
    match ended(transcript)? {
        exit @ Exit::Signal(_) => Err(Failure::new(
            Reason::Crashed,
            format!("it was ended by {exit}"),
        )),
        Exit::Status(_) => Ok(Outcome::pass_with(format!(
            "memory grew by {}",
            mebibytes(growth)
        ))),
    }
}

fn judge_steady(transcript: &Transcript) -> Judgement {
    stayed(transcript)?;
    kept_reading(transcript)?;
    match growth(transcript, STEADY_GROWTH, "400,000 events and more")? {
        Some(growth) => judge_windows(transcript, growth),
        None => Ok(unseen()),
    }
}

/// By how much memory grew between the early samples and the late ones, if that is not too much.
fn growth(transcript: &Transcript, most: u64, over: &str) -> Result<Option<u64>, Failure> {
    let resident: Vec<u64> = resident(transcript).collect();
    if resident.len() < 2 * COMPARED {
        return Ok(None);
    }
    // The most of the early samples and the least of the late ones: what a garbage collector holds
    // for a while is in both, what is never given back only in the late ones.
    let early = resident[..COMPARED].iter().max().copied().unwrap_or(0);
    let late = resident[COMPARED..].iter().min().copied().unwrap_or(0);
    let growth = late.saturating_sub(early);
    if growth > most {
        let what = format!(
            "resident memory grew from {} to {} over {over}",
            mebibytes(early),
            mebibytes(late)
        );
        return Err(Failure::new(Reason::MemoryGrew, what));
    }
    Ok(Some(growth))
}

fn unseen() -> Outcome {
    Outcome::Error("the subject's memory could not be looked at".to_owned())
}

fn judge_windows(transcript: &Transcript, growth: u64) -> Judgement {
    let windows: Vec<&QuietWindow> = transcript.quiet_windows().collect();
    if let Some(quiet) = windows.iter().find(|window| is_quiet(window)) {
        let cpu = quiet.cpu.as_millis();
        let memory = mebibytes(growth);
        return Ok(Outcome::pass_with(format!(
            "memory grew by {memory}; {cpu} ms of CPU in a quiet second"
        )));
    }
    let busy: Vec<_> = windows.iter().filter(|window| is_busy(window)).collect();
    if busy.len() < BUSY_WINDOWS {
        let what =
            "the machine was too busy to tell how busy the plugin is when it has nothing to do";
        return Ok(Outcome::NotExercised(what.to_owned()));
    }
    let least = busy
        .iter()
        .map(|window| window.cpu)
        .min()
        .unwrap_or_default();
    let what = format!(
        "it used {} ms of CPU and more in each of {} seconds in which it had nothing to do",
        least.as_millis(),
        busy.len()
    );
    Err(Failure::new(Reason::BusyWhenQuiet, what))
}

/// Whether the window is a whole one.
pub(crate) fn is_whole(window: &QuietWindow) -> bool {
    window.length.saturating_sub(window.waited) >= QUIET_WINDOW
}

/// Whether the subject surely had nothing to do in this window.
pub(crate) fn is_quiet(window: &QuietWindow) -> bool {
    is_whole(window) && window.cpu < QUIET_CPU
}

/// Whether the subject surely was busy in this window. One that only waited for a CPU is neither.
pub(crate) fn is_busy(window: &QuietWindow) -> bool {
    window.cpu >= QUIET_CPU
}

fn resident(transcript: &Transcript) -> impl Iterator<Item = u64> {
    transcript
        .samples()
        .filter_map(|sample| Some(sample.figures?.resident))
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::Script;

    const MIB: u64 = 1 << 20;

    fn reason(judgement: Judgement) -> Reason {
        judgement.unwrap_err().reason
    }

    #[test]
    fn a_flood_must_not_stay_in_memory() {
        let flooded =
            |late| steady([20, 90, 20, 20, 20], [150, late, 150, 150, 150]).stdin_closed();
        assert!(matches!(
            judge_flood(&flooded(122).exits(0).done()),
            Ok(Outcome::Pass { .. })
        ));
        assert_eq!(
            reason(judge_flood(&flooded(123).exits(0).done())),
            Reason::MemoryGrew
        );
        assert_eq!(
            reason(judge_flood(&flooded(20).killed().done())),
            Reason::StillRunning
        );
        assert_eq!(
            reason(judge_flood(&flooded(20).dies(9).done())),
            Reason::Crashed
        );
        let stuck = Script::new()
            .burst(9)
            .stalled()
            .stdin_closed()
            .killed()
            .done();
        assert_eq!(reason(judge_flood(&stuck)), Reason::StoppedReading);
    }

    fn steady(early: [u64; 5], late: [u64; 5]) -> Script {
        let sampled = |script: Script, mib: u64| script.burst(9).resident(mib * MIB);
        late.into_iter()
            .fold(early.into_iter().fold(Script::new(), sampled), sampled)
    }

    #[test]
    fn what_a_collector_holds_for_a_while_is_no_growth() {
        let script = steady([40, 90, 40, 40, 40], [130, 60, 130, 130, 130]).window(0, 0);
        assert!(matches!(
            judge_steady(&script.stdin_closed().exits(0).done()),
            Ok(Outcome::Pass { .. })
        ));
        let script = steady([40, 45, 50, 55, 60], [93, 98, 103, 108, 113]).window(0, 0);
        let leaking = judge_steady(&script.stdin_closed().exits(0).done());
        assert_eq!(reason(leaking), Reason::MemoryGrew);
    }

    #[test]
    fn one_quiet_window_is_enough_and_a_starved_one_counts_for_nothing() {
        let windows = |windows: &[(u64, u64)]| {
            let script = steady([40; 5], [40; 5]);
            let watched = windows
                .iter()
                .fold(script, |script, (cpu, wait)| script.window(*cpu, *wait));
            judge_steady(&watched.stdin_closed().exits(0).done())
        };
        assert!(matches!(
            windows(&[(400, 0), (49, 0)]),
            Ok(Outcome::Pass { .. })
        ));
        assert_eq!(
            reason(windows(&[
                (900, 0),
                (50, 900),
                (900, 0),
                (900, 0),
                (900, 0)
            ])),
            Reason::BusyWhenQuiet
        );
        assert!(matches!(
            windows(&[(49, 900); 9]),
            Ok(Outcome::NotExercised(_))
        ));
    }
}
