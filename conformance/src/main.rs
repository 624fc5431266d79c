//! The command `conformance`.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use nightcrow_conformance::cli::{self, Arguments};

fn main() -> ExitCode {
    match cli::main(Arguments::parse()) {
        Ok(status) => status,
        // Whoever reads our output has seen enough; as a shell reports SIGPIPE, and never as success.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(141),
        Err(error) => {
            anstream::eprintln!("conformance: {error}");
            ExitCode::from(3)
        }
    }
}
