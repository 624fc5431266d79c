use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;

use crate::checks::decoder::Direction;
use crate::checks::{Level, Role, Tier};
use crate::drive::Deadlines;
use crate::duration;
use crate::faulty::Behaviour;
use crate::report::Wanted;
use crate::schema;
use crate::selftest::Suite;
use crate::spec::Origin;

/// Tells whether a plugin keeps the plugin contract, and explains each failure.
#[derive(Debug, clap::Parser)]
#[command(name = "conformance", version, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub task: Task,
}

/// What the runner can do.
#[derive(Debug, clap::Subcommand)]
pub enum Task {
    /// Test a plugin: the runner plays its host
    Run(Box<RunArguments>),
    /// Play random histories to a plugin, and find the shortest one with which it breaks the contract
    Fuzz(Box<FuzzArguments>),
    /// Test a decoder: lines in, verdicts out, as section 18 of the contract says
    Decode(Box<DecodeArguments>),
    /// List the checks
    List(ListArguments),
    /// Explain a check (FRM-016), several ('LIF-*'), a requirement (PLG-701) or a reason (crashed)
    Explain {
        /// The id of the check or requirement, a pattern with * and ?, or the reason.
        id: String,
    },
    /// Hold a recording, or a raw stream of lines, against the contract
    Lint(LintArguments),
    /// Send a recording's events to a plugin again and compare what it answers
    Replay(ReplayArguments),
    /// Stand between a host and a plugin, change nothing, and report what breaks the contract
    Proxy(ProxyArguments),
    /// Show that each faulty subject is caught by the checks that should catch it, and by no other
    Selftest(SelftestArguments),
    /// Print a JSON Schema; without a name, list them
    Schema {
        /// Which one.
        #[arg(value_parser = schema_names())]
        name: Option<String>,
    },
    /// Export the vectors, for those who test a decoder without this runner
    Vectors {
        /// The folder they go to
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Overwrite files that differ
        #[arg(long)]
        force: bool,
    },
    /// Print what makes a shell complete these commands
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write one for each subcommand
    Man {
        /// The folder they go to
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Act as the built-in example plugin.
    #[command(name = super::EXAMPLE_PLUGIN, hide = true)]
    ExamplePlugin,
    /// Act as a plugin that does one thing wrong.
    #[command(name = super::FAULTY_PLUGIN, hide = true)]
    FaultyPlugin {
        /// What it does wrong.
        behaviour: Behaviour,
    },
}

/// How patient the runner is unless told otherwise; what the options below say.
pub(super) const DEFAULT_DEADLINES: Deadlines = Deadlines::DEFAULT;

/// Options of `selftest`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 all came as expected; 1 something did not; 3 an interpreter is missing, \
                        or the runner is at fault."
)]
pub struct SelftestArguments {
    /// Only the plugin checks, or only the decoder checks
    #[arg(long, value_enum)]
    pub role: Option<Suite>,
    /// Only subjects whose names contain this; repeatable
    #[arg(long, value_name = "NAME")]
    pub subject: Vec<String>,
    /// Only these checks: an id, or a pattern with * and ?; repeatable
    #[arg(long, value_name = "ID")]
    pub check: Vec<String>,
    /// How many checks are put at the same time [default: sixteen per core]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    pub jobs: Option<NonZeroUsize>,
}

/// Options of `list`.
#[derive(Debug, clap::Args)]
pub struct ListArguments {
    /// Only the checks of this kind of program
    #[arg(long, value_enum)]
    pub role: Option<Role>,
    /// For programs
    #[arg(long)]
    pub json: bool,
    /// Every check as a page, with all that is sent
    #[arg(long, conflicts_with_all = ["role", "json"])]
    pub markdown: bool,
}

/// Options of `lint`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 nothing is violated; 1 something is; 2 usage, or no such recording."
)]
pub struct LintArguments {
    /// The file is no recording but what a plugin wrote to its stdout
    #[arg(long, conflicts_with = "events")]
    pub commands: bool,
    /// The file is no recording but what a host wrote to a plugin's stdin
    #[arg(long)]
    pub events: bool,
    /// For programs: an object a line for each finding, and one more for the sum
    #[arg(long)]
    pub json: bool,
    /// The file; - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Options of `replay`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The events are sent in the recorded order, each no sooner than as many commands have come \
                        as in the recording. Exit status: 0 the same commands came; 1 others; 2 usage, or no \
                        such recording; 3 the plugin could not be started, or the runner is at fault."
)]
pub struct ReplayArguments {
    /// How long the plugin may take for what it answered in the recording
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "5s")]
    pub timeout: Duration,
    /// How long the plugin may take to end
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "2s")]
    pub close_grace: Duration,
    /// Leave HOME and XDG_* as they are
    #[arg(long)]
    pub keep_home: bool,
    /// The recording; - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The plugin and its arguments [default: those that the recording names]
    #[arg(value_name = "PLUGIN", trailing_var_arg = true)]
    pub subject: Vec<OsString>,
}

/// Options of `proxy`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Configure the host to start this in place of the plugin. The exit status is the plugin's, or \
                        128 and the number of the signal that ended it; 2 usage; 3 the plugin could not be started."
)]
pub struct ProxyArguments {
    /// Record the traffic to a file that only you can read; tokens become placeholders, texts are masked
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Record the traffic as it is, whatever is said in the panes
    #[arg(long, requires = "record")]
    pub no_redact: bool,
    /// Report no violations
    #[arg(long)]
    pub quiet: bool,
    /// Report violations to a file instead of stderr
    #[arg(long, value_name = "FILE", conflicts_with = "quiet")]
    pub report: Option<PathBuf>,
    /// The plugin and its arguments
    #[arg(value_name = "PLUGIN", trailing_var_arg = true, required = true)]
    pub subject: Vec<OsString>,
}

/// Options of `run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct RunArguments {
    /// What is run, and how.
    #[command(flatten)]
    pub test: TestArguments,
    /// What makes the plugin act, as a TOML file; `conformance schema profile` says what it can hold
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// The plugin and its arguments; the built-in example if there is none
    #[arg(value_name = "PLUGIN", trailing_var_arg = true)]
    pub subject: Vec<OsString>,
}

/// Options of `decode`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct DecodeArguments {
    /// What is run, and how.
    #[command(flatten)]
    pub test: TestArguments,
    /// Test one direction only: what a host reads, or what a plugin reads
    #[arg(long, value_enum)]
    pub direction: Option<Direction>,
    /// Judge refusal codes too: `contract` if they are the contract's own, or a TOML file of lines
    /// `"your code" = "not_json"`
    #[arg(long, value_name = "contract|FILE")]
    pub codes: Option<String>,
    /// The decoder and its arguments; it is started with `commands` or `events` as one more
    #[arg(value_name = "DECODER", trailing_var_arg = true, required = true)]
    pub subject: Vec<OsString>,
}

const EXIT_STATUS: &str = "Exit status: 0 conformant; 1 a check failed; 2 usage; 3 the subject could not be started, \
                           or the runner is at fault; 4 nothing, or not what was required, was put to the test.";

/// What `run` and `decode` have in common.
#[derive(Debug, clap::Args)]
pub struct TestArguments {
    /// Run only these checks: an id of a check or requirement, a pattern with * and ?, or @FILE with one of
    /// them a line; repeatable
    #[arg(long, value_name = "ID|@FILE")]
    pub only: Vec<String>,
    /// Leave these checks out; repeatable
    #[arg(long, value_name = "ID|@FILE")]
    pub skip: Vec<String>,
    /// Run only checks of this level and above
    #[arg(long, value_enum)]
    pub level: Option<Level>,
    /// Run only checks of requirements with this origin
    #[arg(long, value_enum)]
    pub origin: Option<Origin>,
    /// Run only the rules one by one (core), or load and random histories too (full, the default)
    #[arg(long, value_enum)]
    pub tier: Option<Tier>,
    /// Fail with status 4 unless this check was put to the test; repeatable
    #[arg(long, value_name = "ID")]
    pub require_exercised: Vec<String>,
    /// How the subject is started, and how long it is waited for.
    #[command(flatten)]
    pub setup: SetupArguments,
    /// Failures that are known, as a TOML file: they fail the run only when they are gone, or have another reason
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the failures of this run to a baseline, keeping what it says of other checks
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Put every check to the subject this many times; the worst outcome counts, and a change is told
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>, default_value = "1")]
    pub repeat: NonZeroUsize,
    /// How many checks run at the same time [default: three per core]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    pub jobs: Option<NonZeroUsize>,
    /// Start no more checks after the first failure
    #[arg(long)]
    pub fail_fast: bool,
    /// pretty, json, junit, tap, github, md or html, to stdout or to a file; repeatable
    #[arg(long, value_name = "KIND[=PATH]", default_value = "pretty")]
    pub report: Vec<Wanted>,
    /// The folder for transcripts and report.json [default: a new one among the temporary files]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

/// How a subject is started, and how long it is waited for.
#[derive(Debug, clap::Args)]
pub struct SetupArguments {
    /// How long the subject may take to read its first byte
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "10s")]
    pub startup_timeout: Duration,
    /// How long the subject may take for anything else
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "5s")]
    pub timeout: Duration,
    /// How long one check may take
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "60s")]
    pub check_timeout: Duration,
    /// How long the subject may take to end; the contract gives a plugin 2 s
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "2s")]
    pub close_grace: Duration,
    /// A variable for the subject's environment; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// The subject's working directory
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Leave HOME and XDG_* as they are, for version managers that start the subject's interpreter
    #[arg(long)]
    pub keep_home: bool,
}

/// Options of `fuzz`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The same seed gives the same histories. Exit status: 0 nothing found; 1 the contract was broken; \
                        2 usage; 3 the plugin could not be started, or the runner is at fault; 4 the plugin did \
                        nothing that could be judged."
)]
pub struct FuzzArguments {
    /// The seed of the first history; the next ones have the next seeds [default: by chance]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// How many histories are played [default: 1000, or as many as --for allows]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroU64>)]
    pub histories: Option<NonZeroU64>,
    /// Begin no more histories after this time
    #[arg(long = "for", value_name = "TIME", value_parser = duration::parse)]
    pub length: Option<Duration>,
    /// Go on after a failure
    #[arg(long)]
    pub keep_going: bool,
    /// How the plugin is started, and how long it is waited for.
    #[command(flatten)]
    pub setup: SetupArguments,
    /// What makes the plugin act, as a TOML file; `conformance schema profile` says what it can hold
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// The folder for transcripts of failures [default: a new one among the temporary files]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// The plugin and its arguments; the built-in example if there is none
    #[arg(value_name = "PLUGIN", trailing_var_arg = true)]
    pub subject: Vec<OsString>,
}

fn schema_names() -> PossibleValuesParser {
    let names = schema::ALL.iter();
    names
        .map(|schema| PossibleValue::new(schema.name).help(schema.about))
        .into()
}

fn count<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse()
        .map_err(|_| "a whole number from 1 on is expected".to_owned())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("a whole number from 0 to {} is expected", u64::MAX))
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a variable is written KEY=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_defaults_are_said_once_and_meant_twice() {
        let Task::Run(run) = Arguments::parse_from(["conformance", "run"]).task else {
            panic!("not run")
        };
        assert_eq!(run.test.setup.startup_timeout, DEFAULT_DEADLINES.startup);
        assert_eq!(run.test.setup.timeout, DEFAULT_DEADLINES.timeout);
        assert_eq!(run.test.setup.check_timeout, DEFAULT_DEADLINES.check);
        assert_eq!(run.test.setup.close_grace, DEFAULT_DEADLINES.grace);
    }

    #[test]
    fn everything_behind_the_plugin_is_the_plugins() {
        for line in [
            &["--only", "FRM-016", "./p", "--only", "x", "-h"][..],
            &["--only", "FRM-016", "--", "./p", "--only", "x", "-h"],
        ] {
            let line = ["conformance", "run"].iter().chain(line);
            let Task::Run(run) = Arguments::parse_from(line).task else {
                panic!("not run")
            };
            assert_eq!(run.subject, ["./p", "--only", "x", "-h"]);
            assert_eq!(run.test.only, ["FRM-016"]);
        }
    }
}
