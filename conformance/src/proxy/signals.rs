use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use signal_hook::low_level::pipe;

/// The signals that a proxy passes on, and the one that tells of its plugin's end, as streams.
#[derive(Debug)]
pub(super) struct Signals {
    passed_on: Vec<(Signal, UnixStream)>,
    child: UnixStream,
}

const PASSED_ON: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::HUP];

impl Signals {
    /// Catches them from now on.
    ///
    /// # Errors
    /// If the system does not let us.
    pub(super) fn catch() -> io::Result<Self> {
        let passed_on = PASSED_ON.map(|signal| Ok((signal, stream_of(signal)?)));
        Ok(Self {
            passed_on: passed_on.into_iter().collect::<io::Result<_>>()?,
            child: stream_of(Signal::CHILD)?,
        })
    }

    /// What can be read when a signal has come.
    pub(super) fn ends(&self) -> Vec<BorrowedFd<'_>> {
        let passed_on = self.passed_on.iter().map(|(_, stream)| stream.as_fd());
        passed_on.chain([self.child.as_fd()]).collect()
    }

    /// Those to be passed on that have come since the last call.
    pub(super) fn caught(&self) -> impl Iterator<Item = Signal> + '_ {
        has_come(&self.child);
        self.passed_on
            .iter()
            .filter(|(_, stream)| has_come(stream))
            .map(|(signal, _)| *signal)
    }
}

fn stream_of(signal: Signal) -> io::Result<UnixStream> {
    let (ours, handlers) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    handlers.set_nonblocking(true)?;
    pipe::register(signal.as_raw(), handlers)?;
    Ok(ours)
}

/// Empties the stream; says whether there was anything in it.
fn has_come(stream: &UnixStream) -> bool {
    let mut some = [0; 64];
    let mut came = false;
    while matches!(rustix::io::read(stream, &mut some), Ok(1..)) {
        came = true;
    }
    came
}
