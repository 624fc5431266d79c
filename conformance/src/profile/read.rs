use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Act, Profile, Text};

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadProfile {
    /// It cannot be read.
    #[error("the profile `{}` cannot be read: {error}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// It is not what a profile is.
    #[error("{}:{line}:{column}: {message}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// What is wrong and what was expected.
        message: String,
    },
    /// Its parts do not fit together.
    #[error("{}: {message}", file.display())]
    Inconsistent {
        /// The file.
        file: PathBuf,
        /// What is wrong and what was expected.
        message: String,
    },
}

impl Profile {
    /// Reads the profile in a file.
    ///
    /// # Errors
    /// If it cannot be read, is no profile, or could not be played.
    pub fn read(file: &Path) -> Result<Self, BadProfile> {
        let text = std::fs::read_to_string(file).map_err(|error| BadProfile::Unreadable {
            file: file.to_owned(),
            error,
        })?;
        Self::parse(&text, file)
    }

    /// Reads the text of a profile; `file` is for error messages.
    ///
    /// # Errors
    /// If it is no profile, or could not be played.
    pub fn parse(text: &str, file: &Path) -> Result<Self, BadProfile> {
        let profile: Self = toml::from_str(text).map_err(|error| {
            let (line, column) = position(text, error.span().unwrap_or(0..0));
            BadProfile::Malformed {
                file: file.to_owned(),
                line,
                column,
                message: error.message().to_owned(),
            }
        })?;
        match profile.fault() {
            Some(message) => Err(BadProfile::Inconsistent {
                file: file.to_owned(),
                message,
            }),
            None => Ok(profile),
        }
    }

    /// What could not be played.
    fn fault(&self) -> Option<String> {
        let start = self.plugin.args.iter().chain(self.plugin.env.values());
        let files = self.files.iter().flat_map(|file| [&file.path, &file.text]);
        let bodies = self.answers.iter().map(|answer| &answer.body);
        if start.chain(files).chain(bodies).any(Text::is_about_a_pane) {
            return Some(
                "`${token}` and `${generation}` mean something only in [input], [relaunch] and [signal]: \
                 there is no pane yet in [plugin], [[file]] and [[http]]"
                    .to_owned(),
            );
        }
        let needs_a_program = |act: &Act| matches!(act, Act::Idle | Act::Output(_));
        if let Some(relaunch) = &self.relaunch
            && relaunch.fire.iter().any(needs_a_program)
        {
            let what = "relaunch.fire: a program that has ended prints nothing and is not idle; use relaunch.arm";
            return Some(what.to_owned());
        }
        if let Some(signal) = &self.signal {
            if signal.send.iter().any(needs_a_program) {
                let what = "signal.send: the plugin is not shown what the pane prints yet; use signal.fire";
                return Some(what.to_owned());
            }
            if signal.send.is_empty() {
                return Some("signal.send: without any act there is no signal".to_owned());
            }
            if !signal.send.iter().any(tells_the_pane) {
                let what = "signal.send: nothing in it says which pane signals: write `${token}` where its token belongs";
                return Some(what.to_owned());
            }
        }
        None
    }
}

/// Whether a plugin can learn from this which pane it is about.
fn tells_the_pane(act: &Act) -> bool {
    match act {
        Act::Idle => false,
        Act::Output(text) => text.is_about_a_pane(),
        Act::Write(file) | Act::Append(file) => {
            file.path.is_about_a_pane() || file.text.is_about_a_pane()
        }
        Act::Send(said) => said.socket.is_about_a_pane() || said.text.is_about_a_pane(),
        // It has the token in its environment.
        Act::Run(_) => true,
        Act::Answer(answer) => answer.body.is_about_a_pane(),
    }
}

/// Line and column, from 1, of the beginning of a span.
pub(crate) fn position(text: &str, span: Range<usize>) -> (usize, usize) {
    let before = text.get(..span.start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> String {
        let bad = Profile::parse(text, Path::new("p.toml")).unwrap_err();
        bad.to_string()
    }

    #[test]
    fn the_built_in_profiles_are_profiles() {
        assert!(Profile::default().fault().is_none());
        assert!(Profile::default().signal.is_none());
        let example = Profile::example();
        assert!(example.fault().is_none());
        assert!(example.input.is_some() && example.relaunch.is_some() && example.signal.is_some());
    }

    #[test]
    fn a_mistake_is_shown_where_it_is() {
        assert!(
            complaint("[pane]\ntitel = \"x\"\n")
                .starts_with("p.toml:2:1: unknown field `titel`, expected one of `title`")
        );
        assert!(
            complaint("[input]\narm = [{ outptu = \"x\" }]\n")
                .starts_with("p.toml:2:10: unknown variant `outptu`, expected one of `idle`")
        );
        assert!(
            complaint("[pane]\ntitle = \"${x}\"\n").starts_with("p.toml:2:9: there is no `${x}`")
        );
        assert!(complaint("[timing]\nwithin = \"2 days\"\n").starts_with("p.toml:2:10: "));
        assert!(complaint("[pane\n").starts_with("p.toml:1:"));
    }

    #[test]
    fn what_no_host_could_do_is_refused() {
        assert!(complaint("[plugin]\nargs = [\"${token}\"]\n").contains("there is no pane yet"));
        assert!(complaint("[relaunch]\nfire = [\"idle\"]\n").contains("use relaunch.arm"));
        assert!(complaint("[signal]\nsend = [{ output = \"x\" }]\n").contains("use signal.fire"));
        assert!(complaint("[signal]\nsend = []\n").contains("there is no signal"));
    }

    #[test]
    fn a_signal_says_which_pane_it_is_about() {
        let signal = |act: &str| format!("[signal]\nsend = [{{ {act} }}]\n");
        for silent in [
            r#"send = { socket = "${runtime}/s", text = "hi" }"#,
            r#"write = { path = "a", text = "b" }"#,
            r#"answer = { path = "/", body = "x" }"#,
        ] {
            let complaint = complaint(&signal(silent));
            assert!(complaint.contains("write `${token}`"), "{complaint}");
        }
        for fine in [
            r#"send = { socket = "${runtime}/s", text = "${token}\n" }"#,
            r#"append = { path = "${token}.log", text = "b" }"#,
            r#"run = { command = ["./hook"] }"#,
            r#"answer = { path = "/", body = "${token}" }"#,
        ] {
            Profile::parse(&signal(fine), Path::new("p.toml")).unwrap();
        }
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(position("a\né = x", 5..6), (2, 3));
        assert_eq!(position("", 0..0), (1, 1));
    }
}
