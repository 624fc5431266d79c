//! How a sender should spell a message (PLG-113), and what version 3 does not know of it (PLG-210).

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{Finding, Severity};
use crate::traffic::{HeardLine, Message};

pub(super) fn judge(line: &HeardLine<'_>, message: &Message<'_>, report: &mut impl FnMut(Finding)) {
    let usual = match message {
        Message::Event(event) => serde_json::to_vec(event),
        Message::Command(command) => serde_json::to_vec(command),
    };
    let usual = names(&usual.unwrap_or_default());
    let (known, unknown): (Vec<_>, Vec<_>) = names(line.bytes)
        .into_iter()
        .partition(|name| usual.contains(name));
    let mut note = |requirement, words: String| {
        report(Finding::at(line, 0, Severity::Note, requirement, words));
    };
    if known != usual {
        note(
            "PLG-113",
            format!("the usual members and their order are {}", usual.join(", ")),
        );
    }
    if let Some(at) = whitespace(line.bytes) {
        let words = "whitespace between tokens";
        report(Finding::at(line, at, Severity::Note, "PLG-113", words));
    }
    if !unknown.is_empty() {
        let words = format!("{} members that version 3 ignores", unknown.len());
        report(Finding::at(line, 0, Severity::Note, "PLG-210", words));
    }
}

/// The first whitespace outside of strings.
fn whitespace(line: &[u8]) -> Option<usize> {
    let (mut in_string, mut escaped) = (false, false);
    line.iter().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        !in_string && b" \t\r".contains(byte)
    })
}

/// The names of an object's members, in order; none if it is no object.
fn names(object: &[u8]) -> Vec<String> {
    struct Names;

    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some((name, IgnoredAny)) = map.next_entry()? {
                names.push(name);
            }
            Ok(names)
        }
    }

    let mut object = serde_json::Deserializer::from_slice(object);
    object.deserialize_map(Names).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Direction, Lines};

    fn notes(line: &str) -> Vec<&'static str> {
        let mut notes = Vec::new();
        let mut lines = Lines::new(Direction::Out);
        lines.hear(format!("{line}\n").as_bytes(), |line| {
            let message = line.message.clone().unwrap().unwrap();
            judge(line, &message, &mut |finding| {
                notes.push(finding.requirement);
            });
        });
        notes
    }

    #[test]
    fn the_usual_spelling_is_not_noted() {
        for line in [
            r#"{"cmd":"log","v":3,"level":"info","message":"a \" b"}"#,
            r#"{"cmd":"status","v":3,"token":"a","generation":1,"state":"x","detail":null,"deadline_epoch":null,"attempt":0}"#,
        ] {
            assert_eq!(notes(line), [""; 0]);
        }
    }

    #[test]
    fn what_is_unusual_is_noted() {
        for (line, expected) in [
            (
                r#"{"v":3,"cmd":"log","level":"info","message":""}"#,
                &["PLG-113"][..],
            ),
            (
                r#"{"cmd":"log", "v":3,"level":"info","message":""}"#,
                &["PLG-113"],
            ),
            (
                r#"{"cmd":"log","v":3,"zz":1,"level":"info","message":""}"#,
                &["PLG-210"],
            ),
            // Optional members are written as null.
            (
                r#"{"cmd":"status","v":3,"token":"a","generation":1,"state":"x","attempt":0}"#,
                &["PLG-113"],
            ),
        ] {
            assert_eq!(notes(line), expected, "{line}");
        }
    }
}
