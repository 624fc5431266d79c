use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::checks::{Level, Tier};
use crate::drive::Deadlines;
use crate::duration;
use crate::report::Wanted;
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
    /// List the checks
    List(ListArguments),
    /// Explain a check (FRM-016) or a requirement (PLG-701)
    Explain {
        /// The id of the check or requirement.
        id: String,
    },
    /// Act as the built-in example plugin.
    #[command(name = super::EXAMPLE_PLUGIN, hide = true)]
    ExamplePlugin,
}

/// How patient the runner is unless told otherwise; what the options below say.
pub(super) const DEFAULT_DEADLINES: Deadlines = Deadlines {
    startup: Duration::from_secs(10),
    timeout: Duration::from_secs(5),
    check: Duration::from_secs(60),
    grace: Duration::from_secs(2),
};

/// Options of `list`.
#[derive(Debug, clap::Args)]
pub struct ListArguments {
    /// For programs
    #[arg(long)]
    pub json: bool,
}

/// Options of `run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 conformant; 1 a check failed; 2 usage; 3 the plugin could not be started, \
                        or the runner is at fault; 4 nothing, or not what was required, was put to the test."
)]
pub struct RunArguments {
    /// Run only these checks: an id, a pattern with * and ?, or @FILE with one of them a line; repeatable
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
    /// How the plugin is started, and how long it is waited for.
    #[command(flatten)]
    pub setup: SetupArguments,
    /// How many checks run at the same time [default: one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Start no more checks after the first failure
    #[arg(long)]
    pub fail_fast: bool,
    /// pretty or json, to stdout or to a file; repeatable
    #[arg(long, value_name = "KIND[=PATH]", default_value = "pretty")]
    pub report: Vec<Wanted>,
    /// The folder for transcripts [default: a new one among the temporary files]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// The plugin and its arguments; the built-in example if there is none
    #[arg(value_name = "PLUGIN", trailing_var_arg = true)]
    pub subject: Vec<OsString>,
}

/// How a plugin is started, and how long it is waited for.
#[derive(Debug, clap::Args)]
pub struct SetupArguments {
    /// How long the plugin may take to read its first byte
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "10s")]
    pub startup_timeout: Duration,
    /// How long the plugin may take for anything else
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "5s")]
    pub timeout: Duration,
    /// How long one check may take
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "60s")]
    pub check_timeout: Duration,
    /// How long the plugin may take to end; the contract says 2 s
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "2s")]
    pub close_grace: Duration,
    /// What makes the plugin act, as a TOML file; `conformance schema profile` says what it can hold
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// A variable for the plugin's environment; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// The plugin's working directory
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Leave HOME and XDG_* as they are, for version managers that start the plugin's interpreter
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
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How many histories are played [default: 1000, or as many as --for allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub histories: Option<u64>,
    /// Begin no more histories after this time
    #[arg(long = "for", value_name = "TIME", value_parser = duration::parse)]
    pub length: Option<Duration>,
    /// Go on after a failure
    #[arg(long)]
    pub keep_going: bool,
    /// How the plugin is started, and how long it is waited for.
    #[command(flatten)]
    pub setup: SetupArguments,
    /// The folder for transcripts of failures [default: a new one among the temporary files]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// The plugin and its arguments; the built-in example if there is none
    #[arg(value_name = "PLUGIN", trailing_var_arg = true)]
    pub subject: Vec<OsString>,
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
        assert_eq!(run.setup.startup_timeout, DEFAULT_DEADLINES.startup);
        assert_eq!(run.setup.timeout, DEFAULT_DEADLINES.timeout);
        assert_eq!(run.setup.check_timeout, DEFAULT_DEADLINES.check);
        assert_eq!(run.setup.close_grace, DEFAULT_DEADLINES.grace);
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
            assert_eq!(run.only, ["FRM-016"]);
        }
    }
}
