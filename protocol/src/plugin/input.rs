use std::borrow::Cow;

use crate::limits::MAX_INPUT_BYTES;

/// Text for a pane's program, at most 8,192 bytes (PLG-407).
///
/// Size is all that the contract's decoder looks at; which characters may be typed is the host
/// guard's business.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct PaneInput<'a>(Cow<'a, str>);

/// Text over the limit of [`PaneInput`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("input of {bytes} bytes; at most {MAX_INPUT_BYTES} fit one send_input: send it in parts")]
pub struct InputTooLarge {
    /// Size of the refused text in bytes.
    pub bytes: usize,
}

impl<'a> PaneInput<'a> {
    /// Takes `text` if it fits.
    ///
    /// # Errors
    /// [`InputTooLarge`] over 8,192 bytes.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, InputTooLarge> {
        let text = text.into();
        if text.len() > MAX_INPUT_BYTES {
            return Err(InputTooLarge { bytes: text.len() });
        }
        Ok(Self(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same input without a borrow.
    #[must_use]
    pub fn into_owned(self) -> PaneInput<'static> {
        PaneInput(Cow::Owned(self.0.into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_bytes_inclusively() {
        assert!(PaneInput::new("x".repeat(8_192)).is_ok());
        assert!(PaneInput::new("é".repeat(4_096)).is_ok());
        assert_eq!(
            PaneInput::new("x".repeat(8_193)),
            Err(InputTooLarge { bytes: 8_193 })
        );
        assert_eq!(
            PaneInput::new("é".repeat(4_097)),
            Err(InputTooLarge { bytes: 8_194 })
        );
    }

    #[test]
    fn says_what_to_do() {
        let error = InputTooLarge { bytes: 9_000 };
        assert_eq!(
            error.to_string(),
            "input of 9000 bytes; at most 8192 fit one send_input: send it in parts"
        );
    }
}
