use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayString;

use crate::limits::MAX_TOKEN_BYTES;

/// Names a pane on the wire, across relaunches (PLG-401).
///
/// 1 to 128 of `A-Z a-z 0-9 _ -`. A token is an identity, not an authorisation, but whoever can say
/// it is inside the pane: so neither `Debug` nor anything else here prints more than its first six
/// characters. Use [`as_str`](Self::as_str) where the whole token is really meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneToken(ArrayString<MAX_TOKEN_BYTES>);

/// Text that is not a pane token (PLG-401). Does not quote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a pane token must be {}", PaneToken::EXPECTED)]
pub struct InvalidToken;

impl PaneToken {
    /// What a token must look like, for messages.
    pub(crate) const EXPECTED: &str = "1 to 128 characters of A-Z, a-z, 0-9, _ and -";

    /// Checks `text` and takes it as a token.
    ///
    /// # Errors
    /// [`InvalidToken`] when `text` is empty, too long or holds any other character.
    pub fn new(text: &str) -> Result<Self, InvalidToken> {
        // Without an early exit this becomes vector instructions.
        let well_formed = text
            .bytes()
            .fold(!text.is_empty(), |ok, byte| ok & is_token_byte(byte));
        match ArrayString::from(text) {
            Ok(token) if well_formed => Ok(Self(token)),
            _ => Err(InvalidToken),
        }
    }

    /// The whole token.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first six characters: all that a log may show.
    #[must_use]
    pub fn short(&self) -> &str {
        &self.0[..self.0.len().min(6)]
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl fmt::Debug for PaneToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PaneToken({}…)", self.short())
    }
}

impl FromStr for PaneToken {
    type Err = InvalidToken;

    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        Self::new(text)
    }
}

impl serde::Serialize for PaneToken {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_every_allowed_character_and_both_lengths() {
        let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
        for text in [
            all,
            "a",
            "-",
            &"x".repeat(128),
            "123e4567-e89b-12d3-a456-426614174000",
        ] {
            assert_eq!(PaneToken::new(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            " ",
            "a b",
            "é",
            "a.b",
            "a/b",
            "a\n",
            "a=",
            &"x".repeat(129),
        ] {
            assert_eq!(PaneToken::new(text), Err(InvalidToken), "{text:?}");
            assert!(text.parse::<PaneToken>().is_err());
        }
    }

    #[test]
    fn shows_six_characters_at_most() {
        let token = PaneToken::new("00112233445566778899aabbccddeeff").unwrap();
        assert_eq!(format!("{token:?}"), "PaneToken(001122…)");
        assert_eq!(PaneToken::new("abc").unwrap().short(), "abc");
    }
}
