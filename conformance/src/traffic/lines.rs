use memchr::memchr;
use nightcrow_protocol::{Line, LineFramer};

use super::{Direction, Ending, HeardLine, Message};

/// Cuts one stream into lines, with the contract's own framer, and keeps count of where they stand.
///
/// Memory is bounded as the framer's is.
#[derive(Debug)]
pub struct Lines {
    direction: Direction,
    framer: LineFramer,
    /// How many lines began before the one being read.
    number: u64,
    /// How many bytes were heard.
    offset: u64,
    /// Where the line being read begins.
    start: u64,
    /// The last byte heard of the line being read is a CR.
    after_cr: bool,
    /// The rest of the line being read is of no interest.
    skipping: bool,
}

impl Lines {
    /// A stream from its first byte on.
    #[must_use]
    pub fn new(direction: Direction) -> Self {
        Self {
            direction,
            framer: LineFramer::new(),
            number: 0,
            offset: 0,
            start: 0,
            after_cr: false,
            skipping: false,
        }
    }

    /// Which way the stream goes.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// How many lines were heard so far, the one being read left out.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.number
    }

    /// Hears the next bytes of the stream; hands on each line that ends in them.
    pub fn hear(&mut self, chunk: &[u8], mut each: impl FnMut(&HeardLine<'_>)) {
        let mut input = chunk;
        loop {
            if self.skipping && !self.skip_line(&mut input) {
                return;
            }
            let before = input;
            let line = self.framer.next_line(&mut input);
            let taken = &before[..before.len() - input.len()];
            self.offset += taken.len() as u64;
            let Some(line) = line else {
                self.after_cr = taken.last().map_or(self.after_cr, |last| *last == b'\r');
                return;
            };
            let ending = match taken {
                [.., b'\r', b'\n'] => Ending::CrLf,
                [b'\n'] if self.after_cr => Ending::CrLf,
                [.., b'\n'] => Ending::Lf,
                _ => Ending::Unknown,
            };
            self.number += 1;
            each(&heard(
                self.direction,
                self.number,
                self.start,
                ending,
                line,
            ));
            self.after_cr = false;
            self.start = self.offset;
            if ending == Ending::Unknown {
                self.skip_rest();
            }
        }
    }

    /// Bytes of the stream went by unheard. Hearing goes on with the line that follows them.
    pub fn lose(&mut self, bytes: u64) {
        self.offset += bytes;
        self.number += 1;
        self.skip_rest();
    }

    /// The stream ended; hands on the line that it left without a terminator, if there is one.
    pub fn end(&mut self, each: impl FnOnce(&HeardLine<'_>)) {
        self.skipping = false;
        if let Some(line) = self.framer.finish() {
            self.number += 1;
            each(&heard(
                self.direction,
                self.number,
                self.start,
                Ending::EndOfStream,
                line,
            ));
        }
    }

    fn skip_rest(&mut self) {
        self.framer = LineFramer::new();
        self.after_cr = false;
        self.skipping = true;
    }

    /// Moves on behind the line being skipped; says whether its end was there.
    fn skip_line(&mut self, input: &mut &[u8]) -> bool {
        let end = memchr(b'\n', input);
        let skipped = end.map_or(input.len(), |end| end + 1);
        self.offset += skipped as u64;
        self.start = self.offset;
        *input = &input[skipped..];
        self.skipping = end.is_none();
        !self.skipping
    }
}

fn heard(
    direction: Direction,
    number: u64,
    offset: u64,
    ending: Ending,
    line: Line<'_>,
) -> HeardLine<'_> {
    let message = match direction {
        Direction::In => line.decode_event().map(|event| event.map(Message::Event)),
        Direction::Out => line
            .decode_command()
            .map(|command| command.map(Message::Command)),
    };
    HeardLine {
        direction,
        number,
        offset,
        bytes: line.bytes().unwrap_or_default(),
        ending,
        message,
    }
}

#[cfg(test)]
mod tests {
    use nightcrow_protocol::limits::MAX_LINE_BYTES;
    use proptest::prelude::*;

    use super::*;

    type Seen = (u64, u64, Vec<u8>, Ending, bool);

    fn hear(chunks: &[&[u8]]) -> Vec<Seen> {
        let mut lines = Lines::new(Direction::Out);
        let mut seen = Vec::new();
        let mut note = |line: &HeardLine<'_>| {
            let HeardLine {
                number,
                offset,
                bytes,
                ending,
                ..
            } = *line;
            seen.push((
                number,
                offset,
                bytes.to_vec(),
                ending,
                line.message.is_err(),
            ));
        };
        for chunk in chunks {
            lines.hear(chunk, &mut note);
        }
        lines.end(note);
        seen
    }

    #[test]
    fn knows_where_lines_stand_and_how_they_end() {
        let seen = hear(&[b"a\nb\r", b"\n\n\r\nrest\r"]);
        let places: Vec<_> = seen
            .iter()
            .map(|(number, offset, bytes, ending, _)| (*number, *offset, &bytes[..], *ending))
            .collect();
        assert_eq!(
            places,
            [
                (1, 0, &b"a"[..], Ending::Lf),
                (2, 2, b"b", Ending::CrLf),
                (3, 5, b"", Ending::Lf),
                (4, 6, b"", Ending::CrLf),
                (5, 8, b"rest\r", Ending::EndOfStream),
            ]
        );
    }

    #[test]
    fn counts_on_behind_an_over_long_line() {
        let long = vec![b'x'; 3 * MAX_LINE_BYTES];
        let seen = hear(&[&long[..], &long, b"x\nnext\n"]);
        assert_eq!(seen.len(), 2);
        assert_eq!((seen[0].1, seen[0].3), (0, Ending::Unknown));
        assert_eq!((seen[1].0, seen[1].1), (2, 6 * MAX_LINE_BYTES as u64 + 2));
    }

    #[test]
    fn goes_on_with_the_line_behind_what_was_lost() {
        let mut lines = Lines::new(Direction::Out);
        lines.hear(b"beginn", |_| panic!("no line"));
        lines.lose(10);
        let mut seen = Vec::new();
        lines.hear(b"ing\nnext\n", |line| {
            seen.push((line.number, line.offset, line.bytes.to_vec()));
        });
        assert_eq!(seen, [(2, 20, b"next".to_vec())]);
    }

    proptest! {
        #[test]
        fn chunks_mean_nothing(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), Just(b'x')], 0..200),
            cuts in prop::collection::vec(0..200_usize, 0..10),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([bytes.len()]) {
                chunks.push(&bytes[from..cut]);
                from = cut;
            }
            let seen = hear(&chunks);
            prop_assert_eq!(&seen, &hear(&[&bytes[..]]));
            let spelled: Vec<u8> = seen
                .iter()
                .flat_map(|(_, _, line, ending, _)| [&line[..], ending.bytes()].concat())
                .collect();
            prop_assert_eq!(spelled, bytes);
        }
    }
}
