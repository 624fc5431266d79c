use memchr::memmem;

use crate::recording::PLACEHOLDER;
use crate::report::escape;
use crate::traffic::HeardLine;

/// How many bytes are shown before and behind the byte that matters.
const SHOWN_BYTES: usize = 60;

/// How much of a token may be shown.
const SHOWN_OF_TOKEN: usize = 6;

/// What is as long as this and could be a token is taken for one, wherever it stands.
const LIKE_A_TOKEN: usize = 20;

/// How many members named `token` are looked at: no message has more than one.
const MOST_NAMES: usize = 8;

/// The line round a byte, in printable ASCII. No token is shown whole.
pub(super) fn excerpt(line: &HeardLine<'_>, byte: usize) -> String {
    let bytes = line.bytes;
    let from = byte.min(bytes.len()).saturating_sub(SHOWN_BYTES);
    let to = bytes.len().min(byte.saturating_add(SHOWN_BYTES));
    let before = if from > 0 { CUT } else { "" };
    let behind = if to < bytes.len() { CUT } else { "" };
    format!("{before}{}{behind}", show(bytes, from, to))
}

/// A whole line in printable ASCII. No token is shown whole.
pub(crate) fn without_tokens(line: &[u8]) -> String {
    show(line, 0, line.len())
}

const CUT: &str = "[...]";

fn show(line: &[u8], from: usize, to: usize) -> String {
    let secret = secrets(line);
    let mut shown = String::new();
    let mut at = from;
    while at < to {
        let is_secret = secret[at];
        let end = (at..to).find(|&end| secret[end] != is_secret).unwrap_or(to);
        if is_secret {
            shown.push('*');
        } else {
            shown.push_str(&escape(&line[at..end]));
        }
        at = end;
    }
    shown
}

/// Which bytes of a line are the hidden part of a token.
fn secrets(line: &[u8]) -> Vec<bool> {
    let mut secret = vec![false; line.len()];
    let mut hide = |from: usize, to: usize| {
        secret[(from + SHOWN_OF_TOKEN).min(to)..to].fill(true);
    };
    for (from, to) in runs(line) {
        if to - from >= LIKE_A_TOKEN {
            hide(from, to);
        }
    }
    // What is named a token is one however short it is, and wherever else it stands.
    for name in memmem::find_iter(line, b"\"token\"").take(MOST_NAMES) {
        let Some((from, to)) = string_behind(line, name + b"\"token\"".len()) else {
            continue;
        };
        let token = &line[from..to];
        if token.len() > SHOWN_OF_TOKEN && !token.starts_with(PLACEHOLDER.as_bytes()) {
            memmem::find_iter(line, token).for_each(|from| hide(from, from + token.len()));
        }
    }
    secret
}

/// Where letters, digits, `_` and `-` stand in a row.
fn runs(line: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let is_token_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + line[at..].iter().position(is_token_byte)?;
        let length = line[from..].iter().position(|byte| !is_token_byte(byte));
        at = length.map_or(line.len(), |length| from + length);
        Some((from, at))
    })
}

/// The string that follows a colon.
fn string_behind(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_between = |byte: &u8| b" \t\r:".contains(byte);
    let quote = at + line[at..].iter().position(|byte| !is_between(byte))?;
    let body = line[quote..].strip_prefix(b"\"")?;
    let length = body.iter().position(|byte| *byte == b'"');
    Some((quote + 1, length.map_or(line.len(), |end| quote + 1 + end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Direction, Lines};

    fn shown(line: &str, byte: usize) -> String {
        let mut lines = Lines::new(Direction::Out);
        let mut shown = String::new();
        lines.hear(format!("{line}\n").as_bytes(), |line| {
            shown = excerpt(line, byte);
        });
        shown
    }

    #[test]
    fn shows_what_stands_round_the_byte() {
        assert_eq!(shown("hello\x1b[2J é", 3), r"hello\x1b[2J \u{e9}");
        let line = format!("{}!{}", "a ".repeat(40), "b ".repeat(40));
        let shown = shown(&line, 80);
        assert!(shown.starts_with("[...]a a ") && shown.ends_with("b b[...]"));
        assert!(shown.contains("a !b"));
    }

    #[test]
    fn tokens_are_cut_short_wherever_they_stand() {
        assert_eq!(
            shown(r#"{"token" : "abcdefgh","message":"for abcdefgh"#, 0),
            r#"{"token" : "abcdef*","message":"for abcdef*"#
        );
        assert_eq!(
            shown("lost 00112233445566778899aabbccddeeff", 0),
            "lost 001122*"
        );
        assert_eq!(shown(r#"{"token":"abc"}"#, 0), r#"{"token":"abc"}"#);
    }
}
