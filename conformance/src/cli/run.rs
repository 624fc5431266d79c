use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anstream::AutoStream;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::args::DEFAULT_DEADLINES;
use super::{INTERRUPTED, NO_START, RunArguments, USAGE, complain, shown};
use crate::checks::Role;
use crate::drive::{Deadlines, Fault, preflight};
use crate::report::{Kind, Pretty, Report, Wanted, json};
use crate::run::{self, Settings, Verdict};
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
    let reports = open_reports(&arguments.report)?;
    let settings = settings(arguments);
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    preflight(&subject, settings.deadlines, &interrupted)?;
    let folder = results_folder(arguments)
        .map_err(|error| Stop::Usage(format!("the folder for results: {error}")))?;

    let mut live = match arguments.report.contains(&PRETTY_ON_STDOUT) {
        true => Some(Pretty::new(AutoStream::auto(io::stdout()), &subject)?),
        false => None,
    };
    let show = |result: &_| live.as_mut().map_or(Ok(()), |live| live.result(result));
    let results = run::run(&subject, &checks, settings, &folder, &interrupted, show)?;
    let report = Report {
        subject: &subject,
        options: &options(arguments),
        results: &results,
        not_started: checks.len() - results.len(),
        verdict: Verdict::on(&results, &required),
        folder: &folder,
    };
    if let Some(live) = live {
        live.end(&report)?;
    }
    for (kind, to) in reports {
        write(kind, to, &report)?;
    }
    Ok(report.verdict)
}

/// What is tested.
const ROLES: &[Role] = &[Role::Plugin];

const PRETTY_ON_STDOUT: Wanted = Wanted {
    kind: Kind::Pretty,
    path: None,
};

/// A report and what it goes to.
type Opened = (Kind, Box<dyn Write>);

/// Opens what the reports go to, before anything is run; the one that is shown live is left out.
fn open_reports(wanted: &[Wanted]) -> Result<Vec<Opened>, Stop> {
    if wanted.iter().filter(|wanted| wanted.path.is_none()).count() > 1 {
        let what = "only one report can go to stdout: give the others a path";
        return Err(Stop::Usage(what.to_owned()));
    }
    let later = wanted.iter().filter(|wanted| **wanted != PRETTY_ON_STDOUT);
    let opened = later.map(|Wanted { kind, path }| match path {
        None => Ok((*kind, Box::new(io::stdout()) as Box<dyn Write>)),
        Some(path) => match File::create(path) {
            Ok(file) => Ok((*kind, Box::new(BufWriter::new(file)) as Box<dyn Write>)),
            Err(error) => Err(Stop::Usage(format!(
                "the report `{}`: {error}",
                shown(path)
            ))),
        },
    });
    opened.collect()
}

fn write(kind: Kind, mut to: Box<dyn Write>, report: &Report<'_>) -> io::Result<()> {
    match kind {
        Kind::Json => writeln!(to, "{:#}", json(report))?,
        Kind::Pretty => {
            let mut pretty = Pretty::new(AutoStream::never(&mut to), report.subject)?;
            report
                .results
                .iter()
                .try_for_each(|result| pretty.result(result))?;
            pretty.end(report)?;
        }
    }
    to.flush()
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

/// The options that another run needs to come to the same: those about the subject and patience.
fn options(arguments: &RunArguments) -> Vec<OsString> {
    let mut options: Vec<OsString> = Vec::new();
    for (name, value) in &arguments.env {
        options.extend(["--env".into(), format!("{name}={value}").into()]);
    }
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
            Fault::Unheard(error) => Self::Output(error),
            Fault::Stimulus(_) | Fault::System(_) => Self::NoStart(fault.to_string()),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
