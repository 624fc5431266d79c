//! `Arbitrary` for the types that are more than their parts: only legal values.

use std::borrow::Cow;

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::limits::{MAX_INPUT_BYTES, MAX_TOKEN_BYTES};
use crate::{Millis, PaneGeneration, PaneInput, PaneToken, UnixSeconds};

impl Arbitrary<'_> for PaneToken {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Self> {
        const ALPHABET: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
        let length = u.int_in_range(1..=MAX_TOKEN_BYTES)?;
        let mut character = || Ok(char::from(*u.choose(ALPHABET)?));
        let text = (0..length)
            .map(|_| character())
            .collect::<Result<String>>()?;
        Ok(Self::new(&text).expect("1 to 128 characters of the alphabet"))
    }
}

impl Arbitrary<'_> for PaneGeneration {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Self::new(u.int_in_range(1..=u32::MAX)?).expect("not 0"))
    }
}

impl Arbitrary<'_> for UnixSeconds {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Self> {
        let seconds = u.int_in_range(Self::MIN.get()..=Self::MAX.get())?;
        Ok(Self::new(seconds).expect("within the bounds"))
    }
}

impl Arbitrary<'_> for Millis {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Self::new(u.int_in_range(0..=Self::MAX.get())?).expect("within the bounds"))
    }
}

impl<'a> Arbitrary<'a> for PaneInput<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let text = <&str>::arbitrary(u)?;
        let boundaries = (0..=text.len().min(MAX_INPUT_BYTES)).rev();
        let end = boundaries
            .into_iter()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        Ok(Self::new(Cow::Borrowed(&text[..end])).expect("cut to the limit"))
    }
}
