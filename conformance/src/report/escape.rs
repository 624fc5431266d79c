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
}
