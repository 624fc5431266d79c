use std::collections::HashSet;

use memchr::memchr;
use nightcrow_protocol::limits::MAX_LINE_BYTES;
use nightcrow_protocol::{Command, CommandKind, PaneToken, Refusal, decode_command};

use super::{Happening, Transcript};

/// One physical line of the subject's stdout.
#[derive(Debug, Clone, Copy)]
pub struct StdoutLine<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Where its first byte stands in the stream.
    pub offset: usize,
    /// Its bytes, without LF or CR LF; without a CR too that the runner cut off from its LF.
    pub bytes: &'a [u8],
    /// Whether LF ended it.
    pub terminated: bool,
    /// Whether only the runner's own doing ended it, because it killed the subject or stopped keeping
    /// bytes: what it would have become is unknown.
    pub is_cut: bool,
    /// The entry of the transcript that brought its first byte.
    pub entry: usize,
}

impl<'a> StdoutLine<'a> {
    /// The line as a host reads it; `None` for a blank one.
    ///
    /// # Errors
    /// What the contract has against it.
    pub fn decode(&self) -> Result<Option<Command<'a>>, Refusal> {
        decode_command(self.bytes)
    }

    /// The command on the line, if there is one.
    #[must_use]
    pub fn command(&self) -> Option<Command<'a>> {
        self.decode().ok().flatten()
    }

    /// Whether the line is over the limit.
    #[must_use]
    pub const fn is_too_long(&self) -> bool {
        self.bytes.len() > MAX_LINE_BYTES
    }
}

impl Transcript {
    /// The lines of stdout. The last one may be cut.
    pub fn lines(&self) -> impl Iterator<Item = StdoutLine<'_>> {
        let stdout = self.stdout();
        let cut = self.was_killed() || self.stdout.is_cut();
        let mut arrivals = self.arrivals().peekable();
        let (mut offset, mut number) = (0, 0);
        let mut entry = 0;
        std::iter::from_fn(move || {
            let rest = &stdout[offset..];
            if rest.is_empty() {
                return None;
            }
            let (length, terminated) = match memchr(b'\n', rest) {
                Some(end) => (end, true),
                None => (rest.len(), false),
            };
            while let Some((index, _)) = arrivals.next_if(|(_, start)| *start <= offset) {
                entry = index;
            }
            number += 1;
            let bytes = &rest[..length];
            let is_cut = cut && !terminated;
            let bytes = if terminated || is_cut {
                bytes.strip_suffix(b"\r").unwrap_or(bytes)
            } else {
                bytes
            };
            let line = StdoutLine {
                number,
                offset,
                bytes,
                terminated,
                is_cut,
                entry,
            };
            offset += length + usize::from(terminated);
            Some(line)
        })
    }

    /// The commands on stdout, with their lines. A cut line is none.
    pub fn commands(&self) -> impl Iterator<Item = (StdoutLine<'_>, Command<'_>)> {
        self.lines()
            .filter(|line| !line.is_cut)
            .filter_map(|line| Some((line, line.command()?)))
    }

    /// The commands that ask for something to be done to a pane: all but `log`, and `watch_pane`,
    /// which a plugin may send for any token it meets.
    pub fn pane_commands(&self) -> impl Iterator<Item = (StdoutLine<'_>, Command<'_>)> {
        self.commands().filter(|(_, command)| {
            !matches!(command.kind(), CommandKind::Log | CommandKind::WatchPane)
        })
    }

    /// The commands that act on this pane, input and relaunches, whose line began after an entry.
    pub fn actions(
        &self,
        token: PaneToken,
        after: usize,
    ) -> impl Iterator<Item = (StdoutLine<'_>, Command<'_>)> {
        self.commands().filter(move |(line, command)| {
            let acts = matches!(
                command.kind(),
                CommandKind::SendInput | CommandKind::Relaunch
            );
            acts && command.token() == Some(token) && line.entry >= after
        })
    }

    /// The kinds of commands about this pane whose lines began before an entry, or at all.
    #[must_use]
    pub fn kinds_about(&self, token: PaneToken, before: Option<usize>) -> HashSet<CommandKind> {
        let before = before.unwrap_or(usize::MAX);
        let about = self
            .commands()
            .filter(|(line, command)| line.entry < before && command.token() == Some(token));
        about.map(|(_, command)| command.kind()).collect()
    }

    /// The first command about this pane whose line began after an entry.
    #[must_use]
    pub fn answer(&self, token: PaneToken, after: usize) -> Option<StdoutLine<'_>> {
        let mut about = self
            .commands()
            .filter(|(_, command)| command.token() == Some(token));
        about
            .find(|(line, _)| line.entry > after)
            .map(|(line, _)| line)
    }

    /// The entries that brought stdout, with the offset at which each begins.
    fn arrivals(&self) -> impl Iterator<Item = (usize, usize)> {
        self.entries()
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| match &entry.what {
                Happening::Stdout(range) => Some((index, range.start)),
                _ => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::script::{LOG, Script};

    #[test]
    fn knows_where_each_line_began() {
        let transcript = Script::new()
            .says("a\nbb")
            .stdin_closed()
            .says("\r\n\nccc")
            .exits(0)
            .done();
        let lines: Vec<_> = transcript
            .lines()
            .map(|line| {
                (
                    line.number,
                    line.offset,
                    line.bytes,
                    line.terminated,
                    line.entry,
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                (1, 0, &b"a"[..], true, 0),
                (2, 2, &b"bb"[..], true, 0),
                (3, 6, &b""[..], true, 2),
                (4, 7, &b"ccc"[..], false, 2),
            ]
        );
    }

    #[test]
    fn a_rest_that_the_runner_cut_is_marked_and_no_command() {
        let transcript = Script::new().says(format!("a\n{}", LOG.trim_end()));
        let transcript = transcript.killed().done();
        let cut: Vec<_> = transcript.lines().map(|line| line.is_cut).collect();
        assert_eq!(cut, [false, true]);
        assert_eq!(transcript.commands().count(), 0);
    }
}
