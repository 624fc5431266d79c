//! What must be true of any verdict on any line.

use memchr::memmem;
use nightcrow_protocol::limits::MAX_LINE_BYTES;
use nightcrow_protocol::{EncodeError, Refusal, RefusalCode};

use crate::subject::Direction;

/// Decodes the line and holds the verdict against the line itself.
pub(crate) fn consistent<D: Direction>(line: &[u8]) {
    match D::decode(line) {
        Ok(None) => assert!(line.iter().all(|byte| b" \t\r".contains(byte)), "blank"),
        Ok(Some(message)) => survives_rewriting::<D>(line, &message),
        Err(refusal) => points_into(line, &refusal),
    }
}

/// A line written for an accepted message is legal and says the same.
fn survives_rewriting<D: Direction>(line: &[u8], message: &D::Message<'_>) {
    /// A rewritten line says what was left out, and nothing else in it is longer than it has to be.
    const OPTIONAL_NULLS: usize = r#","detail":null,"deadline_epoch":null"#.len();

    match D::encode(message) {
        Ok(written) => says::<D>(&written, message),
        Err(EncodeError::LineTooLong { bytes }) => assert!(
            (MAX_LINE_BYTES + 1..=line.len() + OPTIONAL_NULLS).contains(&bytes),
            "{bytes} bytes to say what {} bytes said",
            line.len()
        ),
        Err(EncodeError::RawLineFeed) => panic!("an encoder wrote a raw line feed: {message:?}"),
    }
}

/// A written line is one line of legal length that reads as `message`.
pub(crate) fn says<D: Direction>(written: &str, message: &D::Message<'_>) {
    let bytes = written.as_bytes();
    let (Some(end), Some(payload)) = (memchr::memchr(b'\n', bytes), bytes.strip_suffix(b"\n"))
    else {
        panic!("no line feed at the end of {written:?}");
    };
    assert_eq!(end, payload.len(), "one line feed in {written:?}");
    assert!(payload.len() <= MAX_LINE_BYTES, "{} bytes", payload.len());
    let read = D::decode(payload).expect("an encoder's line is accepted");
    let same = read.is_some_and(|read| D::same(&read, message));
    assert!(same, "{message:?}, but not when read back from {written:?}");
}

/// A refusal's offset is where its documentation says.
fn points_into(line: &[u8], refusal: &Refusal) {
    let at = refusal.offset();
    assert!(at <= line.len(), "{refusal} of {} bytes", line.len());
    let byte = line.get(at);
    let right = match refusal.code() {
        RefusalCode::LineTooLong => at == MAX_LINE_BYTES && byte.is_some(),
        RefusalCode::NotUtf8 => byte.is_some_and(|byte| !byte.is_ascii()),
        RefusalCode::NotJson => byte.is_none_or(|byte| !is_continuation(*byte)),
        RefusalCode::DuplicateMember | RefusalCode::InputTooLarge => byte == Some(&b'"'),
        RefusalCode::MissingMember => byte == Some(&b'}'),
        RefusalCode::NotAnObject
        | RefusalCode::VersionMismatch
        | RefusalCode::UnknownKind
        | RefusalCode::InvalidMember => byte.is_some_and(|byte| starts_value(*byte)),
        RefusalCode::Truncated => false,
    };
    assert!(right, "{refusal}, where the line has {byte:?}");
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn starts_value(byte: u8) -> bool {
    byte.is_ascii_digit() || b"\"-[{tfn".contains(&byte)
}

/// No text of the line gets into the sentence of its refusal: it may be what a person typed.
///
/// Text that both have is not proof, since a line may say what a sentence says anyway. So it is
/// replaced by nonsense in the line; a sentence that now speaks nonsense quotes.
pub(crate) fn quotes_nothing<D: Direction>(line: &[u8]) {
    const NONSENSE: &[u8; 8] = b"zqjxkwvp";
    /// Longer lines are read by the same code and would take most of the time.
    const ENOUGH: usize = 4_096;

    let sentence = |line: &[u8]| D::decode(line).err().map(|refusal| refusal.to_string());
    let Some(said) = sentence(line).filter(|_| line.len() <= ENOUGH) else {
        return;
    };
    for shared in said.as_bytes().windows(NONSENSE.len()) {
        if let Some(twin) = replace(line, shared, NONSENSE) {
            let quotes = sentence(&twin).is_some_and(|said| contains(&said, NONSENSE));
            assert!(!quotes, "the refusal quotes the line: {said}");
        }
    }
}

fn contains(text: &str, part: &[u8]) -> bool {
    memmem::find(text.as_bytes(), part).is_some()
}

/// `line` with `by` in every place of `what`; `None` if there is none. Both are equally long.
fn replace(line: &[u8], what: &[u8], by: &[u8]) -> Option<Vec<u8>> {
    let mut places = memmem::find_iter(line, what).peekable();
    places.peek()?;
    let mut twin = line.to_vec();
    for at in places {
        twin[at..at + by.len()].copy_from_slice(by);
    }
    Some(twin)
}
