//! Runs checks, several at a time, and keeps what came of them.

mod verdict;

use std::cmp::Reverse;
use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::baseline::{Baseline, Expectation};
use crate::checks::decoder::Codes;
use crate::checks::{Check, Level, Needs, Test};
use crate::drive::{self, Deadlines, Fault};
use crate::evidence::Evidence;
use crate::explore::Explorer;
use crate::outcome::{Judgement, Outcome};
use crate::recording::{self, Header, Source};
use crate::report::Standing;
use crate::stimulus::PlayedHost;
use crate::subject::Subject;
use crate::transcript::{self, Transcript};
pub use verdict::Verdict;

/// The status with which the runner ends if somebody interrupted it.
pub const INTERRUPTED: u8 = 130;

/// How checks are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long the runner is patient.
    pub deadlines: Deadlines,
    /// How many checks run at the same time.
    pub jobs: NonZeroUsize,
    /// Start no more checks after the first failure.
    pub fail_fast: bool,
    /// How the refusal codes of a decoder are read.
    pub codes: Codes,
    /// The failures that are known.
    pub baseline: Baseline,
    /// How many times each check is put to the subject.
    pub rounds: NonZeroUsize,
}

/// How many checks run at the same time unless somebody says otherwise: most of them wait for most of
/// the time.
#[must_use]
pub fn default_jobs() -> NonZeroUsize {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    cores.saturating_mul(const { NonZeroUsize::new(3).expect("three is not nought") })
}

/// What came of one check.
#[derive(Debug)]
pub struct CheckResult {
    /// The check.
    pub check: &'static Check,
    /// The verdict; of several rounds the worst.
    pub outcome: Outcome,
    /// How it stands to what the baseline expects.
    pub expectation: Expectation,
    /// How each round came out, if there were several.
    pub rounds: Vec<Standing>,
    /// How long it took.
    pub took: Duration,
    /// What there is to show for it; nothing if the subject was not started.
    pub evidence: Evidence,
    /// Where the transcript was written.
    pub transcript_file: PathBuf,
}

impl CheckResult {
    /// Whether the run fails because of it: the subject broke a requirement that is not merely recorded
    /// and not known to be broken, or did not break one that it is known to break.
    #[must_use]
    pub fn counts_as_failure(&self) -> bool {
        self.check.level != Level::Info && self.expectation.is_a_failure(&self.outcome)
    }

    /// Whether the rounds came out differently.
    #[must_use]
    pub fn is_unsteady(&self) -> bool {
        self.rounds.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// The worse of two rounds, which knows of both.
    fn with(self, other: Self) -> Self {
        let (worse, better) =
            if Standing::of_outcome(&other.outcome) < Standing::of_outcome(&self.outcome) {
                (other, self)
            } else {
                (self, other)
            };
        let mut rounds = better.rounds;
        rounds.extend(worse.rounds);
        Self {
            rounds,
            took: worse.took + better.took,
            ..worse
        }
    }
}

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    /// What came of the checks that were done, in the order of the catalogue.
    pub results: Vec<CheckResult>,
    /// Why it is over.
    pub ending: Ending,
}

/// Why a run is over.
#[derive(Debug)]
pub enum Ending {
    /// Every check was done, or the first failure was to be the end.
    Complete,
    /// Somebody interrupted it.
    Interrupted,
    /// A result could not be shown.
    Unheard(io::Error),
}

impl Ending {
    /// Whether checks are missing that should have been run.
    #[must_use]
    pub const fn is_early(&self) -> bool {
        !matches!(self, Self::Complete)
    }
}

/// Somebody who follows a run.
pub trait Audience {
    /// A check was started.
    fn started(&mut self, check: &'static Check);

    /// A check is done, maybe before others that come first in the catalogue.
    fn done(&mut self, result: &CheckResult);

    /// The next result in the order of the catalogue is there.
    ///
    /// # Errors
    /// If it cannot be shown; the run then ends.
    fn show(&mut self, result: &CheckResult) -> io::Result<()>;
}

/// Nobody follows the run.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Audience for Nobody {
    fn started(&mut self, _: &'static Check) {}

    fn done(&mut self, _: &CheckResult) {}

    fn show(&mut self, _: &CheckResult) -> io::Result<()> {
        Ok(())
    }
}

/// What a job has to tell.
enum Told {
    Started(&'static Check),
    Done(usize, Box<CheckResult>),
    Failed(Fault),
}

/// Runs `checks` against `subject`, writes their transcripts below `results`, and shows each result
/// in the order of `checks`, as soon as it and all before it are there.
///
/// # Errors
/// If the system refused what the runner needs. A run that was interrupted, or whose results cannot be
/// shown, returns what was done.
pub fn run(
    subject: &Subject,
    checks: &[&'static Check],
    settings: &Settings,
    results: &Path,
    interrupted: &AtomicBool,
    audience: &mut impl Audience,
) -> Result<Run, Fault> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let order: Vec<(usize, usize)> = (0..settings.rounds.get())
        .flat_map(|round| {
            longest_first(checks)
                .into_iter()
                .map(move |place| (round, place))
        })
        .collect();
    let work = |tell: mpsc::Sender<Told>| {
        while !stop.load(Ordering::Relaxed)
            && let Some(&(round, place)) = order.get(next.fetch_add(1, Ordering::Relaxed))
            && tell.send(Told::Started(checks[place])).is_ok()
        {
            let check = checks[place];
            let name = check.file_name(settings.rounds.get(), round);
            let result = run_one(subject, check, settings, &results.join(name), interrupted);
            let is_last = match &result {
                Ok(result) => settings.fail_fast && is_bad(&result.outcome),
                Err(_) => true,
            };
            stop.fetch_or(is_last, Ordering::Relaxed);
            let told = match result {
                Ok(result) => Told::Done(place, Box::new(result)),
                Err(fault) => Told::Failed(fault),
            };
            if tell.send(told).is_err() {
                return;
            }
        }
    };
    let mut gathering = Gathering {
        slots: checks.iter().map(|_| None).collect(),
        rounds: settings.rounds.get(),
        baseline: &settings.baseline,
        shown: 0,
        ending: Ending::Complete,
        audience,
    };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..settings.jobs.get().min(checks.len()) {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        receiver
            .into_iter()
            .try_for_each(|told| gathering.hear(told, interrupted))
    })?;
    Ok(gathering.end())
}

/// The results so far.
struct Gathering<'a, A> {
    /// A place for each check.
    slots: Vec<Option<CheckResult>>,
    /// How many times each check is done.
    rounds: usize,
    baseline: &'a Baseline,
    /// How many of the first ones have been shown.
    shown: usize,
    ending: Ending,
    audience: &'a mut A,
}

impl<A: Audience> Gathering<'_, A> {
    fn hear(&mut self, told: Told, interrupted: &AtomicBool) -> Result<(), Fault> {
        match told {
            Told::Started(check) => self.audience.started(check),
            Told::Done(place, result) => {
                let slot = &mut self.slots[place];
                let result = match slot.take() {
                    Some(before) => before.with(*result),
                    None => *result,
                };
                let result = slot.insert(result);
                if result.rounds.len() == self.rounds {
                    result.expectation = self.baseline.expectation(result.check, &result.outcome);
                    self.audience.done(result);
                    self.show();
                }
                if let Ending::Unheard(_) = self.ending {
                    // Nobody hears of the rest: what still runs is ended.
                    interrupted.store(true, Ordering::Relaxed);
                }
            }
            Told::Failed(Fault::Interrupted) => {
                if let Ending::Complete = self.ending {
                    self.ending = Ending::Interrupted;
                }
            }
            Told::Failed(fault) => return Err(fault),
        }
        Ok(())
    }

    /// Shows the results that follow the shown ones without a gap.
    fn show(&mut self) {
        while let Some(Some(result)) = self.slots.get(self.shown)
            && result.rounds.len() == self.rounds
            && !matches!(self.ending, Ending::Unheard(_))
        {
            match self.audience.show(result) {
                Ok(()) => self.shown += 1,
                Err(error) => self.ending = Ending::Unheard(error),
            }
        }
    }

    /// Shows what is left: after an early end some places stay empty.
    fn end(mut self) -> Run {
        let rounds = self.rounds;
        let is_whole = |slot: &Option<CheckResult>| {
            slot.as_ref()
                .is_some_and(|result| result.rounds.len() == rounds)
        };
        self.slots.retain(is_whole);
        self.show();
        Run {
            results: self.slots.into_iter().flatten().collect(),
            ending: self.ending,
        }
    }
}

/// The order in which checks are started: what takes long comes first, so that nothing is left over
/// at the end for one job alone.
fn longest_first(checks: &[&Check]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..checks.len()).collect();
    order.sort_by_key(|place| {
        let check = checks[*place];
        (check.needs != Needs::Figures, Reverse(check.tier))
    });
    order
}

const fn is_bad(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fail(_) | Outcome::Error(_))
}

/// Puts one check to `subject`, and writes its transcript to a file.
///
/// # Errors
/// If it was interrupted, or the transcript cannot be written. Any other fault is the outcome.
fn run_one(
    subject: &Subject,
    check: &'static Check,
    settings: &Settings,
    transcript_file: &Path,
    interrupted: &AtomicBool,
) -> Result<CheckResult, Fault> {
    let Put {
        outcome,
        transcript,
        took,
    } = put(subject, check, settings, interrupted)?;
    write_recording(&transcript, check, subject, transcript_file)?;
    let evidence = Evidence::of(outcome.failure(), &transcript);
    Ok(CheckResult {
        check,
        rounds: vec![Standing::of_outcome(&outcome)],
        outcome,
        expectation: Expectation::default(),
        took,
        evidence,
        transcript_file: transcript_file.to_owned(),
    })
}

/// A check that was put to a subject.
pub(crate) struct Put {
    /// What came of it.
    pub(crate) outcome: Outcome,
    /// What happened.
    pub(crate) transcript: Transcript,
    /// How long that took.
    pub(crate) took: Duration,
}

/// Puts one check to `subject`.
///
/// # Errors
/// If it was interrupted. Any other fault is the outcome.
pub(crate) fn put(
    subject: &Subject,
    check: &'static Check,
    settings: &Settings,
    interrupted: &AtomicBool,
) -> Result<Put, Fault> {
    let started = Instant::now();
    let (outcome, transcript) = match check.is_moot_for(subject) {
        Some(outcome) => (outcome, Transcript::default()),
        None => match exchange(subject, check, settings, interrupted) {
            Ok((judgement, transcript)) => (check.outcome(judgement, &transcript), transcript),
            Err(Fault::Interrupted) => return Err(Fault::Interrupted),
            Err(fault) => (Outcome::Error(fault.to_string()), Transcript::default()),
        },
    };
    Ok(Put {
        outcome,
        transcript,
        took: started.elapsed(),
    })
}

/// Writes down what happened, as a recording.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write_recording(
    transcript: &Transcript,
    check: &Check,
    subject: &Subject,
    file: &Path,
) -> io::Result<()> {
    let id = check.id.to_owned();
    let header = Header {
        source: match check.test {
            Test::Plugin { .. } | Test::Explored { .. } => Source::Check { id },
            Test::Decoder(_) => Source::Exam { id },
        },
        subject: subject.words(),
        redacted: false,
    };
    let file = BufWriter::new(recording::create(file)?);
    let mut recording = recording::Writer::new(file, &header)?;
    transcript::entries(transcript).try_for_each(|entry| recording.write(&entry))?;
    recording.flush()
}

/// Does to the subject what the check wants, and judges what happened.
fn exchange(
    subject: &Subject,
    check: &'static Check,
    settings: &Settings,
    interrupted: &AtomicBool,
) -> Result<(Judgement, Transcript), Fault> {
    let deadlines = settings.deadlines;
    match check.test {
        Test::Plugin { play, judge } => {
            let transcript = drive::perform(subject, play, deadlines, interrupted)?;
            Ok((judge(&transcript), transcript))
        }
        Test::Explored { seeds, judge } => {
            let explorer = Explorer {
                subject,
                check,
                judge,
                deadlines,
                interrupted,
            };
            Ok(match explorer.explore(seeds)? {
                (Outcome::Fail(failure), transcript) => (Err(failure), transcript),
                (outcome, transcript) => (Ok(outcome), transcript),
            })
        }
        Test::Decoder(exam) => {
            let stream = exam.stream();
            stream.self_check().map_err(Fault::Stimulus)?;
            let decoder = subject.with_argument(exam.direction().argument());
            let play = |_: &PlayedHost| stream.steps();
            let transcript = drive::perform(&decoder, play, deadlines, interrupted)?;
            Ok((
                exam.judge(&stream, &settings.codes, &transcript),
                transcript,
            ))
        }
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
            rounds: vec![Standing::of_outcome(&outcome)],
            outcome,
            expectation: Expectation::default(),
            took: Duration::ZERO,
            evidence: Evidence::default(),
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
    fn of_several_rounds_the_worst_counts() {
        let fail = || Outcome::Fail(Failure::new(Reason::NotFlushed, "so"));
        let passed = || result("FRM-018", Outcome::pass());
        let steady = passed().with(passed());
        assert!(!steady.is_unsteady() && steady.rounds.len() == 2);
        for mixed in [
            passed().with(result("FRM-018", fail())),
            result("FRM-018", fail()).with(passed()),
        ] {
            assert_eq!(mixed.outcome, fail());
            assert!(mixed.is_unsteady());
        }
    }

    #[test]
    fn part_of_a_run_proves_nothing_but_failures() {
        assert_eq!(Verdict::Conformant.of_part(), Verdict::Unexercised);
        assert_eq!(Verdict::Nonconformant.of_part(), Verdict::Nonconformant);
        assert_eq!(Verdict::Faulty.of_part(), Verdict::Faulty);
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
