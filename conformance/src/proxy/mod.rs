//! Stands between a real host and a real plugin, changes nothing, and tells what breaks the contract.
//!
//! Two threads carry bytes, one each way: what was read is written at once, before more is read, so a
//! slow reader holds up its writer exactly as a pipe does. A copy of every chunk goes to a third thread,
//! which cuts lines, judges and records them. It is handed over *before* the bytes themselves, so that no
//! answer is ever seen before what it answers.
//!
//! The traffic never waits for that thread. If it falls behind by more than 64 MiB, what it would have to
//! catch up with is dropped and counted; from such a gap on lines are judged one by one, and the
//! conversation is not.
//!
//! Otherwise the proxy is what a plain `exec` of the plugin would be:
//!
//! * each end of a stream is passed on: end of stdin, end of stdout, and readers that went away;
//! * SIGTERM, SIGINT and SIGHUP are passed on; a host that signals its plugin's whole process group, in
//!   which the plugin stays, signals it twice;
//! * when the plugin has ended, what is left of its stdout is passed on, and the proxy ends with its
//!   status at once, whether or not the host still holds the other ends open. What a grandchild that
//!   inherited stdout says later is lost: waiting for it would hide the plugin's end from the host.
//!
//! If the proxy itself is killed, the plugin sees the end of its stdin (PLG-703).

mod carry;
mod judge;
mod observe;
mod report;
mod signals;
mod tap;

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use carry::{Carried, carry};
pub use observe::Observer;
pub use report::Report;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use signals::Signals;
use tap::{Heard, Tap};

use crate::subject::{CannotStart, Subject};
use crate::traffic::Direction;
use crate::transcript::Exit;

/// Why a proxy came to no end of its own.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The plugin cannot be started.
    #[error("the plugin cannot be started: {0}")]
    CannotStart(#[from] CannotStart),
    /// The system refused something.
    #[error("the system refused something that the proxy needs: {0}")]
    System(#[from] io::Error),
}

/// How long the proxy waits for its own judgement when everything else is over. Only a report that nobody
/// reads takes so long.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Starts `plugin`, stands between it and our own stdin and stdout, and lets `observer` see what goes by;
/// returns how the plugin ended.
///
/// # Errors
/// If the plugin cannot be started.
pub fn run(plugin: &Subject, observer: Option<Observer>) -> Result<Exit, Fault> {
    // Before the plugin is there: a signal that comes early is passed on late, but never lost.
    let signals = Signals::catch()?;
    let program = plugin.written.first().ok_or(CannotStart::Nothing)?;
    let mut child = Command::new(program)
        .args(&plugin.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(CannotStart::System)?;
    let tap = observer.is_some().then(|| Arc::new(Tap::new()));
    let observing = observer
        .zip(tap.clone())
        .map(|(observer, tap)| judge::observe(observer, tap));
    let (stop, stopped) = UnixStream::pair()?;
    carry_in(&mut child, tap.clone());
    let carrying_out = carry_out(&mut child, tap.clone(), stopped)?;

    let exit = signals.until_exit(&mut child)?;
    // The other end sees this as the end of a stream.
    drop(stop);
    signals.until_ended_or_signalled(&carrying_out)?;
    if let Some(tap) = tap {
        tap.end(Heard::Exited(exit));
    }
    if let Some(observing) = observing {
        let _ = observing.recv_timeout(LAST_WORDS);
    }
    Ok(exit)
}

/// Carries what the host says, for as long as the process lives.
fn carry_in(child: &mut Child, tap: Option<Arc<Tap>>) {
    let Some(plugin) = child.stdin.take().map(OwnedFd::from) else {
        return;
    };
    thread::spawn(move || {
        let host = io::stdin();
        let end = carry(host.as_fd(), plugin.as_fd(), None, |bytes| {
            hear(tap.as_deref(), Heard::Bytes(Direction::In, bytes));
        });
        let heard = match end {
            Carried::ToItsEnd => Heard::StdinClosed,
            Carried::WhileItWasRead => {
                let _ = null().and_then(|null| Ok(rustix::stdio::dup2_stdin(null)?));
                Heard::StdinBroken
            }
        };
        hear(tap.as_deref(), heard);
    });
}

/// Carries what the plugin says until its stdout has ended, or it has ended itself, which `stopped` tells;
/// our end of the result has ended when that is over.
fn carry_out(
    child: &mut Child,
    tap: Option<Arc<Tap>>,
    stopped: UnixStream,
) -> io::Result<UnixStream> {
    let (ending, ended) = UnixStream::pair()?;
    let Some(plugin) = child.stdout.take().map(OwnedFd::from) else {
        return Ok(ended);
    };
    thread::spawn(move || {
        let host = io::stdout();
        let end = carry(
            plugin.as_fd(),
            host.as_fd(),
            Some(stopped.as_fd()),
            |bytes| {
                hear(tap.as_deref(), Heard::Bytes(Direction::Out, bytes));
            },
        );
        let heard = match end {
            Carried::ToItsEnd => {
                let _ = null().and_then(|null| Ok(rustix::stdio::dup2_stdout(null)?));
                Heard::StdoutEnded
            }
            Carried::WhileItWasRead => Heard::StdoutClosed,
        };
        hear(tap.as_deref(), heard);
        drop(ending);
    });
    Ok(ended)
}

fn hear(tap: Option<&Tap>, heard: Heard<&[u8]>) {
    if let Some(tap) = tap {
        tap.hear(heard);
    }
}

/// What takes the place of a stream that is to be closed.
fn null() -> io::Result<std::fs::File> {
    OpenOptions::new().read(true).write(true).open("/dev/null")
}

impl Signals {
    /// Passes signals on until the plugin has ended.
    fn until_exit(&self, child: &mut Child) -> io::Result<Exit> {
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(exit(status));
            }
            wait_for(&self.ends())?;
            for signal in self.caught() {
                // It has not been waited for, so its id is its own.
                let _ = kill_process(Pid::from_child(child), signal);
            }
        }
    }

    /// Waits for the end of this stream. The plugin is gone: a signal is now meant for the proxy alone.
    fn until_ended_or_signalled(&self, stream: &UnixStream) -> io::Result<()> {
        loop {
            let mut ends = self.ends();
            ends.push(stream.as_fd());
            let ready = wait_for(&ends)?;
            if ready[ends.len() - 1] || self.caught().next().is_some() {
                return Ok(());
            }
        }
    }
}

fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Status(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(Signal::KILL.as_raw())),
    }
}

/// Waits until something can be read; says where.
fn wait_for(ends: &[std::os::fd::BorrowedFd<'_>]) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = ends
        .iter()
        .map(|end| PollFd::new(end, PollFlags::IN))
        .collect();
    loop {
        match poll(&mut polled, None) {
            Ok(_) => return Ok(polled.iter().map(|end| !end.revents().is_empty()).collect()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}
