//! The command line.

mod args;
mod explain;
mod fuzz;
mod list;
mod run;

use std::io;
use std::process::ExitCode;

pub use args::{Arguments, FuzzArguments, ListArguments, RunArguments, SetupArguments, Task};

/// The hidden subcommand that makes the runner act as the built-in example plugin.
pub const EXAMPLE_PLUGIN: &str = "example-plugin";

/// The status for a mistake in the command line.
const USAGE: u8 = 2;

/// The status for a subject that cannot be started, or a fault of the runner.
const NO_START: u8 = 3;

/// The status for a run that somebody interrupted.
const INTERRUPTED: u8 = 130;

/// Does what the command line says; returns the status to end with.
///
/// # Errors
/// If stdout or a report cannot be written.
pub fn main(arguments: Arguments) -> io::Result<ExitCode> {
    match arguments.task {
        Task::Run(arguments) => run::run(&arguments),
        Task::Fuzz(arguments) => fuzz::fuzz(&arguments),
        Task::List(arguments) => list::list(&arguments),
        Task::Explain { id } => explain::explain(&id),
        Task::ExamplePlugin => Ok(crate::nudge::run()),
    }
}

/// Says on stderr why nothing was done.
fn complain(status: u8, what: impl std::fmt::Display) -> ExitCode {
    anstream::eprintln!("conformance: {what}");
    ExitCode::from(status)
}
