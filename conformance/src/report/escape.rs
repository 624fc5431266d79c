use std::fmt::Write;

/// Bytes of anybody's making as printable ASCII: what a terminal would act on, what is no UTF-8 and
/// what looks like something else is spelled out.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut escaped = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            push(&mut escaped, character);
        }
        for byte in chunk.invalid() {
            let _ = write!(escaped, "\\x{byte:02x}");
        }
    }
    escaped
}

fn push(escaped: &mut String, character: char) {
    match character {
        '\n' => escaped.push_str("\\n"),
        '\r' => escaped.push_str("\\r"),
        '\t' => escaped.push_str("\\t"),
        ' '..='~' => escaped.push(character),
        '\0'..='\x7f' => {
            let _ = write!(escaped, "\\x{:02x}", u32::from(character));
        }
        _ => {
            let _ = write!(escaped, "\\u{{{:x}}}", u32::from(character));
        }
    }
}

/// A sentence in which what a reader cannot see, or what would change how the rest is shown, is spelled
/// out: controls, bidirectional overrides, characters without width, noncharacters. Letters of any
/// script stay.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if is_invisible(character) {
            push(&mut printable, character);
        } else {
            printable.push(character);
        }
    }
    printable
}

/// Whether a reader cannot see the character, or it would change how the rest is shown.
pub(super) fn is_invisible(character: char) -> bool {
    let formats = matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    formats || character.is_control() || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_printable_ascii_is_left() {
        assert_eq!(escape(b"a b~\n\r\t"), "a b~\\n\\r\\t");
        assert_eq!(escape(b"\x1b[2J\x07\x7f\0"), "\\x1b[2J\\x07\\x7f\\x00");
        assert_eq!(
            escape("é\u{202e}\u{feff}한".as_bytes()),
            "\\u{e9}\\u{202e}\\u{feff}\\u{d55c}"
        );
        assert_eq!(escape(b"\xff\xc3("), "\\xff\\xc3(");
        let all: Vec<u8> = (0..=255).collect();
        assert!(
            escape(&all)
                .bytes()
                .all(|byte| (b' '..=b'~').contains(&byte))
        );
    }

    #[test]
    fn sentences_keep_their_letters_and_lose_what_is_invisible() {
        assert_eq!(printable("é 한 – “quoted” 😀"), "é 한 – “quoted” 😀");
        assert_eq!(
            printable("a\u{202e}b\u{200b}\u{fffe}\x1b[2J\r\n\u{85}"),
            r"a\u{202e}b\u{200b}\u{fffe}\x1b[2J\r\n\u{85}"
        );
    }
}
