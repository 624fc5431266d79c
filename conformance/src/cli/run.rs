use std::ffi::OsString;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use super::args::DEFAULT_DEADLINES;
use super::reports::Reports;
use super::stage::Stage;
use super::{NO_START, RunArguments, USAGE, complain, interruption};
use crate::checks::Role;
use crate::drive::{Deadlines, Fault, preflight};
use crate::report::{Report, escape};
use crate::run::{self, Ending, INTERRUPTED, Settings, Verdict};
use crate::select::{BadSelection, Selection};
use crate::subject::{CannotStart, Subject};

pub(super) fn run(arguments: &RunArguments) -> io::Result<ExitCode> {
    match test(arguments) {
        Ok(verdict) => Ok(ExitCode::from(verdict.exit_code())),
        Err(Stop::Usage(what)) => Ok(complain(USAGE, what)),
        Err(Stop::NoStart(what)) => Ok(complain(NO_START, what)),
        Err(Stop::Interrupted) => Ok(complain(INTERRUPTED, Fault::Interrupted)),
        Err(Stop::Output(error)) => Err(error),
    }
}

/// Why a run came to no verdict.
enum Stop {
    Usage(String),
    NoStart(String),
    Interrupted,
    Output(io::Error),
}

fn test(arguments: &RunArguments) -> Result<Verdict, Stop> {
    let selection = selection(arguments);
    let (checks, required) = (selection.checks(ROLES)?, selection.required(ROLES)?);
    if let Some(cwd) = arguments.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        let what = format!("the working directory `{}` is no directory", shown(cwd));
        return Err(Stop::Usage(what));
    }
    let subject = subject(arguments)?;
    let mut reports = Reports::open(&arguments.report).map_err(Stop::Usage)?;
    let settings = settings(arguments);
    let interrupted = Arc::new(AtomicBool::new(false));
    interruption::watch(&interrupted)?;
    preflight(&subject, settings.deadlines, &interrupted)?;
    let folder = results_folder(arguments)
        .and_then(|folder| reports.open_in(&folder).map(|()| folder))
        .map_err(|error| Stop::Usage(format!("the folder for results: {error}")))?;

    let mut stage = Stage::new(&subject, reports.is_live(), checks.len())?;
    let (started, clock) = (SystemTime::now(), Instant::now());
    let run = run::run(
        &subject,
        &checks,
        settings,
        &folder,
        &interrupted,
        &mut stage,
    )?;
    let verdict = Verdict::on(&run.results, &required);
    let is_part = run.ending.is_early();
    let report = Report {
        subject: &subject,
        options: &options(arguments),
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
    stage.end(&report)?;
    written?;
    match run.ending {
        Ending::Complete => Ok(report.verdict),
        Ending::Interrupted | Ending::Unheard(_) => Err(Stop::Interrupted),
    }
}

/// What is tested.
const ROLES: &[Role] = &[Role::Plugin];

/// A path as a terminal may see it.
fn shown(path: &Path) -> String {
    escape(path.as_os_str().as_bytes())
}

fn selection(arguments: &RunArguments) -> Selection {
    Selection {
        only: arguments.only.clone(),
        skip: arguments.skip.clone(),
        level: arguments.level,
        origin: arguments.origin,
        tier: arguments.tier,
        require_exercised: arguments.require_exercised.clone(),
    }
}

fn settings(arguments: &RunArguments) -> Settings {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Settings {
        deadlines: Deadlines {
            startup: arguments.startup_timeout,
            timeout: arguments.timeout,
            grace: arguments.close_grace,
            check: arguments.check_timeout,
        },
        jobs: arguments.jobs.unwrap_or_else(cores),
        fail_fast: arguments.fail_fast,
    }
}

fn subject(arguments: &RunArguments) -> Result<Subject, CannotStart> {
    let mut subject = if arguments.subject.is_empty() {
        Subject::built_in()?
    } else {
        Subject::new(arguments.subject.clone())?
    };
    subject.env = arguments
        .env
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    subject.cwd.clone_from(&arguments.cwd);
    subject.keep_home = arguments.keep_home;
    Ok(subject)
}

/// The folder that the transcripts go to; a new one, which stays, unless the user named one.
fn results_folder(arguments: &RunArguments) -> io::Result<PathBuf> {
    match &arguments.results {
        Some(folder) => {
            fs::create_dir_all(folder)?;
            Ok(folder.clone())
        }
        None => Ok(tempfile::Builder::new()
            .prefix("conformance-")
            .tempdir()?
            .keep()),
    }
}

/// The options that another run needs to come to the same: those about the subject, apart from its
/// environment, and patience.
fn options(arguments: &RunArguments) -> Vec<OsString> {
    let mut options: Vec<OsString> = Vec::new();
    if let Some(cwd) = &arguments.cwd {
        options.extend(["--cwd".into(), cwd.into()]);
    }
    if arguments.keep_home {
        options.push("--keep-home".into());
    }
    let patience = [
        (
            "--startup-timeout",
            arguments.startup_timeout,
            DEFAULT_DEADLINES.startup,
        ),
        ("--timeout", arguments.timeout, DEFAULT_DEADLINES.timeout),
        (
            "--check-timeout",
            arguments.check_timeout,
            DEFAULT_DEADLINES.check,
        ),
        (
            "--close-grace",
            arguments.close_grace,
            DEFAULT_DEADLINES.grace,
        ),
    ];
    for (option, time, default) in patience {
        if time != default {
            options.extend([option.into(), format!("{}ms", time.as_millis()).into()]);
        }
    }
    options
}

impl From<BadSelection> for Stop {
    fn from(bad: BadSelection) -> Self {
        Self::Usage(bad.to_string())
    }
}

impl From<CannotStart> for Stop {
    fn from(error: CannotStart) -> Self {
        Self::NoStart(format!("the plugin cannot be tested: {error}"))
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::CannotStart(error) => error.into(),
            Fault::Interrupted => Self::Interrupted,
            Fault::Stimulus(_) | Fault::System(_) => Self::NoStart(fault.to_string()),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
