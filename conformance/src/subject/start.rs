use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::io::Errno;

use crate::report::escape;
use crate::transcript::Exit;

/// Why a subject cannot be started: one sentence for the person who called.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    /// No program was named.
    #[error("no program is named")]
    Nothing,
    /// No such file.
    #[error("there is no `{}`", shown(.0))]
    Missing(PathBuf),
    /// No such command.
    #[error("there is no `{}` in PATH", shown(.0))]
    NotInPath(OsString),
    /// No such command, but a file of that name.
    #[error("there is no `{name}` in PATH, but one here: write `./{name}`", name = shown(.0))]
    NotInPathButHere(OsString),
    /// A directory.
    #[error("`{}` is a directory", shown(.0))]
    Directory(PathBuf),
    /// A file that may not be executed.
    #[error("`{file}` is not executable: try `chmod +x {file}`", file = shown(.0))]
    NotExecutable(PathBuf),
    /// A script whose interpreter is not there.
    #[error(
        "the first line of `{}` names the interpreter `{interpreter}`, which is not there{hint}",
        shown(script)
    )]
    NoInterpreter {
        /// The script.
        script: PathBuf,
        /// What its first line names, escaped.
        interpreter: String,
        /// What may have gone wrong.
        hint: &'static str,
    },
    /// Something that the system cannot execute.
    #[error(
        "`{}` is no program that this machine can run, nor a script whose first line names its \
         interpreter, such as `#!/bin/sh`",
        shown(.0)
    )]
    NotAProgram(PathBuf),
    /// A program whose loader is not there.
    #[error(
        "`{}` is there, but not the loader that it wants: it was built for another system or C library",
        shown(.0)
    )]
    NoLoader(PathBuf),
    /// It ended before it took anything from its host.
    #[error(
        "it ended with {exit} before it read its first byte{}",
        quoted(last_words)
    )]
    DiedUnread {
        /// How it ended.
        exit: Exit,
        /// The last line of its stderr, escaped.
        last_words: String,
    },
    /// Anything else.
    #[error("the system does not start it: {0}")]
    System(io::Error),
}

/// A name as a terminal may see it.
fn shown(name: impl AsRef<OsStr>) -> String {
    escape(name.as_ref().as_bytes())
}

fn quoted(last_words: &str) -> String {
    if last_words.is_empty() {
        return ", without a word on stderr".to_owned();
    }
    format!("; its last words were: {last_words}")
}

/// Finds the file that a program name means, and makes sure that it can be executed.
pub(super) fn resolve(program: &OsStr) -> Result<PathBuf, CannotStart> {
    let path = if program.as_bytes().contains(&b'/') {
        std::path::absolute(program).map_err(CannotStart::System)?
    } else {
        in_path(program).ok_or_else(|| {
            let named = program.to_owned();
            if Path::new(program).is_file() {
                CannotStart::NotInPathButHere(named)
            } else {
                CannotStart::NotInPath(named)
            }
        })?
    };
    if !path.exists() {
        return Err(CannotStart::Missing(program.into()));
    }
    if path.is_dir() {
        return Err(CannotStart::Directory(program.into()));
    }
    if !is_executable(&path) {
        return Err(CannotStart::NotExecutable(program.into()));
    }
    match missing_interpreter(&path) {
        Some((interpreter, hint)) => Err(CannotStart::NoInterpreter {
            script: program.into(),
            interpreter,
            hint,
        }),
        None => Ok(path),
    }
}

/// What the system's refusal to start a resolved program means.
pub(super) fn explain(program: &Path, error: io::Error) -> CannotStart {
    match error.kind() {
        io::ErrorKind::PermissionDenied => CannotStart::NotExecutable(program.to_owned()),
        io::ErrorKind::NotFound if !program.exists() => CannotStart::Missing(program.to_owned()),
        // Interpreters of scripts were looked for before.
        io::ErrorKind::NotFound => CannotStart::NoLoader(program.to_owned()),
        _ if is_no_program(&error) => CannotStart::NotAProgram(program.to_owned()),
        _ => CannotStart::System(error),
    }
}

fn is_no_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

fn in_path(program: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| is_executable(file))
}

/// The interpreter that a script's first line names, if it is not there.
fn missing_interpreter(script: &Path) -> Option<(String, &'static str)> {
    let mut head = Vec::new();
    File::open(script)
        .ok()?
        .take(256)
        .read_to_end(&mut head)
        .ok()?;
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let hint = if line.ends_with(b"\r") {
        ": the line ends in CR LF; save the script with LF line ends"
    } else {
        ""
    };
    let mut words = line
        .split(|byte| *byte == b' ' || *byte == b'\t')
        .filter(|word| !word.is_empty());
    let named = PathBuf::from(OsString::from_vec(words.next()?.to_vec()));
    if !named.exists() {
        return Some((shown(named), hint));
    }
    // `#!/usr/bin/env name` finds its interpreter in PATH.
    if named.file_name() != Some(OsStr::new("env")) {
        return None;
    }
    let name = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
    let name = OsStr::from_bytes(name);
    let there = if name.as_bytes().contains(&b'/') {
        Path::new(name).exists()
    } else {
        in_path(name).is_some()
    };
    (!there).then(|| (shown(name), hint))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(first_line: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plugin");
        fs::write(&path, format!("{first_line}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        (folder, path)
    }

    fn complaint(path: &Path) -> String {
        resolve(path.as_os_str()).unwrap_err().to_string()
    }

    #[test]
    fn finds_programs_in_path_and_by_path() {
        assert!(resolve(OsStr::new("sh")).unwrap().is_absolute());
        let (_folder, path) = script("#!/bin/sh");
        assert_eq!(resolve(path.as_os_str()).unwrap(), path);
        let (_folder, path) = script("#!/usr/bin/env -S FOO=1 sh");
        assert!(resolve(path.as_os_str()).is_ok());
    }

    #[test]
    fn says_what_is_wrong_in_one_sentence() {
        assert_eq!(
            resolve(OsStr::new("no-such-plugin-anywhere"))
                .unwrap_err()
                .to_string(),
            "there is no `no-such-plugin-anywhere` in PATH"
        );
        assert_eq!(
            complaint(Path::new("./nowhere/plugin")),
            "there is no `./nowhere/plugin`"
        );
        assert_eq!(complaint(Path::new("/")), "`/` is a directory");
        let hostile = complaint(Path::new(OsStr::from_bytes(b"./\x1b[2J\xff")));
        assert_eq!(hostile, r"there is no `./\x1b[2J\xff`");
        let (_folder, path) = script("#!/bin/sh");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(complaint(&path).contains("is not executable: try `chmod +x "));
        let (_folder, path) = script("#!/no/such/interpreter -u");
        assert!(
            complaint(&path)
                .ends_with("the interpreter `/no/such/interpreter`, which is not there")
        );
        let (_folder, path) = script("#!/usr/bin/env no-such-interpreter");
        assert!(complaint(&path).contains("`no-such-interpreter`, which is not there"));
        let (_folder, path) = script("#!/bin/sh\r");
        assert!(complaint(&path).contains("save the script with LF line ends"));
    }
}
