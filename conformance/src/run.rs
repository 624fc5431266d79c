//! Runs checks, several at a time, and keeps what came of them.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::checks::{Check, Level, Needs, Test};
use crate::drive::{self, Deadlines, Fault};
use crate::explore::Explorer;
use crate::outcome::Outcome;
use crate::subject::Subject;
use crate::transcript::{self, Transcript};

/// How checks are run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How long the runner is patient.
    pub deadlines: Deadlines,
    /// How many checks run at the same time.
    pub jobs: NonZeroUsize,
    /// Start no more checks after the first failure.
    pub fail_fast: bool,
}

/// What came of one check.
#[derive(Debug)]
pub struct CheckResult {
    /// The check.
    pub check: &'static Check,
    /// The verdict.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
    /// What happened; nothing if the subject was not started.
    pub transcript: Transcript,
    /// Where the transcript was written.
    pub transcript_file: PathBuf,
}

/// What a whole run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every requirement that was put to the test was kept.
    Conformant,
    /// Nothing, or not what had to be, was put to the test.
    Unexercised,
    /// A requirement was broken.
    Nonconformant,
    /// The runner is at fault.
    Faulty,
}

impl Verdict {
    /// The verdict on these results, of which `required` must have been put to the test.
    #[must_use]
    pub fn on(results: &[CheckResult], required: &[&Check]) -> Self {
        let has = |is: fn(&Outcome) -> bool| {
            results
                .iter()
                .any(|result| result.check.level != Level::Info && is(&result.outcome))
        };
        let was_exercised = |id: &str| {
            results
                .iter()
                .any(|result| result.check.id == id && result.outcome.was_exercised())
        };
        if results
            .iter()
            .any(|result| matches!(result.outcome, Outcome::Error(_)))
        {
            Self::Faulty
        } else if has(|outcome| matches!(outcome, Outcome::Fail(_))) {
            Self::Nonconformant
        } else if has(Outcome::was_exercised)
            && required.iter().all(|check| was_exercised(check.id))
        {
            Self::Conformant
        } else {
            Self::Unexercised
        }
    }

    /// The status with which the runner then ends.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Conformant => 0,
            Self::Nonconformant => 1,
            Self::Faulty => 3,
            Self::Unexercised => 4,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Conformant => "CONFORMANT",
            Self::Nonconformant => "NONCONFORMANT",
            Self::Faulty => "FAULTY",
            Self::Unexercised => "UNEXERCISED",
        }
    }
}

/// Runs `checks` against `subject`, writes their transcripts below `results`, and shows each result
/// in the order of `checks`, as soon as it and all before it are there.
///
/// # Errors
/// If somebody interrupted it, or a result cannot be shown.
pub fn run(
    subject: &Subject,
    checks: &[&'static Check],
    settings: Settings,
    results: &Path,
    interrupted: &AtomicBool,
    mut show: impl FnMut(&CheckResult) -> io::Result<()>,
) -> Result<Vec<CheckResult>, Fault> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    let order = longest_first(checks);
    let mut slots: Vec<Option<CheckResult>> = checks.iter().map(|_| None).collect();
    thread::scope(|scope| -> Result<(), Fault> {
        for _ in 0..settings.jobs.get().min(checks.len()) {
            let (sender, order, next, stop) = (sender.clone(), &order, &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed)
                    && let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let result = run_one(subject, checks[place], settings, results, interrupted);
                    let failed = !matches!(&result, Ok(result) if !is_bad(&result.outcome));
                    stop.fetch_or(
                        failed && (settings.fail_fast || result.is_err()),
                        Ordering::Relaxed,
                    );
                    if sender.send((place, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut show = |result: &_| {
            show(result).map_err(|error| {
                // Nobody hears of the rest: what still runs is ended.
                interrupted.store(true, Ordering::Relaxed);
                Fault::Unheard(error)
            })
        };
        let mut shown = 0;
        for (place, result) in receiver {
            slots[place] = Some(result?);
            while let Some(Some(result)) = slots.get(shown) {
                show(result)?;
                shown += 1;
            }
        }
        // After a failure that stopped the run, some places stay empty.
        slots.iter().skip(shown).flatten().try_for_each(show)
    })?;
    Ok(slots.into_iter().flatten().collect())
}

/// The order in which checks are started: what takes long comes first, so that nothing is left over
/// at the end for one job alone.
fn longest_first(checks: &[&Check]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..checks.len()).collect();
    order.sort_by_key(|place| {
        (
            checks[*place].needs != Needs::Figures,
            Reverse(checks[*place].tier),
        )
    });
    order
}

const fn is_bad(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fail(_) | Outcome::Error(_))
}

fn run_one(
    subject: &Subject,
    check: &'static Check,
    settings: Settings,
    results: &Path,
    interrupted: &AtomicBool,
) -> Result<CheckResult, Fault> {
    let started = Instant::now();
    let (outcome, transcript) = match check.is_moot_for(subject) {
        Some(outcome) => (outcome, Transcript::default()),
        None => put(subject, check, settings.deadlines, interrupted)?,
    };
    let took = started.elapsed();
    let transcript_file = results.join(format!("{}.ndjson", check.id));
    keep(&transcript, &transcript_file)?;
    Ok(CheckResult {
        check,
        outcome,
        took,
        transcript,
        transcript_file,
    })
}

/// Writes a transcript to a file.
///
/// # Errors
/// If it cannot be written.
pub fn keep(transcript: &Transcript, file: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(file)?);
    transcript::write(transcript, &mut file)?;
    file.flush()
}

/// Puts a check to the subject.
fn put(
    subject: &Subject,
    check: &'static Check,
    deadlines: Deadlines,
    interrupted: &AtomicBool,
) -> Result<(Outcome, Transcript), Fault> {
    let result = match check.test {
        Test::Plugin { play, .. } => drive::perform(subject, play, deadlines, interrupted)
            .map(|transcript| (check.judge(&transcript), transcript)),
        Test::Explored { seeds, .. } => Explorer {
            subject,
            check,
            deadlines,
            interrupted,
        }
        .explore(seeds),
    };
    match result {
        Ok(result) => Ok(result),
        Err(Fault::Interrupted) => Err(Fault::Interrupted),
        Err(fault) => Ok((Outcome::Error(fault.to_string()), Transcript::default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::{Role, find};
    use crate::outcome::{Failure, Reason};

    fn result(id: &str, outcome: Outcome) -> CheckResult {
        CheckResult {
            check: find(Role::Plugin, id).unwrap(),
            outcome,
            took: Duration::ZERO,
            transcript: Transcript::default(),
            transcript_file: PathBuf::new(),
        }
    }

    #[test]
    fn a_failure_counts_unless_it_is_informational() {
        let fail = || Outcome::Fail(Failure::new(Reason::NotFlushed, "so"));
        let verdict = |results: &[CheckResult]| Verdict::on(results, &[]);
        let pass = || result("FRM-016", Outcome::pass());
        assert_eq!(verdict(&[pass()]), Verdict::Conformant);
        assert_eq!(
            verdict(&[pass(), result("FRM-018", fail())]),
            Verdict::Nonconformant
        );
        assert_eq!(
            verdict(&[pass(), result("FRM-020", fail())]),
            Verdict::Conformant
        );
        let error = result("FRM-020", Outcome::Error("so".to_owned()));
        assert_eq!(
            verdict(&[pass(), result("FRM-018", fail()), error]),
            Verdict::Faulty
        );
    }

    #[test]
    fn what_was_not_exercised_proves_nothing() {
        let silent = || result("FRM-016", Outcome::NotExercised("silence".to_owned()));
        assert_eq!(Verdict::on(&[silent()], &[]), Verdict::Unexercised);
        assert_eq!(Verdict::on(&[], &[]), Verdict::Unexercised);
        let recorded = result("FRM-020", Outcome::pass());
        assert_eq!(
            Verdict::on(&[silent(), recorded], &[]),
            Verdict::Unexercised
        );
        let results = [silent(), result("LIF-001", Outcome::pass())];
        assert_eq!(Verdict::on(&results, &[]), Verdict::Conformant);
        assert_eq!(
            Verdict::on(&results, &[find(Role::Plugin, "FRM-016").unwrap()]),
            Verdict::Unexercised
        );
        assert_eq!(
            Verdict::on(&results, &[find(Role::Plugin, "LIF-001").unwrap()]),
            Verdict::Conformant
        );
    }
}
