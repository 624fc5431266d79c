//! The command line.

mod args;
mod explain;
mod fuzz;
mod hand_out;
mod interruption;
mod lint;
mod list;
mod proxy;
mod replay;
mod reports;
mod run;
mod screen;
mod selftest;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;

use crate::report::escape;
pub use args::{
    Arguments, DecodeArguments, FuzzArguments, LintArguments, ListArguments, ProxyArguments,
    ReplayArguments, RunArguments, SelftestArguments, SetupArguments, Task, TestArguments,
};

/// The hidden subcommand that makes the runner act as the built-in example plugin.
pub const EXAMPLE_PLUGIN: &str = "example-plugin";

/// The hidden subcommand that makes the runner act as one of its faulty plugins.
pub const FAULTY_PLUGIN: &str = "faulty-plugin";

/// The status for a mistake in the command line.
const USAGE: u8 = 2;

/// The status for a subject that cannot be started, or a fault of the runner.
const NO_START: u8 = 3;

/// Does what the command line says; returns the status to end with.
///
/// # Errors
/// If stdout or a report cannot be written.
pub fn main(arguments: Arguments) -> io::Result<ExitCode> {
    match arguments.task {
        Task::Run(arguments) => run::run(&arguments),
        Task::Fuzz(arguments) => fuzz::fuzz(&arguments),
        Task::Decode(arguments) => run::decode(&arguments),
        Task::List(arguments) => list::list(&arguments),
        Task::Explain { id } => explain::explain(&id),
        Task::Lint(arguments) => lint::lint(&arguments),
        Task::Replay(arguments) => replay::replay(&arguments),
        Task::Proxy(arguments) => proxy::proxy(&arguments),
        Task::Selftest(arguments) => selftest::selftest(&arguments),
        Task::Schema { name } => hand_out::schema(name.as_deref()),
        Task::Vectors { folder, force } => Ok(hand_out::vectors(&folder, force)),
        Task::Completions { shell } => hand_out::completions(shell),
        Task::Man { folder } => hand_out::man(folder.as_deref()),
        Task::ExamplePlugin => Ok(crate::nudge::run()),
        Task::FaultyPlugin { behaviour } => Ok(behaviour.run()),
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

/// Says what is wrong with a command line, or what its `--help` or `--version` asks for; returns the
/// status to end with.
///
/// # Errors
/// If stdout cannot be written.
pub fn refuse(error: &clap::Error) -> io::Result<ExitCode> {
    if !error.use_stderr() {
        writeln!(anstream::stdout(), "{}", error.to_string().trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    // It quotes arguments, which are anybody's.
    for line in error.to_string().trim_end().lines() {
        say(escape(line.as_bytes()));
    }
    Ok(ExitCode::from(USAGE))
}

/// Says on stderr why nothing was done. Names in it may be anybody's.
fn complain(status: u8, what: impl fmt::Display) -> ExitCode {
    let what = what.to_string();
    say(format_args!("conformance: {}", escape(what.as_bytes())));
    ExitCode::from(status)
}

/// Writes a line to stderr. If nobody listens, the status says it all.
fn say(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{line}");
}
