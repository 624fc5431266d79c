//! What the runner hands out: schemas, vectors, completions and manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{Arguments, USAGE, complain};
use crate::schema;
use crate::vectors;

/// Prints a schema, or all their names.
pub(super) fn schema(name: Option<&str>) -> io::Result<ExitCode> {
    let mut to = anstream::stdout().lock();
    match name {
        Some(name) => match schema::find(name) {
            Some(schema) => to.write_all(schema.text.as_bytes())?,
            None => return Ok(complain(USAGE, format!("there is no schema `{name}`"))),
        },
        None => {
            for schema in schema::ALL {
                writeln!(to, "{:<10} {}", schema.name, schema.about)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the vectors into a folder.
pub(super) fn vectors(folder: &Path, is_forced: bool) -> ExitCode {
    match vectors::export(folder, is_forced) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(USAGE, error),
    }
}

/// Prints what makes a shell complete our command lines.
pub(super) fn completions(shell: Shell) -> io::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "conformance", &mut script);
    io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a manual page for each subcommand into a folder, or prints the main one.
pub(super) fn man(folder: Option<&Path>) -> io::Result<ExitCode> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = folder else {
        let mut text = Vec::new();
        page(&command).render(&mut text)?;
        io::stdout().write_all(&text)?;
        return Ok(ExitCode::SUCCESS);
    };
    let pages = [&command].into_iter().chain(command.get_subcommands());
    let written = fs::create_dir_all(folder).and_then(|()| {
        pages
            .map(page)
            .try_for_each(|page| page.generate_to(folder).map(drop))
    });
    Ok(match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(
            USAGE,
            format!("the pages in `{}`: {error}", folder.display()),
        ),
    })
}

/// A command's page.
fn page(command: &Command) -> Man {
    let source = format!("conformance {}", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone())
        .source(source)
        .manual("Plugin contract v3")
}

/// The commands that are for users.
fn command() -> Command {
    let all = Arguments::command();
    let for_users = all
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    Command::new("conformance")
        .version(env!("CARGO_PKG_VERSION"))
        .about(all.get_about().cloned().unwrap_or_default())
        .subcommands(for_users.cloned())
}
