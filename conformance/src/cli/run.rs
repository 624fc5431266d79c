use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use clap::CommandFactory;

use super::reports::Reports;
use super::screen::Screen;
use super::{
    Arguments, DecodeArguments, NO_START, RunArguments, SetupArguments, TestArguments, USAGE,
    complain, interruption, shown,
};
use crate::baseline::{BadBaseline, Baseline};
use crate::checks::Role;
use crate::checks::decoder::{Codes, Direction};
use crate::drive::{Deadlines, Fault, preflight};
use crate::profile::{BadProfile, Profile};
use crate::report::{Destination, Report, counted, escape};
use crate::run::{self, CheckResult, Ending, INTERRUPTED, Settings, Verdict};
use crate::select::{BadSelection, Selection};
use crate::stimulus::PlayedHost;
use crate::subject::{CannotStart, Subject};

pub(super) fn run(arguments: &RunArguments) -> io::Result<ExitCode> {
    ended(test_plugin(arguments))
}

pub(super) fn decode(arguments: &DecodeArguments) -> io::Result<ExitCode> {
    ended(test_decoder(arguments))
}

/// The status to end with.
pub(super) fn ended(result: Result<Verdict, Stop>) -> io::Result<ExitCode> {
    match result {
        Ok(verdict) => Ok(ExitCode::from(verdict.exit_code())),
        Err(Stop::Usage(what)) => Ok(complain(USAGE, what)),
        Err(Stop::NoStart(what)) => Ok(complain(NO_START, what)),
        Err(Stop::Interrupted) => Ok(complain(INTERRUPTED, Fault::Interrupted)),
        Err(Stop::Output(error)) => Err(error),
    }
}

/// Why a run came to no verdict.
pub(super) enum Stop {
    Usage(String),
    NoStart(String),
    Interrupted,
    Output(io::Error),
}

/// What is tested, and as what.
struct Exam<'a> {
    arguments: &'a TestArguments,
    roles: Vec<Role>,
    subject: Subject,
    /// Each way in which the subject is started.
    starts: Vec<Start>,
    codes: Codes,
    /// Options beside the common ones that another run needs to come to the same.
    options: Vec<OsString>,
}

/// A way in which the subject is started, to see first of all whether it can be.
pub(super) struct Start {
    subject: Subject,
    greeting: Vec<u8>,
    /// What is said when it cannot be started so.
    complaint: String,
    /// What the user may do about it.
    hint: String,
}

impl Start {
    pub(super) fn of_plugin(subject: &Subject) -> Self {
        Self {
            subject: subject.clone(),
            greeting: PlayedHost::new().pane().opened().bytes().to_vec(),
            complaint: NO_PLUGIN.to_owned(),
            hint: String::new(),
        }
    }

    /// Starts it once and greets it.
    pub(super) fn try_out(
        &self,
        deadlines: Deadlines,
        interrupted: &AtomicBool,
    ) -> Result<(), Stop> {
        let ready = preflight(&self.subject, &self.greeting, deadlines, interrupted);
        ready.map_err(|fault| match fault {
            Fault::CannotStart(error) => {
                Stop::NoStart(format!("{}: {error}{}", self.complaint, self.hint))
            }
            other => other.into(),
        })
    }
}

const NO_PLUGIN: &str = "the plugin cannot be tested";
const NO_DECODER: &str = "the decoder cannot be tested";

fn test_plugin(arguments: &RunArguments) -> Result<Verdict, Stop> {
    note_stray_options("run", &arguments.subject);
    let profile = arguments.profile.as_deref();
    let subject = plugin(&arguments.test.setup, profile, &arguments.subject)?;
    test(&Exam {
        arguments: &arguments.test,
        roles: vec![Role::Plugin],
        starts: vec![Start::of_plugin(&subject)],
        subject,
        codes: Codes::default(),
        options: profile_option(profile),
    })
}

/// The plugin that is written on the command line; the built-in example if none is.
pub(super) fn plugin(
    setup: &SetupArguments,
    profile: Option<&Path>,
    written: &[OsString],
) -> Result<Subject, Stop> {
    let subject = match written {
        [] => Subject::built_in(),
        words => Subject::new(words.to_vec()),
    };
    let mut subject = placed(subject, NO_PLUGIN, setup)?;
    if let Some(file) = profile {
        subject.profile = Arc::new(Profile::read(file)?);
        subject.profile_file = Some(file.to_owned());
    }
    Ok(subject)
}

/// What stands behind the plugin belongs to it, which is easily forgotten: says so if it looks like an
/// option of ours, and nobody said `--`.
fn note_stray_options(task: &str, written: &[OsString]) {
    if std::env::args_os().any(|word| word == "--") {
        return;
    }
    let command = Arguments::command();
    let ours = command
        .find_subcommand(task)
        .into_iter()
        .flat_map(clap::Command::get_arguments)
        .filter_map(clap::Arg::get_long);
    let ours: Vec<String> = ours.map(|name| format!("--{name}")).collect();
    let is_ours = |word: &&OsString| {
        let word = word.to_string_lossy();
        let name = word.split('=').next().unwrap_or_default();
        ours.iter().any(|option| option == name)
    };
    if let Some(stray) = written.iter().skip(1).find(is_ours) {
        let word = escape(stray.as_encoded_bytes());
        anstream::eprintln!(
            "conformance: note: `{word}` stands behind the program and is handed to it; options of \
             `conformance {task}` stand before it"
        );
    }
}

/// The option that names a profile.
pub(super) fn profile_option(profile: Option<&Path>) -> Vec<OsString> {
    profile.map_or_else(Vec::new, |file| vec!["--profile".into(), file.into()])
}

fn test_decoder(arguments: &DecodeArguments) -> Result<Verdict, Stop> {
    note_stray_options("decode", &arguments.subject);
    let directions = match arguments.direction {
        Some(direction) => vec![direction],
        None => vec![Direction::Commands, Direction::Events],
    };
    let (codes, options) = match &arguments.codes {
        Some(written) => {
            let codes = Codes::read(written).map_err(|bad| Stop::Usage(bad.to_string()))?;
            (codes, vec!["--codes".into(), written.into()])
        }
        None => (Codes::default(), Vec::new()),
    };
    let subject = Subject::new(arguments.subject.clone());
    let subject = placed(subject, NO_DECODER, &arguments.test.setup)?;
    let start = |direction: &Direction| {
        let argument = direction.argument();
        let hint = match arguments.direction {
            Some(_) => String::new(),
            None => format!("; if it has no `{argument}` to read, --direction says what to test"),
        };
        Start {
            subject: subject.with_argument(argument),
            greeting: direction.greeting(),
            complaint: format!("{NO_DECODER}: started with `{argument}`"),
            hint,
        }
    };
    test(&Exam {
        arguments: &arguments.test,
        roles: directions
            .iter()
            .map(|direction| direction.role())
            .collect(),
        starts: directions.iter().map(start).collect(),
        subject: subject.clone(),
        codes,
        options,
    })
}

fn test(exam: &Exam<'_>) -> Result<Verdict, Stop> {
    let (arguments, subject) = (exam.arguments, &exam.subject);
    let selection = selection(arguments);
    let (checks, required) = (
        selection.checks(&exam.roles)?,
        selection.required(&exam.roles)?,
    );
    let mut reports = Reports::open(&arguments.report).map_err(Stop::Usage)?;
    let baseline = baseline(arguments, &exam.roles)?;
    let settings = settings(arguments, &exam.codes, baseline);
    let interrupted = Arc::new(AtomicBool::new(false));
    interruption::watch(&interrupted)?;
    for start in &exam.starts {
        start.try_out(settings.deadlines, &interrupted)?;
    }
    let folder = results_folder(arguments.results.as_deref())?;
    reports
        .open_in(&folder)
        .map_err(|error| no_results(&folder, error))?;

    let mut screen = Screen::new(&exam.roles, subject, reports.is_live(), checks.len())?;
    let (started, clock) = (SystemTime::now(), Instant::now());
    let run = run::run(
        subject,
        &checks,
        &settings,
        &folder,
        &interrupted,
        &mut screen,
    )?;
    let verdict = Verdict::on(&run.results, &required);
    let is_part = run.ending.is_early();
    let report = Report {
        roles: &exam.roles,
        subject,
        options: &[options(&arguments.setup), exam.options.clone()].concat(),
        results: &run.results,
        not_started: checks.len() - run.results.len(),
        interrupted: is_part,
        verdict: if is_part { verdict.of_part() } else { verdict },
        started,
        took: clock.elapsed(),
        folder: &folder,
        wanted: &arguments.report,
    };
    // Files first: whoever reads our output may be gone.
    let written = reports.write(&report);
    if let Ending::Unheard(error) = run.ending {
        return Err(Stop::Output(error));
    }
    screen.end(&report)?;
    written?;
    if let Some(file) = arguments.write_baseline.as_ref().filter(|_| !is_part) {
        write_baseline(file, &exam.roles, &run.results)?;
    }
    match run.ending {
        Ending::Complete => Ok(report.verdict),
        Ending::Interrupted | Ending::Unheard(_) => Err(Stop::Interrupted),
    }
}

/// The failures that are known.
fn baseline(arguments: &TestArguments, roles: &[Role]) -> Result<Baseline, Stop> {
    Ok(match &arguments.baseline {
        Some(file) => Baseline::read(file, roles)?,
        None => Baseline::default(),
    })
}

/// Writes down the failures of this run. What the file says of other checks, and why, stays.
fn write_baseline(file: &Path, roles: &[Role], results: &[CheckResult]) -> Result<(), Stop> {
    let before = match file.exists() {
        true => Baseline::read(file, roles)?,
        false => Baseline::default(),
    };
    let after = before.renewed(results);
    let written = Destination::file(file).and_then(|to| to.write(after.to_toml().as_bytes()));
    written.map_err(|error| Stop::Usage(format!("the baseline `{}`: {error}", shown(file))))?;
    anstream::eprintln!(
        "conformance: wrote {} to {}",
        counted(after.len(), "known failure"),
        shown(file)
    );
    Ok(())
}

fn selection(arguments: &TestArguments) -> Selection {
    Selection {
        only: arguments.only.clone(),
        skip: arguments.skip.clone(),
        level: arguments.level,
        origin: arguments.origin,
        tier: arguments.tier,
        require_exercised: arguments.require_exercised.clone(),
    }
}

fn settings(arguments: &TestArguments, codes: &Codes, baseline: Baseline) -> Settings {
    Settings {
        deadlines: deadlines(&arguments.setup),
        jobs: arguments.jobs.unwrap_or_else(run::default_jobs),
        fail_fast: arguments.fail_fast,
        codes: codes.clone(),
        baseline,
        rounds: arguments.repeat,
    }
}

pub(super) const fn deadlines(setup: &SetupArguments) -> Deadlines {
    Deadlines {
        startup: setup.startup_timeout,
        timeout: setup.timeout,
        grace: setup.close_grace,
        check: setup.check_timeout,
    }
}

/// The subject, where and with what the user wants it to run.
fn placed(
    found: Result<Subject, CannotStart>,
    complaint: &str,
    setup: &SetupArguments,
) -> Result<Subject, Stop> {
    if let Some(cwd) = setup.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        let what = format!("the working directory `{}` is no directory", shown(cwd));
        return Err(Stop::Usage(what));
    }
    let mut subject = found.map_err(|error| Stop::NoStart(format!("{complaint}: {error}")))?;
    let env = setup.env.iter();
    subject.env = env
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    subject.cwd.clone_from(&setup.cwd);
    subject.keep_home = setup.keep_home;
    Ok(subject)
}

/// The folder that the transcripts go to; a new one, which stays, unless the user named one.
pub(super) fn results_folder(wanted: Option<&Path>) -> Result<PathBuf, Stop> {
    let made = match wanted {
        Some(folder) => fs::create_dir_all(folder).map(|()| folder.to_owned()),
        None => tempfile::Builder::new()
            .prefix("conformance-")
            .tempdir()
            .map(tempfile::TempDir::keep),
    };
    made.map_err(|error| no_results(wanted.unwrap_or(&std::env::temp_dir()), error))
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn no_results(folder: &Path, error: io::Error) -> Stop {
    Stop::Usage(format!(
        "the folder for results `{}`: {error}",
        shown(folder)
    ))
}

/// The options that another run needs to come to the same: those about the subject, apart from its
/// environment, and patience.
pub(super) fn options(setup: &SetupArguments) -> Vec<OsString> {
    let mut options: Vec<OsString> = Vec::new();
    if let Some(cwd) = &setup.cwd {
        options.extend(["--cwd".into(), cwd.into()]);
    }
    if setup.keep_home {
        options.push("--keep-home".into());
    }
    options.extend(deadlines(setup).options());
    options
}

impl From<BadSelection> for Stop {
    fn from(bad: BadSelection) -> Self {
        Self::Usage(bad.to_string())
    }
}

impl From<BadBaseline> for Stop {
    fn from(bad: BadBaseline) -> Self {
        Self::Usage(bad.to_string())
    }
}

impl From<BadProfile> for Stop {
    fn from(bad: BadProfile) -> Self {
        Self::Usage(escape(bad.to_string().as_bytes()))
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Interrupted => Self::Interrupted,
            Fault::CannotStart(_) | Fault::Stimulus(_) | Fault::System(_) => {
                Self::NoStart(fault.to_string())
            }
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
