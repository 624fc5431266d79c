//! What a decoder prints: one verdict per line.

use serde::Deserialize;
use serde_json::Value;

/// A verdict as section 18 of the specification describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    /// The number that it gives the line.
    pub(super) n: u64,
    /// What it says about it.
    pub(super) said: Said,
}

/// What a verdict says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// The line is this message.
    Message(Value),
    /// The line is refused, with this code.
    Refused(String),
    /// The line is blank.
    Blank,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    n: u64,
    #[serde(default)]
    ok: Option<Value>,
    #[serde(default)]
    refuse: Option<String>,
    #[serde(default)]
    blank: Option<bool>,
}

impl Verdict {
    /// Reads a line of the decoder's stdout.
    ///
    /// # Errors
    /// Why it is no verdict, and at which of its bytes that shows.
    pub(super) fn read(line: &[u8]) -> Result<Self, (usize, String)> {
        let written: Written = serde_json::from_slice(line)
            .map_err(|error| (error.column().saturating_sub(1), without_place(&error)))?;
        let said = match (written.ok, written.refuse, written.blank) {
            (Some(message @ Value::Object(_)), None, None) => Said::Message(message),
            (None, Some(code), None) => Said::Refused(code),
            (None, None, Some(true)) => Said::Blank,
            _ => {
                let what = "beside `n` there is one of `ok` with an object, `refuse` with a string, and `blank` with true";
                return Err((0, what.to_owned()));
            }
        };
        Ok(Self { n: written.n, said })
    }
}

/// What is wrong; the place is shown in another way.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(place) => text[..place].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_the_three_shapes_in_any_spelling() {
        let said = |line: &str| Verdict::read(line.as_bytes()).unwrap();
        assert_eq!(
            said(r#" { "ok" : {"cmd":"x"} , "n":1 }"#),
            Verdict {
                n: 1,
                said: Said::Message(json!({"cmd": "x"}))
            }
        );
        assert_eq!(
            said(r#"{"n":2,"refuse":"a\u0062"}"#).said,
            Said::Refused("ab".to_owned())
        );
        assert_eq!(said(r#"{"n":3,"blank":true}"#).said, Said::Blank);
    }

    #[test]
    fn everything_else_is_no_verdict() {
        for line in [
            "",
            "hello",
            "{}",
            "[1]",
            r#"{"n":1}"#,
            r#"{"n":"1","blank":true}"#,
            r#"{"n":1.0,"blank":true}"#,
            r#"{"n":1,"blank":false}"#,
            r#"{"n":1,"ok":[]}"#,
            r#"{"n":1,"ok":{},"blank":true}"#,
            r#"{"n":1,"refuse":3}"#,
            r#"{"n":1,"blank":true} {"n":2,"blank":true}"#,
            r#"{"n":1,"blank":true,"why":"x"}"#,
            "{\"n\":1,\"refuse\":\"\u{0}\"}",
        ] {
            assert!(Verdict::read(line.as_bytes()).is_err(), "{line}");
        }
        let (place, what) = Verdict::read(b"hello").unwrap_err();
        assert_eq!((place, what.as_str()), (0, "expected value"));
        assert!(Verdict::read(b"{\"n\":1,\"refuse\":\"\xff\"}").is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_verdict_or_a_fault_in_them(line: Vec<u8>) {
            if let Err((place, what)) = Verdict::read(&line) {
                prop_assert!(place <= line.len() && !what.is_empty());
            }
        }

        #[test]
        fn verdicts_are_read_as_they_were_meant(n: u64, code: String, kind in 0..3) {
            let (line, said) = match kind {
                0 => (json!({"n": n, "refuse": code}), Said::Refused(code)),
                1 => (json!({"n": n, "ok": {"message": code}}), Said::Message(json!({"message": code}))),
                _ => (json!({"n": n, "blank": true}), Said::Blank),
            };
            prop_assert_eq!(Verdict::read(line.to_string().as_bytes()), Ok(Verdict { n, said }));
        }
    }
}
