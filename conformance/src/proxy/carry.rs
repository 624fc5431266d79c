use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, read, write};

/// How carrying came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// There was no more to read.
    ToItsEnd,
    /// Whoever was to read it went away.
    WhileItWasRead,
}

/// How much is read at once: more than a pipe holds.
const BUFFER_BYTES: usize = 1 << 17;

/// Carries bytes from one stream to another, each read in one piece and at once. `hear` learns of them
/// before the reader does.
///
/// When `stopped` has ended, what can be read without waiting is carried, and that is the end.
pub(super) fn carry(
    from: BorrowedFd<'_>,
    to: BorrowedFd<'_>,
    stopped: Option<BorrowedFd<'_>>,
    mut hear: impl FnMut(&[u8]),
) -> Carried {
    let mut buffer = vec![0; BUFFER_BYTES];
    // What may still be carried, once it has stopped.
    let mut left = None;
    loop {
        let most = match left {
            Some(0) => return Carried::ToItsEnd,
            Some(left) => BUFFER_BYTES.min(left),
            None => match next(from, to, stopped) {
                Next::Read => BUFFER_BYTES,
                Next::Wait => continue,
                Next::Stop => {
                    left = Some(waiting(from));
                    continue;
                }
                Next::NobodyReads => return Carried::WhileItWasRead,
            },
        };
        let length = match read(from, &mut buffer[..most]) {
            Ok(0) => return Carried::ToItsEnd,
            Ok(length) => length,
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(_) => return Carried::ToItsEnd,
        };
        left = left.map(|left| left - length);
        hear(&buffer[..length]);
        if write_all(to, &buffer[..length]).is_err() {
            return Carried::WhileItWasRead;
        }
    }
}

/// How many bytes can be read without waiting. Whoever else holds the other end may go on writing, which
/// must not keep us.
fn waiting(from: BorrowedFd<'_>) -> usize {
    let waiting = rustix::io::ioctl_fionread(from).unwrap_or(0);
    usize::try_from(waiting).unwrap_or(usize::MAX)
}

/// What to do next.
enum Next {
    Read,
    Wait,
    Stop,
    NobodyReads,
}

/// Waits until there is something to do. A reader that goes away is noticed at once, as its writer would
/// notice it, and not only with the next byte.
fn next(from: BorrowedFd<'_>, to: BorrowedFd<'_>, stopped: Option<BorrowedFd<'_>>) -> Next {
    let gone = PollFlags::ERR | PollFlags::HUP;
    let mut ends = vec![
        PollFd::new(&from, PollFlags::IN),
        PollFd::new(&to, PollFlags::empty()),
    ];
    ends.extend(stopped.as_ref().map(|end| PollFd::new(end, PollFlags::IN)));
    if poll(&mut ends, None).is_err() {
        // EINTR; nothing else can happen to open descriptors.
        return Next::Wait;
    }
    let has_stopped = ends.get(2).is_some_and(|end| !end.revents().is_empty());
    if ends[1].revents().intersects(gone) {
        Next::NobodyReads
    } else if has_stopped {
        Next::Stop
    } else if !ends[0].revents().is_empty() {
        Next::Read
    } else {
        Next::Wait
    }
}

/// Writes all of it. The other side may have made the stream non-blocking: then it is waited for.
fn write_all(to: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match write(to, bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let _ = poll(&mut [PollFd::new(&to, PollFlags::OUT)], None);
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsFd;
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn nothing_is_changed_however_it_is_cut(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..5_000), 0..60),
        ) {
            let (from, mut writer) = std::io::pipe().unwrap();
            let (mut reader, to) = std::io::pipe().unwrap();
            let expected = chunks.concat();
            let writing = thread::spawn(move || {
                chunks.iter().for_each(|chunk| writer.write_all(chunk).unwrap());
            });
            let mut heard = Vec::new();
            let carrying = thread::spawn(move || {
                let end = carry(from.as_fd(), to.as_fd(), None, |bytes| heard.extend_from_slice(bytes));
                (end, heard)
            });
            let mut received = Vec::new();
            reader.read_to_end(&mut received).unwrap();
            writing.join().unwrap();
            let (end, heard) = carrying.join().unwrap();
            prop_assert_eq!(end, Carried::ToItsEnd);
            prop_assert!(received == expected && heard == expected);
        }
    }

    #[test]
    fn a_reader_that_goes_away_is_noticed_without_a_byte() {
        let (from, _writer) = std::io::pipe().unwrap();
        let (reader, to) = std::io::pipe().unwrap();
        drop(reader);
        let end = carry(from.as_fd(), to.as_fd(), None, |_| {
            panic!("nothing was said")
        });
        assert_eq!(end, Carried::WhileItWasRead);
    }

    #[test]
    fn what_is_there_when_it_is_stopped_is_carried_and_the_rest_not_waited_for() {
        let (from, mut writer) = std::io::pipe().unwrap();
        let (mut reader, to) = std::io::pipe().unwrap();
        let (stopped, stop) = std::io::pipe().unwrap();
        writer.write_all(b"last words").unwrap();
        drop(stop);
        let end = carry(from.as_fd(), to.as_fd(), Some(stopped.as_fd()), |_| {});
        assert_eq!(end, Carried::ToItsEnd);
        drop(to);
        let mut received = String::new();
        reader.read_to_string(&mut received).unwrap();
        assert_eq!(received, "last words");
    }
}
