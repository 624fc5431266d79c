//! Lines do not depend on how reads cut the stream, and a framer keeps no more than one.
//!
//! Input: a byte that says how many sizes follow, the sizes of the reads (used in turn, squared so
//! that one byte reaches from 0 to 65,025), and the stream.

use nightcrow_protocol::limits::MAX_LINE_BYTES;
use nightcrow_protocol::{Line, LineFramer};

use crate::allocator::{assert_installed, held};
use crate::subject::{Framed, next_line};

/// A vector grows by doubling, so it may have room for twice what it holds: one line and the CR of its
/// terminator.
const MAX_RETAINED: isize = 2 * (MAX_LINE_BYTES.cast_signed() + 1);

/// Frames the stream in several ways.
pub fn check(data: &[u8]) {
    let Some((sizes, stream)) = split(data) else {
        return;
    };
    let whole = frame(&[stream]);
    assert_eq!(whole, model(stream), "against the definition of a line");
    let reads = cut(stream, sizes);
    assert_eq!(frame(&reads), whole, "reads are not boundaries");
    assert_eq!(frame(&cut(stream, &[1])), whole, "byte by byte");
    stays_small(&reads);
}

fn split(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (count, rest) = data.split_first()?;
    rest.split_at_checked(usize::from(*count))
}

/// Cuts the stream into reads of the squares of `sizes`, in turn; the last one takes what is left
/// if the sizes get nowhere.
fn cut<'a>(stream: &'a [u8], sizes: &[u8]) -> Vec<&'a [u8]> {
    let mut reads = Vec::new();
    let mut rest = stream;
    if sizes.iter().any(|size| *size > 0) {
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (read, later) = rest.split_at(rest.len().min(usize::from(*size).pow(2)));
            reads.push(read);
            rest = later;
        }
    }
    reads.push(rest);
    reads
}

/// The lines that a framer makes of these reads.
fn frame(reads: &[&[u8]]) -> Vec<Framed> {
    let mut framer = LineFramer::new();
    let mut lines = Vec::new();
    for read in reads {
        let mut input = *read;
        while let Some(line) = next_line(&mut framer, &mut input) {
            lines.push(line);
        }
        assert!(input.is_empty(), "a read is used up");
    }
    lines.extend(framer.finish().map(|line| owned(&line)));
    assert!(framer.finish().is_none(), "the end comes once");
    lines
}

fn owned(line: &Line<'_>) -> Framed {
    (line.bytes().ok().map(<[u8]>::to_vec), line.is_terminated())
}

/// The definition: what stands between line feeds, less one CR in front of each, and what is left
/// at the end, if anything.
fn model(stream: &[u8]) -> Vec<Framed> {
    let mut pieces: Vec<_> = stream.split(|byte| *byte == b'\n').collect();
    let unterminated = pieces.pop().filter(|piece| !piece.is_empty());
    let terminated = pieces.into_iter().map(|piece| {
        let line = piece.strip_suffix(b"\r").unwrap_or(piece);
        (within_limit(line), true)
    });
    // An over-long line counts as terminated: it is refused before its end is known.
    let last = unterminated.map(|line| (within_limit(line), line.len() > MAX_LINE_BYTES));
    terminated.chain(last).collect()
}

fn within_limit(line: &[u8]) -> Option<Vec<u8>> {
    (line.len() <= MAX_LINE_BYTES).then(|| line.to_vec())
}

/// A framer that sees the stream again and again keeps one line at most at any time.
fn stays_small(reads: &[&[u8]]) {
    assert_installed();
    let before = held();
    let mut framer = LineFramer::new();
    for _ in 0..4 {
        for read in reads {
            let mut input = *read;
            while next_line(&mut framer, &mut input).is_some() {}
            let retained = held() - before;
            assert!(retained <= MAX_RETAINED, "{retained} bytes kept");
        }
    }
}
