//! The plugin under test: how to start it, and the process that runs.

mod family;
mod home;
mod process;
mod start;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::profile::Profile;
use crate::report::escape;
use crate::stage::Stage;

pub(crate) use family::own_wait;
pub use family::{Family, can_measure};
pub use home::PrivateHome;
pub(crate) use home::variables as home_variables;
pub use process::{Running, Turn};
pub use start::CannotStart;

/// A command that starts a plugin.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The program, resolved so that a working directory does not change what it means.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Program and arguments as the user wrote them; empty for the built-in example.
    pub written: Vec<OsString>,
    /// Variables added to its environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory; the runner's own if `None`.
    pub cwd: Option<PathBuf>,
    /// How it is made to act.
    pub profile: Arc<Profile>,
    /// The file that says so; without one the runner has to guess.
    pub profile_file: Option<PathBuf>,
    /// Leave `HOME` and the `XDG_*` variables as they are.
    pub keep_home: bool,
    /// Of the runner's own environment it gets nothing but `PATH`.
    pub is_secluded: bool,
}

impl Subject {
    /// The plugin that this command line starts.
    ///
    /// # Errors
    /// If there is no such program, or the system would not start it.
    pub fn new(written: Vec<OsString>) -> Result<Self, CannotStart> {
        let (program, args) = written.split_first().ok_or(CannotStart::Nothing)?;
        let program = start::resolve(program)?;
        let args = args.to_vec();
        Ok(Self {
            program,
            args,
            written,
            env: Vec::new(),
            cwd: None,
            profile: Arc::default(),
            profile_file: None,
            keep_home: false,
            is_secluded: false,
        })
    }

    /// The example plugin that is built into the runner's own binary: that binary, started once more.
    /// Any other program that calls this would start itself instead.
    ///
    /// # Errors
    /// If the runner does not know where it is itself.
    pub fn built_in() -> Result<Self, CannotStart> {
        let program = std::env::current_exe().map_err(CannotStart::System)?;
        Ok(Self {
            program,
            args: vec![crate::cli::EXAMPLE_PLUGIN.into()],
            written: Vec::new(),
            env: Vec::new(),
            cwd: None,
            profile: Arc::new(Profile::example()),
            profile_file: Some("nudge.toml".into()),
            keep_home: false,
            is_secluded: false,
        })
    }

    /// The same command with one more argument, of which reports say nothing.
    #[must_use]
    pub fn with_argument(&self, argument: &str) -> Self {
        let mut subject = self.clone();
        subject.args.push(argument.into());
        subject
    }

    /// What reports call it.
    #[must_use]
    pub fn name(&self) -> String {
        if self.written.is_empty() {
            return "the built-in example plugin".to_owned();
        }
        shell_words(&self.written)
    }

    /// Program and arguments as the user wrote them, if all of it is UTF-8.
    #[must_use]
    pub fn words(&self) -> Option<Vec<String>> {
        let words = self.written.iter().map(|word| word.to_str());
        words.map(|word| word.map(str::to_owned)).collect()
    }

    /// Starts it on a stage.
    ///
    /// # Errors
    /// If the system does not start it.
    pub fn start(&self, stage: &Stage) -> Result<Running, CannotStart> {
        Running::start(self, stage).map_err(|error| start::explain(&self.program, error))
    }
}

/// A command line that a shell reads back as these words, in printable ASCII.
#[must_use]
pub fn shell_words(words: &[OsString]) -> String {
    let quoted = words.iter().map(|word| {
        let bytes = word.as_bytes();
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(byte);
        let printable = |byte: &u8| (b' '..=b'~').contains(byte);
        match word.to_str() {
            Some(text) if !text.is_empty() && bytes.iter().all(plain) => text.to_owned(),
            Some(text) if bytes.iter().all(printable) => {
                format!("'{}'", text.replace('\'', r"'\''"))
            }
            _ => format!("$'{}'", bytes.iter().map(spelled).collect::<String>()),
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// A byte between `$'` and `'`.
fn spelled(byte: &u8) -> String {
    match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        _ => escape(&[*byte]),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn quotes_for_the_shell() {
        let words = ["./my-plugin", "--name=a b", "", "it's"].map(OsString::from);
        assert_eq!(
            shell_words(&words),
            r"./my-plugin '--name=a b' '' 'it'\''s'"
        );
        let hostile = OsString::from_vec(b"it's \\\x1b[2J\n\xff".to_vec());
        assert_eq!(shell_words(&[hostile]), r"$'it\'s \\\x1b[2J\n\xff'");
    }
}
