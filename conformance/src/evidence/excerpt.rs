use std::ops::Range;

use crate::report::escape;

/// Part of a stream, escaped, with pane tokens masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Where it begins in the stream, in bytes.
    pub offset: u64,
    /// Its bytes, as printable ASCII.
    pub text: String,
    /// The column of `text` at which the offending byte stands.
    pub caret: Option<usize>,
}

/// How many bytes of a line are shown before and behind the byte that matters.
const SHOWN_BYTES: usize = 120;

/// What stands for the bytes that are not shown.
const CUT: &str = "[...]";

impl Excerpt {
    /// A line that begins at `offset` of its stream, cut to what stands round the byte at `fault`, or
    /// to its two ends.
    pub(super) fn of_line(offset: usize, line: &[u8], fault: Option<usize>) -> Self {
        let excerpt = |start: usize, text, caret| Self {
            offset: (offset + start) as u64,
            text,
            caret,
        };
        if line.len() <= 2 * SHOWN_BYTES {
            let caret = fault.map(|fault| shown(line, 0..fault).len());
            return excerpt(0, shown(line, 0..line.len()), caret);
        }
        let Some(fault) = fault else {
            let head = shown(line, 0..SHOWN_BYTES);
            let tail = shown(line, line.len() - SHOWN_BYTES / 2..line.len());
            let text = format!("{head}{CUT}{tail}   ({} bytes)", line.len());
            return excerpt(0, text, None);
        };
        let start = fault.saturating_sub(SHOWN_BYTES);
        let end = (fault + SHOWN_BYTES).min(line.len());
        let before = if start > 0 { CUT } else { "" };
        let behind = if end < line.len() { CUT } else { "" };
        let head = format!("{before}{}", shown(line, start..fault));
        let text = format!("{head}{}{behind}", shown(line, fault..end));
        excerpt(start, text, Some(head.len()))
    }
}

/// How many hex digits make a pane token of a real host, and how many of them may be shown.
const TOKEN_DIGITS: usize = 32;
const TOKEN_SHOWN: usize = 6;

/// What stands for the rest of a token.
const HIDDEN: &str = "...";

/// Part of a line, escaped. Of what looks like a pane token only the beginning is readable, even where
/// the part begins or ends within it.
fn shown(line: &[u8], part: Range<usize>) -> String {
    let mut start = part.start.saturating_sub(TOKEN_DIGITS);
    let end = (part.end + TOKEN_DIGITS).min(line.len());
    let mut text = String::new();
    for run in line[start..end].chunk_by(|a, b| a.is_ascii_hexdigit() == b.is_ascii_hexdigit()) {
        let is_token = run.len() == TOKEN_DIGITS && run[0].is_ascii_hexdigit();
        let open = start..start + if is_token { TOKEN_SHOWN } else { run.len() };
        let hidden = open.end..start + run.len();
        text += &escape(&line[overlap(&open, &part)]);
        if !overlap(&hidden, &part).is_empty() {
            text += HIDDEN;
        }
        start = hidden.end;
    }
    text
}

/// What two ranges have in common; an empty range if there is nothing.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_round_the_fault() {
        let line = [b"x".repeat(70_000), b"\n".to_vec()].concat();
        let shown = Excerpt::of_line(0, &line, Some(65_536));
        assert_eq!(shown.offset, 65_416);
        assert_eq!(shown.caret, Some(5 + 120));
        assert!(shown.text.starts_with("[...]xx") && shown.text.ends_with("xx[...]"));
        let shown = Excerpt::of_line(0, &line, None);
        assert!(shown.text.ends_with("(70001 bytes)"));
    }

    #[test]
    fn of_a_token_six_characters_are_readable() {
        let token = "0123456789abcdef0123456789abcdef";
        let line = format!("{{\"token\":\"{token}\"}}\n").into_bytes();
        let masked = r#"{"token":"012345..."}\n"#;
        assert_eq!(Excerpt::of_line(0, &line, None).text, masked);
        let behind = Excerpt::of_line(0, &line, Some(42));
        assert_eq!((behind.text.as_str(), behind.caret), (masked, Some(19)));
        for fault in 0..200 {
            let long = [&b"x".repeat(150), &line[..], &b"y".repeat(150)].concat();
            let shown = Excerpt::of_line(0, &long, Some(100 + fault)).text;
            assert!(!shown.contains("6789abcdef"), "{shown}");
        }
        let other = b"0123456789abcdef0123456789abcdef0\n";
        assert!(
            Excerpt::of_line(0, other, None)
                .text
                .starts_with("0123456789")
        );
    }
}
