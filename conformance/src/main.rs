//! The command `conformance`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use nightcrow_conformance::cli::{self, Arguments};

fn main() -> ExitCode {
    let done = match Arguments::try_parse() {
        Ok(arguments) => cli::main(arguments),
        Err(error) => cli::refuse(&error),
    };
    match done {
        Ok(status) => status,
        // Whoever reads our output has seen enough; as a shell reports SIGPIPE, and never as success.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(141),
        Err(error) => {
            // If nobody listens there either, the status says it all.
            let _ = writeln!(anstream::stderr(), "conformance: {error}");
            ExitCode::from(3)
        }
    }
}
