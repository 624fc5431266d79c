use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anstream::AutoStream;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::args::DEFAULT_DEADLINES;
use super::{INTERRUPTED, NO_START, RunArguments, SetupArguments, USAGE, complain};
use crate::checks::Role;
use crate::drive::{Deadlines, Fault, preflight};
use crate::profile::{BadProfile, Profile};
use crate::report::{Kind, Pretty, Report, Wanted, escape, json};
use crate::run::{self, Settings, Verdict};
use crate::select::{BadSelection, Selection};
use crate::subject::{CannotStart, Subject};

pub(super) fn run(arguments: &RunArguments) -> io::Result<ExitCode> {
    ended(test(arguments))
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

fn test(arguments: &RunArguments) -> Result<Verdict, Stop> {
    let selection = selection(arguments);
    let (checks, required) = (selection.checks(ROLES)?, selection.required(ROLES)?);
    let subject = subject(&arguments.setup, &arguments.subject)?;
    let reports = open_reports(&arguments.report)?;
    let settings = settings(arguments);
    let interrupted = interruption()?;
    preflight(&subject, settings.deadlines, &interrupted)?;
    let folder = results_folder(arguments.results.as_deref())?;

    let mut live = match arguments.report.contains(&PRETTY_ON_STDOUT) {
        true => Some(Pretty::new(AutoStream::auto(io::stdout()), &subject)?),
        false => None,
    };
    let show = |result: &_| live.as_mut().map_or(Ok(()), |live| live.result(result));
    let results = run::run(&subject, &checks, settings, &folder, &interrupted, show)?;
    let report = Report {
        subject: &subject,
        options: &options(&arguments.setup),
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

/// A path as a terminal may see it.
fn shown(path: &Path) -> String {
    escape(path.as_os_str().as_bytes())
}

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
        deadlines: deadlines(&arguments.setup),
        jobs: arguments.jobs.unwrap_or_else(cores),
        fail_fast: arguments.fail_fast,
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

/// Whether somebody wants the runner to stop, from now on.
pub(super) fn interruption() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// The plugin that is written on the command line; the built-in example if none is.
pub(super) fn subject(setup: &SetupArguments, written: &[OsString]) -> Result<Subject, Stop> {
    if let Some(cwd) = setup.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        let what = format!("the working directory `{}` is no directory", shown(cwd));
        return Err(Stop::Usage(what));
    }
    let mut subject = if written.is_empty() {
        Subject::built_in()?
    } else {
        Subject::new(written.to_vec())?
    };
    subject.env = setup
        .env
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    if let Some(file) = &setup.profile {
        subject.profile = Arc::new(Profile::read(file)?);
        subject.profile_file = Some(file.clone());
    }
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
    made.map_err(|error| Stop::Usage(format!("the folder for results: {error}")))
}

/// The options that another run needs to come to the same: those about the subject and patience.
pub(super) fn options(setup: &SetupArguments) -> Vec<OsString> {
    let mut options: Vec<OsString> = Vec::new();
    for (name, value) in &setup.env {
        options.extend(["--env".into(), format!("{name}={value}").into()]);
    }
    if let Some(cwd) = &setup.cwd {
        options.extend(["--cwd".into(), cwd.into()]);
    }
    if let Some(profile) = &setup.profile {
        options.extend(["--profile".into(), profile.into()]);
    }
    if setup.keep_home {
        options.push("--keep-home".into());
    }
    let patience = [
        (
            "--startup-timeout",
            setup.startup_timeout,
            DEFAULT_DEADLINES.startup,
        ),
        ("--timeout", setup.timeout, DEFAULT_DEADLINES.timeout),
        (
            "--check-timeout",
            setup.check_timeout,
            DEFAULT_DEADLINES.check,
        ),
        ("--close-grace", setup.close_grace, DEFAULT_DEADLINES.grace),
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

impl From<BadProfile> for Stop {
    fn from(bad: BadProfile) -> Self {
        Self::Usage(escape(bad.to_string().as_bytes()))
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
