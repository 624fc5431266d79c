/// Length of the leading run that is neither quote, backslash nor control character.
///
/// Most strings end soon, so the first bytes are looked at word by word; long ones go on in blocks
/// that the compiler turns into vector instructions.
#[inline(never)]
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    const NEAR: usize = 64;
    let (words, rest) = bytes.as_chunks();
    let near = &words[..words.len().min(NEAR / 8)];
    match first_special(near) {
        Some(at) => at,
        None if bytes.len() > NEAR => NEAR + long_plain_prefix(&bytes[NEAR..]),
        None => words.len() * 8 + short_plain_prefix(rest),
    }
}

fn first_special(words: &[[u8; 8]]) -> Option<usize> {
    for (index, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return Some(index * 8 + special.trailing_zeros() as usize / 8);
        }
    }
    None
}

#[cold]
fn long_plain_prefix(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<64>();
    let is_plain = |block: &[u8; 64]| {
        !block
            .iter()
            .fold(false, |any, byte| any | is_special(*byte))
    };
    let plain = blocks.iter().take_while(|block| is_plain(block)).count() * 64;
    plain + short_plain_prefix(&bytes[plain..])
}

/// The same, byte by byte: for what is known to be short.
#[inline]
pub(super) fn short_plain_prefix(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| !SPECIAL[usize::from(**byte)])
        .count()
}

const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_special(byte as u8);
        byte += 1;
    }
    table
};

/// Marks the special ones of eight bytes in their high bits. The lowest mark is right; a borrow may
/// set false ones above it.
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_special_byte_at_every_place() {
        let plain = b"plain~\x7f!#[]\xff\x80plain plain".repeat(10);
        assert_eq!(plain_prefix(&plain), plain.len());
        for special in (0..0x20).chain(*b"\"\\") {
            for at in 0..plain.len() {
                let mut bytes = plain.clone();
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
