use std::borrow::Cow;

use super::{Result, SyntaxError};

/// A checked string as it stands between its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawString<'a> {
    body: &'a str,
    escaped: bool,
}

impl<'a> RawString<'a> {
    /// The text it stands for; borrowed unless it holds escapes.
    pub(crate) fn text(self) -> Cow<'a, str> {
        if self.escaped {
            Cow::Owned(unescape(self.body))
        } else {
            Cow::Borrowed(self.body)
        }
    }
}

/// Checks the string whose opening quote is just before `start`; returns it and where it ends,
/// behind the closing quote.
pub(super) fn scan_string(text: &str, start: usize) -> Result<(RawString<'_>, usize)> {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut escaped = false;
    loop {
        at += plain_prefix(&bytes[at..]);
        match bytes.get(at) {
            Some(b'"') => {
                let body = &text[start..at];
                return Ok((RawString { body, escaped }, at + 1));
            }
            Some(b'\\') => {
                escaped = true;
                at = scan_escape(bytes, at)?;
            }
            Some(_) => {
                return Err(SyntaxError {
                    at,
                    expected: "control characters as escapes",
                });
            }
            None => {
                return Err(SyntaxError {
                    at,
                    expected: "a closing quote",
                });
            }
        }
    }
}

/// Length of the leading run that is neither quote, backslash nor control character.
fn plain_prefix(bytes: &[u8]) -> usize {
    let words = bytes.chunks_exact(8);
    let plain_words = words.take_while(|word| !has_special(word)).count();
    let from = plain_words * 8;
    from + bytes[from..]
        .iter()
        .take_while(|byte| !is_special(**byte))
        .count()
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Whether any of eight bytes is special. May say yes for plain ones, never no for special ones.
fn has_special(word: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let word = u64::from_le_bytes(word.try_into().expect("chunks_exact gives eight bytes"));
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below = |value: u64, limit: u64| value.wrapping_sub(ONES * limit) & !value;
    (below(word, 0x20) | below(quote, 1) | below(backslash, 1)) & HIGHS != 0
}

/// Passes the escape at `at`, including both halves of a surrogate pair.
fn scan_escape(bytes: &[u8], at: usize) -> Result<usize> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match code_unit(bytes, at)? {
            0xD800..=0xDBFF => low_surrogate(bytes, at),
            0xDC00..=0xDFFF => Err(SyntaxError {
                at,
                expected: PAIRED,
            }),
            _ => Ok(at + 6),
        },
        _ => Err(SyntaxError {
            at,
            expected: "one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
        }),
    }
}

const PAIRED: &str = "surrogate escapes in pairs";

/// Passes the pair whose high half stands at `high`.
fn low_surrogate(bytes: &[u8], high: usize) -> Result<usize> {
    let low = high + 6;
    let paired =
        bytes[low..].starts_with(b"\\u") && matches!(code_unit(bytes, low)?, 0xDC00..=0xDFFF);
    if paired {
        Ok(low + 6)
    } else {
        Err(SyntaxError {
            at: high,
            expected: PAIRED,
        })
    }
}

/// The value of the `\uXXXX` at `at`.
fn code_unit(bytes: &[u8], at: usize) -> Result<u32> {
    let mut unit = 0;
    for offset in at + 2..at + 6 {
        let digit = bytes
            .get(offset)
            .and_then(|byte| char::from(*byte).to_digit(16));
        let digit = digit.ok_or(SyntaxError {
            at: offset,
            expected: "four hexadecimal digits",
        })?;
        unit = unit << 4 | digit;
    }
    Ok(unit)
}

/// Resolves the escapes of a body that [`scan_string`] passed.
fn unescape(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (character, length) = resolve(&rest.as_bytes()[at..]);
        text.push(character);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    text
}

/// The character that the escape in front stands for, and how many bytes it took.
fn resolve(escape: &[u8]) -> (char, usize) {
    match escape[1] {
        b'b' => ('\u{8}', 2),
        b'f' => ('\u{c}', 2),
        b'n' => ('\n', 2),
        b'r' => ('\r', 2),
        b't' => ('\t', 2),
        b'u' => resolve_unicode(escape),
        itself => (char::from(itself), 2),
    }
}

fn resolve_unicode(escape: &[u8]) -> (char, usize) {
    const SCANNED: &str = "scan_string passed only complete, paired escapes";
    let unit = |at| code_unit(escape, at).expect(SCANNED);
    let (code, length) = match unit(0) {
        high @ 0xD800..=0xDBFF => (0x10000 + ((high - 0xD800) << 10) + (unit(6) - 0xDC00), 12),
        code => (code, 6),
    };
    (char::from_u32(code).expect(SCANNED), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a string whose opening quote is gone.
    fn scan(text: &str) -> std::result::Result<(Cow<'_, str>, usize), (usize, &'static str)> {
        scan_string(text, 0)
            .map(|(string, end)| (string.text(), end))
            .map_err(|error| (error.at, error.expected))
    }

    fn text(body: &str) -> String {
        scan(&format!("{body}\"")).unwrap().0.into_owned()
    }

    #[test]
    fn borrows_what_has_no_escape() {
        let (text, end) = scan("héllo \u{7f}\u{2028}\"rest").unwrap();
        assert!(matches!(text, Cow::Borrowed("héllo \u{7f}\u{2028}")));
        assert_eq!(end, 12);
    }

    #[test]
    fn resolves_every_escape() {
        assert_eq!(text(r#"\"\\\/\b\f\n\r\t"#), "\"\\/\u{8}\u{c}\n\r\t");
        assert_eq!(
            text(r"a\u0041\u00e9\u20AC\uffffz"),
            "aA\u{e9}\u{20ac}\u{ffff}z"
        );
        assert_eq!(text(r"\ud83d\ude00"), "\u{1f600}");
        assert_eq!(text(r"\ud800\udc00\udbff\udfff"), "\u{10000}\u{10ffff}");
        assert_eq!(text(r"\ud7ff\ue000"), "\u{d7ff}\u{e000}");
        assert_eq!(text(r"\u0000"), "\0");
    }

    #[test]
    fn refuses_unpaired_surrogates_at_the_escape() {
        for body in [
            r"x\ud800",
            r"x\udbff ",
            r"x\ud800\n",
            r"x\ud800\u0041",
            r"x\ud800\ud800",
            r"x\udc00",
            r"x\udfff",
        ] {
            assert_eq!(scan(&format!("{body}\"")), Err((1, PAIRED)), "{body}");
        }
    }

    #[test]
    fn refuses_broken_escapes_and_raw_controls() {
        assert_eq!(scan("abc").unwrap_err(), (3, "a closing quote"));
        assert_eq!(scan(r"\").unwrap_err().0, 0);
        assert_eq!(scan(r#"\x""#).unwrap_err().0, 0);
        assert_eq!(
            scan(r#"\u12g4""#).unwrap_err(),
            (4, "four hexadecimal digits")
        );
        assert_eq!(scan(r#"\u123""#).unwrap_err().0, 5);
        assert_eq!(
            scan(r#"\ud800\u12""#).unwrap_err(),
            (10, "four hexadecimal digits")
        );
        assert_eq!(scan(r"\u12").unwrap_err().0, 4);
        for control in '\0'..' ' {
            let line = format!("ab{control}\"");
            assert_eq!(
                scan(&line).unwrap_err(),
                (2, "control characters as escapes")
            );
        }
    }

    #[test]
    fn finds_a_special_byte_at_every_place_in_a_word() {
        for special in (0..0x20).chain(*b"\"\\") {
            for at in 0..24 {
                let mut bytes = *b"plain~\x7f!#[]plain plain  ";
                bytes[at] = special;
                assert_eq!(plain_prefix(&bytes), at, "{special:#x} at {at}");
            }
        }
        assert_eq!(
            plain_prefix("é\u{2028}\u{1f600}日本語日本語日本語".as_bytes()),
            36
        );
    }
}
