use memchr::memchr;

use super::{Command, Event};
use crate::limits::MAX_LINE_BYTES;

/// A message that no legal line can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// It would not fit one line (PLG-111).
    #[error(
        "the line would hold {bytes} bytes; at most {MAX_LINE_BYTES} are allowed: shorten its text"
    )]
    LineTooLong {
        /// Size of the line in bytes, without its terminator.
        bytes: usize,
    },
    /// It would fall into two lines (PLG-110).
    #[error("the line would hold a raw line feed")]
    RawLineFeed,
}

/// Writes a command as one line, with its terminator. Send it in one write and flush.
///
/// ```
/// use nightcrow_protocol::{Level, Log, encode_command};
///
/// let line = encode_command(&Log::new(Level::Info, "two\nlines").into())?;
/// assert_eq!(line, "{\"cmd\":\"log\",\"v\":3,\"level\":\"info\",\"message\":\"two\\nlines\"}\n");
/// # Ok::<(), nightcrow_protocol::EncodeError>(())
/// ```
///
/// # Errors
/// [`EncodeError`] if the message does not fit a legal line.
pub fn encode_command(command: &Command<'_>) -> Result<String, EncodeError> {
    terminate(json(command))
}

/// Writes an event as one line, with its terminator.
///
/// # Errors
/// [`EncodeError`] if the message does not fit a legal line.
pub fn encode_event(event: &Event<'_>) -> Result<String, EncodeError> {
    terminate(json(event))
}

/// Room for most lines, so that they need not be moved while they grow.
const COMMON_LINE_BYTES: usize = 512;

fn json(message: &impl serde::Serialize) -> String {
    let mut json = Vec::with_capacity(COMMON_LINE_BYTES);
    serde_json::to_writer(&mut json, message)
        .expect("messages hold only strings, integers and lists of strings");
    String::from_utf8(json).expect("JSON of strings is UTF-8")
}

/// Makes a line of a JSON text, checked rather than trusted (PLG-110, PLG-111).
fn terminate(mut json: String) -> Result<String, EncodeError> {
    if memchr(b'\n', json.as_bytes()).is_some() {
        return Err(EncodeError::RawLineFeed);
    }
    if json.len() > MAX_LINE_BYTES {
        return Err(EncodeError::LineTooLong { bytes: json.len() });
    }
    json.push('\n');
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_what_it_is_about_to_send() {
        assert_eq!(terminate("{}".to_owned()), Ok("{}\n".to_owned()));
        assert_eq!(terminate("{\n}".to_owned()), Err(EncodeError::RawLineFeed));
        assert_eq!(
            terminate("x".repeat(65_536)).map(|line| line.len()),
            Ok(65_537)
        );
        assert_eq!(
            terminate("x".repeat(65_537)),
            Err(EncodeError::LineTooLong { bytes: 65_537 })
        );
    }
}
