//! The runner as a library: test a plugin from a Rust test.
//!
//! ```no_run
//! # use nightcrow_conformance::Suite;
//! // In a test of a plugin written in Rust: `Suite::plugin(env!("CARGO_BIN_EXE_my-plugin"))`.
//! Suite::plugin("./my-plugin")
//!     .arg("--quiet")
//!     .profile("tests/profile.toml")
//!     .skip("LIF-009") // it keeps what was printed, on purpose
//!     .assert_conformant();
//! ```
//!
//! [`Suite::run`] tells more than yes or no:
//!
//! ```no_run
//! # use nightcrow_conformance::{CannotRun, Suite};
//! let summary = Suite::plugin("./my-plugin").only("FRM-*").run()?;
//! for result in summary.failures() {
//!     println!("{} took {:?}", result.check.id, result.took);
//! }
//! summary.assert_conformant();
//! # Ok::<(), CannotRun>(())
//! ```

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use anstream::StripStream;

use crate::baseline::Baseline;
use crate::checks::decoder::Codes;
use crate::checks::{Check, Level, Role, Tier};
use crate::drive::{Deadlines, Fault, preflight};
use crate::outcome::Outcome;
use crate::profile::{BadProfile, Profile};
use crate::report::{Pretty, Report, escape};
use crate::run::{self, CheckResult, Nobody, Settings, Verdict};
use crate::select::{BadSelection, Selection};
use crate::spec::Origin;
use crate::stimulus::PlayedHost;
use crate::subject::{CannotStart, Subject};

/// A plugin to test, and how: what `conformance run` does, with the same options and the same defaults.
///
/// A run starts the plugin once for each check, several at a time, each time in a private home. Nothing
/// that was started outlives it. Signals are the caller's business: whoever wants to stop a run early
/// uses [`run_until`](Self::run_until).
///
/// The example plugin that the command line tests by default is part of the `conformance` binary, so
/// there is none here: a suite always names a program.
#[derive(Debug, Clone)]
pub struct Suite {
    command: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    cwd: Option<PathBuf>,
    keep_home: bool,
    profile: Option<PathBuf>,
    selection: Selection,
    settings: Settings,
    results: Option<PathBuf>,
}

/// Why a suite came to no verdict. Each is one sentence, in printable ASCII.
#[derive(Debug, thiserror::Error)]
pub enum CannotRun {
    /// The checks that are wanted do not exist, or exclude each other.
    #[error("{}", printable(.0))]
    Selection(#[from] BadSelection),
    /// The profile cannot be used.
    #[error("{}", printable(.0))]
    Profile(#[from] BadProfile),
    /// The working directory is none.
    #[error("the working directory `{}` is no directory", shown(.0))]
    NoDirectory(PathBuf),
    /// The plugin cannot be started, or ends before it reads anything.
    #[error("the plugin cannot be tested: {0}")]
    Plugin(#[from] CannotStart),
    /// The folder for transcripts cannot be used.
    #[error("the folder for results `{}`: {}", shown(folder), printable(error))]
    Results {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The runner is at fault, or was interrupted.
    #[error("{}", printable(.0))]
    Fault(Fault),
}

/// What a suite came to. Displayed, it is the report for people, without colours.
#[derive(Debug)]
pub struct Summary {
    subject: Subject,
    options: Vec<OsString>,
    results: Vec<CheckResult>,
    not_started: usize,
    verdict: Verdict,
    started: SystemTime,
    took: Duration,
    folder: Folder,
}

/// Where transcripts are.
#[derive(Debug)]
enum Folder {
    /// In a folder that stays.
    Kept(PathBuf),
    /// In one that goes away with this.
    Passing(tempfile::TempDir),
}

/// What is tested.
const ROLES: &[Role] = &[Role::Plugin];

impl Suite {
    /// All checks for the plugin that this program is: a path, or a command in `PATH`. A relative path is
    /// looked for in the caller's working directory, which for a Rust test is the folder of its package.
    #[must_use]
    pub fn plugin(program: impl Into<OsString>) -> Self {
        Self {
            command: vec![program.into()],
            env: Vec::new(),
            cwd: None,
            keep_home: false,
            profile: None,
            selection: Selection::default(),
            settings: Settings {
                deadlines: Deadlines::DEFAULT,
                jobs: run::default_jobs(),
                fail_fast: false,
                codes: Codes::default(),
                baseline: Baseline::default(),
                rounds: NonZeroUsize::MIN,
            },
            results: None,
        }
    }

    /// An argument for the plugin; repeatable.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.command.push(arg.into());
        self
    }

    /// Several arguments for the plugin.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.command.extend(args.into_iter().map(Into::into));
        self
    }

    /// A variable for the plugin's environment; repeatable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The plugin's working directory; the caller's own unless set.
    #[must_use]
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// Leaves `HOME` and `XDG_*` as they are, for version managers that start the plugin's interpreter.
    #[must_use]
    pub fn keep_home(mut self) -> Self {
        self.keep_home = true;
        self
    }

    /// The file that says what makes the plugin act.
    #[must_use]
    pub fn profile(mut self, file: impl Into<PathBuf>) -> Self {
        self.profile = Some(file.into());
        self
    }

    /// Runs only these checks: an id, a pattern with `*` and `?`, or `@FILE` with one of them a line;
    /// repeatable.
    #[must_use]
    pub fn only(mut self, checks: impl Into<String>) -> Self {
        self.selection.only.push(checks.into());
        self
    }

    /// Leaves these checks out; repeatable. Give the reason in a comment beside the call.
    #[must_use]
    pub fn skip(mut self, checks: impl Into<String>) -> Self {
        self.selection.skip.push(checks.into());
        self
    }

    /// Runs only checks of this level and above.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.selection.level = Some(level);
        self
    }

    /// Runs only checks of requirements with this origin.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.selection.origin = Some(origin);
        self
    }

    /// Runs only checks of this tier and of earlier ones.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.selection.tier = Some(tier);
        self
    }

    /// Is not content unless this check was put to the test; repeatable.
    #[must_use]
    pub fn require_exercised(mut self, check: impl Into<String>) -> Self {
        self.selection.require_exercised.push(check.into());
        self
    }

    /// How long the plugin may take to read its first byte: 10 s unless set.
    #[must_use]
    pub fn startup_timeout(mut self, at_most: Duration) -> Self {
        self.settings.deadlines.startup = at_most;
        self
    }

    /// How long the plugin may take for anything else: 5 s unless set.
    #[must_use]
    pub fn timeout(mut self, at_most: Duration) -> Self {
        self.settings.deadlines.timeout = at_most;
        self
    }

    /// How long one check may take: 60 s unless set.
    #[must_use]
    pub fn check_timeout(mut self, at_most: Duration) -> Self {
        self.settings.deadlines.check = at_most;
        self
    }

    /// How long the plugin may take to end: the contract's 2 s unless set.
    #[must_use]
    pub fn close_grace(mut self, at_most: Duration) -> Self {
        self.settings.deadlines.grace = at_most;
        self
    }

    /// How many checks run at the same time: three per core unless set.
    #[must_use]
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.settings.jobs = jobs;
        self
    }

    /// Starts no more checks after the first failure.
    #[must_use]
    pub fn fail_fast(mut self) -> Self {
        self.settings.fail_fast = true;
        self
    }

    /// The folder for transcripts. Unless set it is a temporary one, which stays if the plugin is not
    /// conformant.
    #[must_use]
    pub fn results(mut self, folder: impl Into<PathBuf>) -> Self {
        self.results = Some(folder.into());
        self
    }

    /// Runs the checks.
    ///
    /// # Errors
    /// If there is nothing to run, or the plugin cannot be started. A plugin that starts and breaks the
    /// contract is no error: see [`Summary::verdict`].
    pub fn run(&self) -> Result<Summary, CannotRun> {
        self.run_until(&AtomicBool::new(false))
    }

    /// Runs the checks, until `interrupted` is true: then whatever was started is ended at once.
    ///
    /// # Errors
    /// As [`run`](Self::run); and [`Fault::Interrupted`] if it was interrupted.
    pub fn run_until(&self, interrupted: &AtomicBool) -> Result<Summary, CannotRun> {
        let (checks, required) = self.checks()?;
        let subject = self.subject()?;
        let greeting = PlayedHost::new().pane().opened();
        preflight(
            &subject,
            greeting.bytes(),
            self.settings.deadlines,
            interrupted,
        )?;
        let folder = Folder::new(self.results.as_deref()).map_err(|error| {
            let folder = self.results.clone().unwrap_or_else(std::env::temp_dir);
            CannotRun::Results { folder, error }
        })?;
        let (settings, path) = (&self.settings, folder.path());
        let (started, clock) = (SystemTime::now(), Instant::now());
        let run = run::run(&subject, &checks, settings, path, interrupted, &mut Nobody)?;
        if run.ending.is_early() {
            return Err(CannotRun::Fault(Fault::Interrupted));
        }
        let results = run.results;
        let verdict = Verdict::on(&results, &required);
        Ok(Summary {
            subject,
            options: self.options(),
            not_started: checks.len() - results.len(),
            results,
            verdict,
            started,
            took: clock.elapsed(),
            folder: match verdict {
                Verdict::Conformant => folder,
                Verdict::Unexercised | Verdict::Nonconformant | Verdict::Faulty => folder.keep(),
            },
        })
    }

    /// Runs the checks, for a test that is about nothing else.
    ///
    /// # Panics
    /// If they cannot be run, with the sentence that says why; otherwise as
    /// [`Summary::assert_conformant`].
    #[track_caller]
    pub fn assert_conformant(&self) {
        match self.run() {
            Ok(summary) => summary.assert_conformant(),
            Err(error) => panic!("{error}"),
        }
    }

    /// The checks to run, and those that must be put to the test.
    fn checks(&self) -> Result<(Vec<&'static Check>, Vec<&'static Check>), BadSelection> {
        let selection = &self.selection;
        Ok((selection.checks(ROLES)?, selection.required(ROLES)?))
    }

    fn subject(&self) -> Result<Subject, CannotRun> {
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(CannotRun::NoDirectory(cwd.clone()));
        }
        let mut subject = Subject::new(self.command.clone())?;
        subject.env.clone_from(&self.env);
        subject.cwd.clone_from(&self.cwd);
        subject.keep_home = self.keep_home;
        if let Some(file) = &self.profile {
            subject.profile = Arc::new(Profile::read(file)?);
            subject.profile_file = Some(file.clone());
        }
        Ok(subject)
    }

    /// The options with which `conformance run` comes to the same: those about the plugin, apart from its
    /// environment, and patience.
    fn options(&self) -> Vec<OsString> {
        let mut options: Vec<OsString> = Vec::new();
        if let Some(cwd) = &self.cwd {
            options.extend(["--cwd".into(), cwd.into()]);
        }
        if let Some(profile) = &self.profile {
            options.extend(["--profile".into(), profile.into()]);
        }
        if self.keep_home {
            options.push("--keep-home".into());
        }
        options.extend(self.settings.deadlines.options());
        options
    }
}

impl Summary {
    /// All of it in a word.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What came of each check, in the order of the catalogue.
    #[must_use]
    pub fn results(&self) -> &[CheckResult] {
        &self.results
    }

    /// The checks that failed, informational ones among them.
    pub fn failures(&self) -> impl Iterator<Item = &CheckResult> {
        let failed = |result: &&CheckResult| matches!(result.outcome, Outcome::Fail(_));
        self.results.iter().filter(failed)
    }

    /// The run, for the reports of [`report`](crate::report).
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report {
            roles: ROLES,
            subject: &self.subject,
            options: &self.options,
            results: &self.results,
            not_started: self.not_started,
            interrupted: false,
            verdict: self.verdict,
            started: self.started,
            took: self.took,
            folder: self.folder.path(),
            wanted: &[],
        }
    }

    /// Makes sure that the plugin keeps the contract.
    ///
    /// # Panics
    /// If it does not, or nothing was put to the test, with the report for people: each failure
    /// explained.
    #[track_caller]
    pub fn assert_conformant(&self) {
        assert!(self.verdict == Verdict::Conformant, "\n{self}");
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        let written = (|| {
            let mut pretty = Pretty::new(StripStream::new(&mut text), ROLES, &self.subject)?;
            let mut results = self.results.iter();
            results.try_for_each(|result| pretty.result(result))?;
            pretty.end(&self.report())
        })();
        written.map_err(|_: io::Error| fmt::Error)?;
        f.write_str(String::from_utf8_lossy(&text).trim_end())
    }
}

impl Folder {
    fn new(named: Option<&Path>) -> io::Result<Self> {
        match named {
            Some(folder) => {
                std::fs::create_dir_all(folder)?;
                Ok(Self::Kept(folder.to_owned()))
            }
            None => {
                let folder = tempfile::Builder::new().prefix("conformance-").tempdir()?;
                Ok(Self::Passing(folder))
            }
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Passing(folder) => folder.path(),
        }
    }

    fn keep(self) -> Self {
        match self {
            Self::Kept(_) => self,
            Self::Passing(folder) => Self::Kept(folder.keep()),
        }
    }
}

impl From<Fault> for CannotRun {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::CannotStart(error) => Self::Plugin(error),
            Fault::Stimulus(_) | Fault::System(_) | Fault::Interrupted => Self::Fault(fault),
        }
    }
}

/// What may name somebody's files or arguments.
fn printable(error: &impl fmt::Display) -> String {
    escape(error.to_string().as_bytes())
}

fn shown(path: &Path) -> String {
    escape(path.as_os_str().as_bytes())
}
