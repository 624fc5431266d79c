use std::io::{self, Read, Seek, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nightcrow_protocol::PaneToken;
use rustix::process::{Pid, Signal};

use crate::report::escape;
use crate::subject::home_variables;

/// Something that a profile does, which may take its time.
#[derive(Debug)]
pub struct Deed {
    /// What it is, in words.
    what: String,
    state: State,
}

#[derive(Debug)]
enum State {
    Done,
    /// The socket is not there yet.
    Connecting {
        socket: PathBuf,
        text: String,
    },
    /// The program has not ended yet.
    Running {
        child: Child,
        said: std::fs::File,
    },
}

impl Deed {
    pub(super) fn done(what: String) -> Self {
        Self {
            what,
            state: State::Done,
        }
    }

    pub(super) fn connect(socket: &str, text: String) -> Self {
        Self {
            what: format!("wrote {} bytes to the socket {socket}", text.len()),
            state: State::Connecting {
                socket: socket.into(),
                text,
            },
        }
    }

    /// Starts a program as if in a pane.
    pub(super) fn run(
        command: &[String],
        stdin: &str,
        home: &Path,
        token: PaneToken,
    ) -> Result<Self, String> {
        let (program, arguments) = command.split_first().ok_or("run.command is empty")?;
        let cannot = |error: io::Error| format!("{program}: {error}");
        // Files instead of pipes: nobody has to be there to write or read.
        let mut input = tempfile::tempfile().map_err(cannot)?;
        input.write_all(stdin.as_bytes()).map_err(cannot)?;
        input.rewind().map_err(cannot)?;
        let said = tempfile::tempfile().map_err(cannot)?;
        let to_said = || said.try_clone().map(Stdio::from).map_err(cannot);
        let child = Command::new(program)
            .args(arguments)
            .envs(home_variables(home, false))
            .env("NIGHTCROW_PANE_TOKEN", token.as_str())
            .current_dir(home.join("home"))
            .stdin(input)
            .stdout(to_said()?)
            .stderr(to_said()?)
            .process_group(0)
            .spawn()
            .map_err(cannot)?;
        Ok(Self {
            what: format!("ran {program}"),
            state: State::Running { child, said },
        })
    }

    /// What it is, in words.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Looks after it: `None` while it goes on.
    pub fn poll(&mut self) -> Option<Result<(), String>> {
        match &mut self.state {
            State::Done => Some(Ok(())),
            State::Connecting { socket, text } => {
                let mut connection = UnixStream::connect(&*socket).ok()?;
                let written = connection.write_all(text.as_bytes());
                Some(written.map_err(|error| format!("{}: {error}", socket.display())))
            }
            State::Running { child, said } => match child.try_wait() {
                Ok(None) => None,
                Ok(Some(status)) if status.success() => Some(Ok(())),
                Ok(Some(status)) => Some(Err(format!("{status}: {}", last_words(said)))),
                Err(error) => Some(Err(error.to_string())),
            },
        }
    }
}

impl Drop for Deed {
    fn drop(&mut self) {
        if let State::Running { child, .. } = &mut self.state
            && let Ok(None) = child.try_wait()
        {
            let _ = rustix::process::kill_process_group(Pid::from_child(child), Signal::KILL);
            let _ = child.wait();
        }
    }
}

/// The end of what a program said.
fn last_words(said: &mut std::fs::File) -> String {
    const SHOWN: usize = 300;
    let mut words = Vec::new();
    let read = said.rewind().and_then(|()| said.read_to_end(&mut words));
    match read {
        Ok(0) | Err(_) => "it said nothing".to_owned(),
        Ok(length) => escape(words[length.saturating_sub(SHOWN)..].trim_ascii()),
    }
}
