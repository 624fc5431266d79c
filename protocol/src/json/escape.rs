use super::{Expected, Result};

/// Passes the escape at `at`, including both halves of a surrogate pair.
pub(super) fn pass_escape(bytes: &[u8], at: usize) -> Result<usize> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match code_unit(bytes, at)? {
            0xD800..=0xDBFF => low_surrogate(bytes, at),
            0xDC00..=0xDFFF => Err(Expected::SurrogatePair.at(at)),
            _ => Ok(at + 6),
        },
        _ => Err(Expected::Escape.at(at)),
    }
}

/// Passes the pair whose high half stands at `high`.
fn low_surrogate(bytes: &[u8], high: usize) -> Result<usize> {
    let low = high + 6;
    let paired =
        bytes[low..].starts_with(b"\\u") && matches!(code_unit(bytes, low)?, 0xDC00..=0xDFFF);
    if paired {
        Ok(low + 6)
    } else {
        Err(Expected::SurrogatePair.at(high))
    }
}

/// The value of the `\uXXXX` at `at`.
fn code_unit(bytes: &[u8], at: usize) -> Result<u32> {
    let mut unit = 0;
    for offset in at + 2..at + 6 {
        let digit = bytes
            .get(offset)
            .and_then(|byte| char::from(*byte).to_digit(16));
        let digit = digit.ok_or_else(|| Expected::HexDigits.at(offset))?;
        unit = unit * 16 + digit;
    }
    Ok(unit)
}

/// Resolves the escapes of a body that [`pass_escape`] passed.
pub(super) fn unescape(body: &str) -> String {
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
    const SCANNED: &str = "pass_escape let through only complete, paired escapes";
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
    use crate::json::{Lexer, SyntaxError};

    /// The text of a string with this between its quotes.
    fn text(body: &str) -> String {
        let line = format!("\"{body}\"");
        let token = Lexer::new(&line).value(0).unwrap();
        token.in_line(&line).text().unwrap().into_owned()
    }

    /// Where reading a string with this behind its opening quote fails, counted from there.
    fn error(body: &str) -> (u32, Expected) {
        let SyntaxError { at, expected } = Lexer::new(&format!("\"{body}")).value(0).unwrap_err();
        (at - 1, expected)
    }

    #[test]
    fn leaves_alone_what_is_no_escape() {
        assert_eq!(text("héllo \u{7f}\u{2028}"), "héllo \u{7f}\u{2028}");
        assert_eq!(text(""), "");
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
        let bodies = [
            r"\ud800",
            r"\udbff ",
            r"\ud800\n",
            r"\ud800\u0041",
            r"\ud800\ud800",
            r"\udc00",
            r"\udfff",
        ];
        for body in bodies {
            assert_eq!(
                error(&format!("x{body}\"")),
                (1, Expected::SurrogatePair),
                "{body}"
            );
        }
    }

    #[test]
    fn refuses_broken_escapes() {
        assert_eq!(error(r"\"), (0, Expected::Escape));
        assert_eq!(error(r#"\x""#), (0, Expected::Escape));
        assert_eq!(error(r#"\u12g4""#), (4, Expected::HexDigits));
        assert_eq!(error(r#"\u123""#), (5, Expected::HexDigits));
        assert_eq!(error(r#"\ud800\u12""#), (10, Expected::HexDigits));
        assert_eq!(error(r"\u12"), (4, Expected::HexDigits));
    }
}
