use std::env;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};

use super::{Family, Subject, home};
use crate::profile::Text;
use crate::stage::Stage;
use crate::transcript::{Exit, Figures};

/// A running plugin and our ends of its three pipes. All of them are non-blocking: whoever drives it
/// is never held up by it.
///
/// Dropping it ends it, with everything that it started.
#[derive(Debug)]
pub struct Running {
    child: Child,
    /// Readable once it has ended, where the system has such a thing.
    ended: Option<OwnedFd>,
    home: PathBuf,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    stdout_held: bool,
    exit: Option<Exit>,
    is_killed: bool,
    chunk: Box<[u8]>,
}

/// What one turn of moving bytes brought.
#[derive(Debug, Default)]
pub struct Turn {
    /// Bytes that stdin took.
    pub wrote: usize,
    /// Whether nobody reads stdin any more.
    pub stdin_broken: bool,
    /// Bytes of stdout.
    pub stdout: Vec<u8>,
    /// Bytes of stderr.
    pub stderr: Vec<u8>,
    /// How the subject ended, when it was first seen to have ended.
    pub exit: Option<Exit>,
}

/// How much is read at once.
const CHUNK_BYTES: usize = 1 << 16;

impl Running {
    pub(super) fn start(subject: &Subject, stage: &Stage) -> io::Result<Self> {
        let home = stage.home();
        let start = &stage.profile().plugin;
        let fill = |text: &Text| text.fill(stage.place(), None);
        let mut command = Command::new(&subject.program);
        if subject.is_secluded {
            let path = env::var_os("PATH");
            command.env_clear().envs(path.map(|path| ("PATH", path)));
        }
        command
            .args(&subject.args)
            .args(start.args.iter().map(fill))
            .env_remove("NIGHTCROW_PANE_TOKEN")
            .envs(home::variables(home, subject.keep_home))
            .envs(start.env.iter().map(|(name, text)| (name, fill(text))))
            .envs(subject.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(cwd) = &subject.cwd {
            command.current_dir(cwd);
        }
        let mut child = spawn(&mut command)?;
        let stdin = child.stdin.take().map(OwnedFd::from);
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        for end in [&stdin, &stdout, &stderr].into_iter().flatten() {
            rustix::io::ioctl_fionbio(end, true)?;
        }
        let ended = announcement(Pid::from_child(&child));
        let home = home.to_owned();
        let chunk = vec![0; CHUNK_BYTES].into_boxed_slice();
        Ok(Self {
            child,
            ended,
            home,
            stdin,
            stdout,
            stderr,
            stdout_held: false,
            exit: None,
            is_killed: false,
            chunk,
        })
    }

    /// Moves bytes: waits until something can be moved, or for `at_most`, and moves it. What is to be
    /// written is given in pieces, of which as much is written as fits.
    ///
    /// # Errors
    /// If the system refuses what it never should.
    pub fn turn(&mut self, write: &[u8], at_most: Duration) -> io::Result<Turn> {
        let mut turn = Turn::default();
        self.wait(!write.is_empty(), at_most)?;
        turn.stdout = self.read_stdout()?;
        turn.stderr = read(&mut self.stderr, &mut self.chunk)?;
        if let Some(stdin) = &self.stdin
            && !write.is_empty()
        {
            match rustix::io::write(stdin, write) {
                Ok(wrote) => turn.wrote = wrote,
                Err(Errno::PIPE) => turn.stdin_broken = true,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        // After a write the next turn will tell: an answer to it must not seem to come before it.
        if turn.wrote == 0 && self.exit.is_none() && self.has_ended()? {
            turn.exit = self.exit;
            // Its last words came before its end.
            turn.stdout.extend(self.read_all_stdout()?);
            turn.stderr
                .extend(read_all(&mut self.stderr, &mut self.chunk)?);
        }
        Ok(turn)
    }

    /// Looks whether it has ended. It is not reaped yet: as long as its id is its own, so is its
    /// process group.
    fn has_ended(&mut self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(status) = waitid(WaitId::Pid(self.pid()), options)? else {
            return Ok(false);
        };
        self.exit = Some(match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Status(code),
            (None, signal) => Exit::Signal(signal.unwrap_or(0)),
        });
        Ok(true)
    }

    fn wait(&self, writing: bool, at_most: Duration) -> io::Result<()> {
        let readers = [
            self.stdout.as_ref().filter(|_| !self.stdout_held),
            self.stderr.as_ref(),
            self.ended.as_ref().filter(|_| self.exit.is_none()),
        ];
        let mut ends: Vec<PollFd<'_>> = Vec::with_capacity(4);
        ends.extend(
            readers
                .into_iter()
                .flatten()
                .map(|end| PollFd::new(end, PollFlags::IN)),
        );
        if writing && let Some(stdin) = &self.stdin {
            ends.push(PollFd::new(stdin, PollFlags::OUT));
        }
        let timeout = Timespec::try_from(at_most).map_err(io::Error::other)?;
        match poll(&mut ends, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn read_stdout(&mut self) -> io::Result<Vec<u8>> {
        if self.stdout_held {
            Ok(Vec::new())
        } else {
            read(&mut self.stdout, &mut self.chunk)
        }
    }

    fn read_all_stdout(&mut self) -> io::Result<Vec<u8>> {
        if self.stdout_held {
            Ok(Vec::new())
        } else {
            read_all(&mut self.stdout, &mut self.chunk)
        }
    }

    /// Whether a turn is over as soon as it ends.
    #[must_use]
    pub const fn announces_its_end(&self) -> bool {
        self.ended.is_some()
    }

    /// Closes the subject's stdin; says whether it was open.
    pub fn close_stdin(&mut self) -> bool {
        self.stdin.take().is_some()
    }

    /// Closes our end of the subject's stdout.
    pub fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// Stops reading stdout, whose pipe is made as small as the system allows; says how much it holds.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn hold_stdout(&mut self) -> io::Result<usize> {
        self.stdout_held = true;
        match &self.stdout {
            Some(stdout) => narrow(stdout.as_fd()),
            None => Ok(0),
        }
    }

    /// Reads stdout again.
    pub const fn release_stdout(&mut self) {
        self.stdout_held = false;
    }

    /// Whether both its output streams have ended.
    #[must_use]
    pub const fn has_no_more_to_say(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// How it ended, if it has.
    #[must_use]
    pub const fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// How many bytes of its stdin it has not read yet, where the system tells.
    #[must_use]
    pub fn unread(&self) -> Option<u64> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        self.stdin
            .as_ref()
            .and_then(|stdin| rustix::io::ioctl_fionread(stdin).ok())
    }

    /// How many bytes wait in its stdout pipe.
    #[must_use]
    pub fn stdout_waiting(&self) -> u64 {
        self.stdout
            .as_ref()
            .and_then(|stdout| rustix::io::ioctl_fionread(stdout).ok())
            .unwrap_or(0)
    }

    /// What the system says about its processes; nothing when they are gone.
    #[must_use]
    pub fn figures(&self) -> Option<Figures> {
        self.family().figures()
    }

    /// Ends it and everything that it started. What its pipes still hold can be read afterwards.
    pub fn kill(&mut self) {
        if self.is_killed {
            return;
        }
        self.is_killed = true;
        let _ = rustix::process::kill_process_group(self.pid(), Signal::KILL);
        self.family().kill_strays();
    }

    fn family(&self) -> Family<'_> {
        Family {
            leader: self.pid(),
            home: &self.home,
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}

/// A descriptor that is readable once the process has ended.
#[cfg(target_os = "linux")]
fn announcement(pid: Pid) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    // Kernels before 5.3, and some sandboxes, know none.
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn announcement(_pid: Pid) -> Option<OwnedFd> {
    None
}

/// Starts it, once whoever has just written the program has closed it.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..50 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => return result,
        }
    }
    command.spawn()
}

/// One chunk; closes our end at the end of the stream.
fn read(end: &mut Option<OwnedFd>, chunk: &mut [u8]) -> io::Result<Vec<u8>> {
    let Some(open) = end else {
        return Ok(Vec::new());
    };
    match rustix::io::read(open, &mut *chunk) {
        Ok(0) => {
            *end = None;
            Ok(Vec::new())
        }
        Ok(length) => Ok(chunk[..length].to_vec()),
        Err(Errno::AGAIN | Errno::INTR) => Ok(Vec::new()),
        Err(errno) => Err(errno.into()),
    }
}

/// All that there is now.
fn read_all(end: &mut Option<OwnedFd>, chunk: &mut [u8]) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    loop {
        let some = read(end, chunk)?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}

#[cfg(target_os = "linux")]
fn narrow(pipe: BorrowedFd<'_>) -> io::Result<usize> {
    // Refused when more than that waits in it already; then it stays as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, rustix::param::page_size());
    Ok(rustix::pipe::fcntl_getpipe_size(pipe)?)
}

#[cfg(not(target_os = "linux"))]
fn narrow(_pipe: BorrowedFd<'_>) -> io::Result<usize> {
    // What POSIX systems give a pipe at most, unless told otherwise.
    Ok(1 << 16)
}
