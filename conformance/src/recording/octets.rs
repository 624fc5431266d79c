//! Bytes in a line of a recording: base64.

use std::io::{self, Write};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::ser::Formatter;

/// Bytes to be written, or what was read in their place.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) enum Octets {
    /// Any bytes.
    Bytes(Arc<[u8]>),
    /// A text that is to be base64; nobody has looked at it yet.
    Base64(String),
}

impl Octets {
    /// The bytes; `None` if it is no base64 with padding.
    pub(super) fn decode(self) -> Option<Arc<[u8]>> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Base64(text) => STANDARD.decode(text).ok().map(Arc::from),
        }
    }
}

impl From<String> for Octets {
    fn from(text: String) -> Self {
        Self::Base64(text)
    }
}

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Self::Base64(text) => serializer.serialize_str(text),
        }
    }
}

/// JSON without spaces in which bytes are base64, written as it is made: a proxy writes megabytes of it,
/// and a string of them would be copied and searched for what must be escaped.
pub(super) struct Base64Formatter;

/// How many bytes are encoded at once: whole groups of three, so that only the last piece is padded.
const PIECE_BYTES: usize = 3 << 10;

impl Formatter for Base64Formatter {
    fn write_byte_array<W: ?Sized + Write>(&mut self, to: &mut W, bytes: &[u8]) -> io::Result<()> {
        let mut encoded = [0; PIECE_BYTES / 3 * 4];
        to.write_all(b"\"")?;
        for piece in bytes.chunks(PIECE_BYTES) {
            let length = STANDARD
                .encode_slice(piece, &mut encoded)
                .map_err(io::Error::other)?;
            to.write_all(&encoded[..length])?;
        }
        to.write_all(b"\"")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_of_any_length_come_back(
            length in prop_oneof![0..10_usize, PIECE_BYTES - 4..PIECE_BYTES + 4, 0..4 * PIECE_BYTES],
            first: u8,
        ) {
            let bytes: Arc<[u8]> = (first..=u8::MAX).cycle().take(length).collect();
            let mut line = Vec::new();
            let mut json = serde_json::Serializer::with_formatter(&mut line, Base64Formatter);
            Octets::Bytes(Arc::clone(&bytes)).serialize(&mut json).unwrap();
            prop_assert_eq!(&line, &serde_json::to_vec(&STANDARD.encode(&bytes)).unwrap());
            let read: Octets = serde_json::from_slice(&line).unwrap();
            prop_assert_eq!(read.decode(), Some(bytes));
        }
    }
}
