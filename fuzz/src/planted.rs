//! Known bugs, one per build: `RUSTFLAGS='--cfg planted="…"'`. `planted.sh` proves with them that
//! each oracle finds its kind. In every other build these functions change nothing.

use nightcrow_protocol::LineFramer;

use crate::subject::Framed;

/// What a wrong decoder takes `line` for; `None` where it reads what is there.
pub(crate) fn misread(line: &[u8]) -> Option<Vec<u8>> {
    if cfg!(planted = "last_wins") {
        last_wins(line)
    } else if cfg!(planted = "u32_wraps") {
        u32_wraps(line)
    } else if cfg!(planted = "keeps_backslash") {
        keeps_backslash(line)
    } else {
        None
    }
}

/// What a wrong encoder makes of a `line`.
pub(crate) fn miswrite(line: String) -> String {
    if cfg!(planted = "lossy_escape") {
        line.replace("\\u001b", "")
    } else if cfg!(planted = "raw_line_feed") {
        line.replace("\\n", "\n")
    } else {
        line
    }
}

/// What a wrong framer does with a read: takes its CR for a terminator's because the read ends there,
/// or keeps a copy for good.
pub(crate) fn misread_chunk(chunk: &mut &[u8]) {
    if cfg!(planted = "cr_at_chunk_end") {
        *chunk = chunk.strip_suffix(b"\r").unwrap_or(chunk);
    }
    if cfg!(planted = "hoards") {
        std::mem::forget(std::hint::black_box(chunk.to_vec()));
    }
}

/// What a wrong framer does behind a line that was too long: takes its tail for a line.
pub(crate) fn misframe(framer: &mut LineFramer, (bytes, _): &Framed) {
    if bytes.is_none() && cfg!(planted = "tail_is_a_line") {
        *framer = LineFramer::new();
    }
}

/// Members that stand twice: the last one counts.
fn last_wins(line: &[u8]) -> Option<Vec<u8>> {
    let members: serde_json::Map<_, _> = serde_json::from_slice(line).ok()?;
    serde_json::to_vec(&members).ok()
}

/// `generation` is cut to 32 bits.
fn u32_wraps(line: &[u8]) -> Option<Vec<u8>> {
    let mut message: serde_json::Value = serde_json::from_slice(line).ok()?;
    let generation = message.get_mut("generation")?;
    *generation = (generation.as_u64()? & u64::from(u32::MAX)).into();
    serde_json::to_vec(&message).ok()
}

/// `\/` stands for itself and not for `/`.
fn keeps_backslash(line: &[u8]) -> Option<Vec<u8>> {
    let line = str::from_utf8(line).ok()?;
    Some(line.replace("\\/", "\\\\/").into_bytes())
}
