//! Whatever can be said survives being written and read, whoever writes it and however oddly.
//!
//! Input: bytes that `arbitrary` makes a message of, and then the choices of a printer.

use arbitrary::{Arbitrary, Result, Unstructured};
use nightcrow_protocol::limits::MAX_LINE_BYTES;
use nightcrow_protocol::{Command, EncodeError, Event, RefusalCode};

use crate::printer::print;
use crate::subject::{Commands, Direction, Events};
use crate::verdict::says;

/// Writes one message with our encoder and with the printer.
pub fn check(data: &[u8]) {
    // Bytes that make no message are no finding.
    let _ = one_message(&mut Unstructured::new(data));
}

fn one_message(choices: &mut Unstructured<'_>) -> Result<()> {
    if choices.arbitrary()? {
        let event = Event::arbitrary(choices)?;
        survives_encoding::<Events>(&event);
        survives_printing::<Events>(&event, choices)
    } else {
        let command = Command::arbitrary(choices)?;
        survives_encoding::<Commands>(&command);
        survives_printing::<Commands>(&command, choices)
    }
}

fn survives_encoding<D: Direction>(message: &D::Message<'_>) {
    match D::encode(message) {
        Ok(line) => says::<D>(&line, message),
        Err(error) => {
            let bytes = serde_json::to_string(message).map_or(0, |json| json.len());
            assert_eq!(error, EncodeError::LineTooLong { bytes });
            assert!(bytes > MAX_LINE_BYTES, "{error}");
        }
    }
}

fn survives_printing<D: Direction>(
    message: &D::Message<'_>,
    choices: &mut Unstructured<'_>,
) -> Result<()> {
    let json = serde_json::to_value(message).expect("messages are JSON");
    let line = print(&json, choices)?;
    match D::decode(line.as_bytes()) {
        Ok(read) => {
            let same = read.is_some_and(|read| D::same(&read, message));
            assert!(same, "{message:?}, but not when read back from {line:?}");
        }
        Err(refusal) => {
            let too_long = refusal.code() == RefusalCode::LineTooLong;
            assert!(
                too_long && line.len() > MAX_LINE_BYTES,
                "{refusal}: {line:?}"
            );
        }
    }
    Ok(())
}
