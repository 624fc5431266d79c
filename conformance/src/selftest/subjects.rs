//! The faulty subjects: built into the runner, unpacked as programs for as long as they are needed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use tempfile::TempDir;

use super::expected::{self, Expected};
use super::{CannotTest, Suite};
use crate::cli::FAULTY_PLUGIN;
use crate::profile::Profile;
use crate::subject::{CannotStart, Subject};

static SUBJECTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/subjects");

/// The example that faulty decoders derive from, and where they look for it.
const EXAMPLE_DECODER: (&str, &str) = (
    "examples/python/decoder.py",
    include_str!("../../examples/python/decoder.py"),
);

/// Subjects that are built into the runner are called this and their name.
const BUILT_IN: &str = "faulty-plugin:";

/// What is expected of the subjects of a suite.
pub(super) fn expected(suite: Suite) -> Result<Vec<Expected>, CannotTest> {
    let file = SUBJECTS.get_file(format!("{}/expected.txt", suite.as_str()));
    let text = file.and_then(include_dir::File::contents_utf8);
    let text = text.ok_or_else(|| CannotTest::Expected("it is not there".to_owned()))?;
    expected::read(text, &suite.checks()).map_err(CannotTest::Expected)
}

/// All subjects, as programs.
pub(super) struct Unpacked {
    folder: TempDir,
    python: OsString,
}

impl Unpacked {
    /// Writes them to a folder of their own.
    pub(super) fn new() -> Result<Self, CannotTest> {
        require_interpreters()?;
        let folder = tempfile::Builder::new().prefix("selftest-").tempdir();
        let folder = folder.map_err(CannotTest::Unpack)?;
        unpack(folder.path()).map_err(CannotTest::Unpack)?;
        let python = real_python();
        Ok(Self { folder, python })
    }

    /// Where they are, and where there is room for what comes of them.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The subject of this line.
    pub(super) fn subject(
        &self,
        suite: Suite,
        expected: &Expected,
    ) -> Result<Subject, CannotStart> {
        let mut subject = Subject::new(self.command(suite, &expected.name)?)?;
        // What happens to be set for interpreters here must not change what the self-test finds.
        subject.is_secluded = true;
        if expected.marks.hears_signals {
            subject.profile = Arc::new(Profile::example());
        }
        Ok(subject)
    }

    fn command(&self, suite: Suite, name: &str) -> Result<Vec<OsString>, CannotStart> {
        if let Some(behaviour) = name.strip_prefix(BUILT_IN) {
            let runner = std::env::current_exe().map_err(CannotStart::System)?;
            return Ok(vec![runner.into(), FAULTY_PLUGIN.into(), behaviour.into()]);
        }
        let path: PathBuf = ["subjects", suite.as_str(), name].iter().collect();
        let path = self.folder().join(path).into_os_string();
        Ok(if name.ends_with(".py") {
            // They need nothing but the standard library, and so start sooner.
            vec![self.python.clone(), "-S".into(), path]
        } else {
            vec![path]
        })
    }
}

/// The subjects are scripts.
fn require_interpreters() -> Result<(), CannotTest> {
    for interpreter in ["python3", "node", "sh"] {
        Subject::new(vec![interpreter.into()])
            .map_err(|_| CannotTest::NoInterpreter(interpreter))?;
    }
    Ok(())
}

/// The real Python: what a version manager puts into `PATH` in its stead takes longer to start than
/// most checks to run.
fn real_python() -> OsString {
    let code = "import sys; print(sys.executable, end='')";
    let output = Command::new("python3").args(["-c", code]).output();
    match output {
        Ok(output) if !output.stdout.is_empty() => OsString::from_vec(output.stdout),
        _ => "python3".into(),
    }
}

/// Writes the subjects to a folder, as programs, and what they derive from.
fn unpack(folder: &Path) -> io::Result<()> {
    let (name, text) = EXAMPLE_DECODER;
    let example = folder.join(name);
    fs::create_dir_all(example.parent().unwrap_or(folder))?;
    fs::write(example, text)?;
    let folder = folder.join("subjects");
    fs::create_dir(&folder)?;
    SUBJECTS.extract(&folder)?;
    for suite in Suite::ALL {
        for entry in fs::read_dir(folder.join(suite.as_str()))? {
            let path = entry?.path();
            if path.is_file() {
                fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::faulty::Behaviour;

    /// What subjects derive from, and the data file.
    const NO_SUBJECTS: [&str; 5] = [
        "expected.txt",
        "honest.py",
        "nudging.py",
        "plugin.mjs",
        "plugin.py",
    ];

    #[test]
    fn every_subject_has_its_line() {
        for suite in Suite::ALL {
            let folder = SUBJECTS.get_dir(suite.as_str()).unwrap();
            let files = folder.files().filter_map(|file| file.path().file_name());
            let mut there: BTreeSet<String> = files
                .map(|name| name.to_str().unwrap().to_owned())
                .filter(|name| !NO_SUBJECTS.contains(&name.as_str()))
                .collect();
            if suite == Suite::Plugin {
                there.extend(Behaviour::names().map(|name| format!("{BUILT_IN}{name}")));
            }
            let expected = expected(suite).unwrap().into_iter();
            let expected: BTreeSet<String> = expected.map(|expected| expected.name).collect();
            assert_eq!(there, expected);
        }
    }
}
