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
use super::{
    DecodeArguments, INTERRUPTED, NO_START, RunArguments, TestArguments, USAGE, complain, shown,
};
use crate::checks::Role;
use crate::checks::decoder::{Codes, Direction};
use crate::drive::{Deadlines, Fault, preflight};
use crate::profile::{BadProfile, Profile};
use crate::report::{Kind, Pretty, Report, Wanted, escape, json};
use crate::run::{self, Settings, Verdict};
use crate::select::{BadSelection, Selection};
use crate::stimulus::PlayedHost;
use crate::subject::{CannotStart, Subject};

pub(super) fn run(arguments: &RunArguments) -> io::Result<ExitCode> {
    ended(test_plugin(arguments))
}

pub(super) fn decode(arguments: &DecodeArguments) -> io::Result<ExitCode> {
    ended(test_decoder(arguments))
}

fn ended(result: Result<Verdict, Stop>) -> io::Result<ExitCode> {
    match result {
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
struct Start {
    subject: Subject,
    greeting: Vec<u8>,
    /// What is said when it cannot be started so.
    complaint: String,
    /// What the user may do about it.
    hint: String,
}

const NO_PLUGIN: &str = "the plugin cannot be tested";
const NO_DECODER: &str = "the decoder cannot be tested";

fn test_plugin(arguments: &RunArguments) -> Result<Verdict, Stop> {
    let roles = vec![Role::Plugin];
    let subject = match &arguments.subject[..] {
        [] => Subject::built_in(),
        words => Subject::new(words.to_vec()),
    };
    let mut subject = placed(subject, NO_PLUGIN, &arguments.test)?;
    let mut options: Vec<OsString> = Vec::new();
    if let Some(file) = &arguments.profile {
        subject.profile = Arc::new(Profile::read(file)?);
        subject.profile_file = Some(file.clone());
        options.extend(["--profile".into(), file.into()]);
    }
    let start = Start {
        subject: subject.clone(),
        greeting: PlayedHost::new().pane().opened().bytes().to_vec(),
        complaint: NO_PLUGIN.to_owned(),
        hint: String::new(),
    };
    test(&Exam {
        arguments: &arguments.test,
        roles,
        starts: vec![start],
        subject,
        codes: Codes::default(),
        options,
    })
}

fn test_decoder(arguments: &DecodeArguments) -> Result<Verdict, Stop> {
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
    let subject = placed(subject, NO_DECODER, &arguments.test)?;
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
    if let Some(cwd) = arguments.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        let what = format!("the working directory `{}` is no directory", shown(cwd));
        return Err(Stop::Usage(what));
    }
    let reports = open_reports(&arguments.report)?;
    let settings = settings(arguments, &exam.codes);
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    for start in &exam.starts {
        let ready = preflight(
            &start.subject,
            &start.greeting,
            settings.deadlines,
            &interrupted,
        );
        ready.map_err(|fault| match fault {
            Fault::CannotStart(error) => {
                Stop::NoStart(format!("{}: {error}{}", start.complaint, start.hint))
            }
            other => other.into(),
        })?;
    }
    let folder = results_folder(arguments)
        .map_err(|error| Stop::Usage(format!("the folder for results: {error}")))?;

    let mut live = match arguments.report.contains(&PRETTY_ON_STDOUT) {
        true => Some(Pretty::new(
            AutoStream::auto(io::stdout()),
            &exam.roles,
            subject,
        )?),
        false => None,
    };
    let show = |result: &_| live.as_mut().map_or(Ok(()), |live| live.result(result));
    let results = run::run(subject, &checks, &settings, &folder, &interrupted, show)?;
    let report = Report {
        roles: &exam.roles,
        subject,
        options: &[options(arguments), exam.options.clone()].concat(),
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
            let mut pretty = Pretty::new(AutoStream::never(&mut to), report.roles, report.subject)?;
            report
                .results
                .iter()
                .try_for_each(|result| pretty.result(result))?;
            pretty.end(report)?;
        }
    }
    to.flush()
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

fn settings(arguments: &TestArguments, codes: &Codes) -> Settings {
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
        codes: codes.clone(),
    }
}

/// The subject, where and with what the user wants it to run.
fn placed(
    found: Result<Subject, CannotStart>,
    complaint: &str,
    arguments: &TestArguments,
) -> Result<Subject, Stop> {
    let mut subject = found.map_err(|error| Stop::NoStart(format!("{complaint}: {error}")))?;
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
fn results_folder(arguments: &TestArguments) -> io::Result<PathBuf> {
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
fn options(arguments: &TestArguments) -> Vec<OsString> {
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

impl From<BadProfile> for Stop {
    fn from(bad: BadProfile) -> Self {
        Self::Usage(escape(bad.to_string().as_bytes()))
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Interrupted => Self::Interrupted,
            Fault::Unheard(error) => Self::Output(error),
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
