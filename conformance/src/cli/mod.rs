//! The command line.

mod args;
mod explain;
mod lint;
mod list;
mod proxy;
mod replay;
mod run;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;

use crate::report::escape;

pub use args::{
    Arguments, LintArguments, ListArguments, ProxyArguments, ReplayArguments, RunArguments, Task,
};

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
        Task::List(arguments) => list::list(&arguments),
        Task::Explain { id } => explain::explain(&id),
        Task::Lint(arguments) => lint::lint(&arguments),
        Task::Replay(arguments) => replay::replay(&arguments),
        Task::Proxy(arguments) => proxy::proxy(&arguments),
        Task::ExamplePlugin => Ok(crate::nudge::run()),
    }
}

/// Opens a file to be read, or stdin for `-`; and what messages call it.
fn open(path: &Path) -> io::Result<(Box<dyn BufRead>, String)> {
    const BUFFER_BYTES: usize = 1 << 16;
    if path == Path::new("-") {
        return Ok((Box::new(io::stdin().lock()), "stdin".to_owned()));
    }
    let file = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    Ok((Box::new(file), shown(path)))
}

/// A path as a terminal may see it.
fn shown(path: &Path) -> String {
    escape(path.as_os_str().as_bytes())
}

/// Says on stderr why nothing was done.
fn complain(status: u8, what: impl std::fmt::Display) -> ExitCode {
    anstream::eprintln!("conformance: {what}");
    ExitCode::from(status)
}
