use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Stdout, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anstream::AutoStream;

use super::FuzzArguments;
use super::interruption;
use super::run::{Start, Stop, deadlines, ended, options, plugin, profile_option, results_folder};
use crate::baseline::Expectation;
use crate::checks::{Role, Test, find};
use crate::evidence::Evidence;
use crate::explore::{Explorer, Finding, History, Occurrence, Provoked, Seeds};
use crate::outcome::{Outcome, Reason};
use crate::report::{Pretty, Standing};
use crate::run::{CheckResult, Verdict, write_recording};
use crate::subject::shell_words;

pub(super) fn fuzz(arguments: &FuzzArguments) -> io::Result<ExitCode> {
    ended(search(arguments))
}

/// How many histories are played if nobody says how many or for how long.
const HISTORIES: u64 = 1000;

fn search(arguments: &FuzzArguments) -> Result<Verdict, Stop> {
    let profile = arguments.profile.as_deref();
    let subject = plugin(&arguments.setup, profile, &arguments.subject)?;
    let deadlines = deadlines(&arguments.setup);
    let interrupted = Arc::new(AtomicBool::new(false));
    interruption::watch(&interrupted)?;
    Start::of_plugin(&subject).try_out(deadlines, &interrupted)?;
    let check = find(Role::Plugin, "LIF-028");
    let check = check.expect("the catalogue has the check of random histories");
    let Test::Explored { judge, .. } = check.test else {
        unreachable!("the check of random histories explores");
    };
    let explorer = Explorer {
        subject: &subject,
        check,
        judge,
        deadlines,
        interrupted: &interrupted,
    };
    let mut search = Search {
        explorer,
        arguments,
        folder: results_folder(arguments.results.as_deref())?,
        report: Pretty::new(AutoStream::auto(io::stdout()), &[Role::Plugin], &subject)?,
        provoked: Provoked::default(),
        found: HashSet::new(),
        started: Instant::now(),
        played: Duration::ZERO,
    };
    let seeds = seeds(arguments)?;
    let verdict = search.through(seeds)?;
    search.tell_end(seeds, verdict)?;
    Ok(verdict)
}

/// The histories to play.
fn seeds(arguments: &FuzzArguments) -> Result<Seeds, Stop> {
    let wanted = arguments.histories.map(NonZeroU64::get);
    let endless = arguments.length.map(|_| u64::MAX);
    let chance = || {
        let mut random = [0; 4];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok::<_, io::Error>(u32::from_be_bytes(random).into())
    };
    Ok(Seeds {
        first: arguments.seed.map_or_else(chance, Ok)?,
        count: wanted.or(endless).unwrap_or(HISTORIES),
    })
}

/// What the search came to. That nothing was found proves nothing.
const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Conformant => "NOTHING FOUND",
        Verdict::Unexercised | Verdict::Nonconformant | Verdict::Faulty => verdict.word(),
    }
}

struct Search<'a> {
    explorer: Explorer<'a>,
    arguments: &'a FuzzArguments,
    folder: PathBuf,
    report: Pretty<AutoStream<Stdout>>,
    provoked: Provoked,
    /// The faults found so far; histories that only differ in their seeds are one.
    found: HashSet<(Reason, History)>,
    started: Instant,
    /// How long histories were played, without what it took to shrink some.
    played: Duration,
}

impl Search<'_> {
    /// Plays histories until there are no more, the time is over, or one failed.
    fn through(&mut self, seeds: Seeds) -> Result<Verdict, Stop> {
        let length = self.arguments.length.unwrap_or(Duration::MAX);
        for portion in seeds.portions() {
            if self.started.elapsed() >= length {
                break;
            }
            let began = Instant::now();
            let until = began + self.explorer.deadlines.check;
            let trial = self.explorer.play(portion, until)?;
            self.played += began.elapsed();
            self.provoked.add(&trial.provoked);
            self.tell_progress()?;
            match trial.outcome {
                Outcome::Pass { .. } => {}
                Outcome::Fail(failure) => {
                    let transcript = trial.transcript;
                    let occurrence = Occurrence {
                        failure,
                        transcript,
                    };
                    let finding = self.explorer.pin_down(portion, occurrence)?;
                    self.tell_finding(finding)?;
                    if !self.arguments.keep_going {
                        break;
                    }
                }
                Outcome::NotApplicable(reason) | Outcome::NotExercised(reason) => {
                    self.say(&reason)?;
                    return Ok(self.verdict().max(Verdict::Unexercised));
                }
                Outcome::Error(reason) => {
                    self.say(&reason)?;
                    return Ok(Verdict::Faulty);
                }
            }
        }
        Ok(self.verdict())
    }

    fn verdict(&self) -> Verdict {
        if !self.found.is_empty() {
            Verdict::Nonconformant
        } else if self.provoked.outcome().was_exercised() {
            Verdict::Conformant
        } else {
            Verdict::Unexercised
        }
    }

    /// Tells a person who watches how far it is.
    fn tell_progress(&self) -> io::Result<()> {
        let mut to = io::stderr().lock();
        if to.is_terminal() {
            write!(to, "\r{}, {} found ", self.pace(), self.found.len())?;
        }
        Ok(())
    }

    fn pace(&self) -> String {
        let histories = self.provoked.histories;
        let pace = histories as f64 / self.played.as_secs_f64().max(0.001);
        format!("{histories} played, {pace:.0} a second")
    }

    /// Explains a fault and keeps its transcript, unless it is known already.
    fn tell_finding(&mut self, finding: Finding) -> io::Result<()> {
        let failure = finding.told();
        if !self.found.insert((failure.reason, finding.history)) {
            return Ok(());
        }
        let number = self.found.len();
        let transcript_file = self.folder.join(format!("finding-{number}.ndjson"));
        let (check, subject) = (self.explorer.check, self.explorer.subject);
        let transcript = &finding.occurrence.transcript;
        write_recording(transcript, check, subject, &transcript_file)?;
        let evidence = Evidence::of(Some(&failure), transcript);
        let again = self.again(finding.seeds);
        let outcome = Outcome::Fail(failure);
        let result = CheckResult {
            check,
            rounds: vec![Standing::of_outcome(&outcome)],
            outcome,
            expectation: Expectation::default(),
            took: self.started.elapsed(),
            evidence,
            transcript_file,
        };
        self.report.explain(&result, &again)
    }

    /// The command that plays these histories again.
    fn again(&self, seeds: Seeds) -> String {
        let mut words: Vec<OsString> = ["conformance", "fuzz"].map(OsString::from).into();
        words.extend(seeds.to_string().split(' ').map(OsString::from));
        words.extend(options(&self.arguments.setup));
        words.extend(profile_option(self.arguments.profile.as_deref()));
        if !self.arguments.subject.is_empty() {
            words.push("--".into());
            words.extend_from_slice(&self.arguments.subject);
        }
        shell_words(&words)
    }

    /// Sums up.
    fn tell_end(&self, seeds: Seeds, verdict: Verdict) -> io::Result<()> {
        let commands = match self.provoked.told() {
            told if told.is_empty() => "none".to_owned(),
            told => told,
        };
        self.say(&format!(
            "\nhistories  {}, from seed {} on",
            self.pace(),
            seeds.first
        ))?;
        self.say(&format!("answered   {}", self.provoked.answered))?;
        self.say(&format!("commands   {commands}"))?;
        self.say(&format!("findings   {}", self.found.len()))?;
        if self.provoked.answered == 0 && self.found.is_empty() {
            self.say("hint       a profile that says what makes the plugin act would find more (--profile)")?;
        }
        self.say(&format!("\n{}", word(verdict)))
    }

    fn say(&self, what: &str) -> io::Result<()> {
        writeln!(anstream::stdout(), "{what}")
    }
}
