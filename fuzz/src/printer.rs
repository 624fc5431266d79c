//! Writes a message in any way that JSON allows and the contract accepts: members in any order and
//! unknown ones among them, escapes where none are needed, white space everywhere, nulls left out.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use nightcrow_protocol::limits::MAX_NESTING;
use serde_json::Value;

/// Writes `message`, an object; `choices` decides how.
pub(crate) fn print(message: &Value, choices: &mut Unstructured<'_>) -> Result<String> {
    let mut printer = Printer {
        line: String::new(),
        choices,
    };
    printer.message(message)?;
    Ok(printer.line)
}

struct Printer<'c, 'data> {
    line: String,
    choices: &'c mut Unstructured<'data>,
}

/// Names that the contract knows. Where the message at hand has no such member, it is ignored.
const CONTRACT_NAMES: [&str; 18] = [
    "cmd",
    "event",
    "v",
    "token",
    "generation",
    "data",
    "resume_args",
    "state",
    "detail",
    "deadline_epoch",
    "attempt",
    "level",
    "message",
    "title",
    "command",
    "cwd",
    "text",
    "idle_ms",
];

/// Numbers in every spelling, all of them finite.
const NUMBERS: [&str; 12] = [
    "0",
    "-0",
    "-0.0",
    "3.0",
    "3e0",
    "1E+2",
    "1e-400",
    "-1.5e3",
    "4294967296",
    "9007199254740993",
    "123456789012345678901234567890",
    "1.7976931348623157e308",
];

impl Printer<'_, '_> {
    fn message(&mut self, message: &Value) -> Result<()> {
        let mut members = Vec::new();
        let mut names = BTreeSet::new();
        for (name, value) in message.as_object().into_iter().flatten() {
            names.insert(name.clone());
            // Null and absent mean the same (PLG-307).
            if !value.is_null() || self.choices.arbitrary()? {
                members.push((name.clone(), Some(value)));
            }
        }
        for _ in 0..self.choices.int_in_range(0..=12)? {
            let name = self.unknown_name()?;
            if names.insert(name.clone()) {
                members.push((name, None));
            }
        }
        self.shuffle(&mut members)?;

        self.space()?;
        self.line.push('{');
        for (at, (name, value)) in members.into_iter().enumerate() {
            self.comma(at)?;
            self.text(&name)?;
            self.space()?;
            self.line.push(':');
            match value {
                Some(value) => self.known(value)?,
                None => self.anything(0)?,
            }
        }
        self.space()?;
        self.line.push('}');
        self.space()
    }

    fn unknown_name(&mut self) -> Result<String> {
        if self.choices.arbitrary()? {
            self.choices
                .choose(&CONTRACT_NAMES)
                .map(|name| (*name).to_owned())
        } else {
            self.choices.arbitrary::<&str>().map(str::to_owned)
        }
    }

    fn shuffle<T>(&mut self, items: &mut [T]) -> Result<()> {
        for at in 1..items.len() {
            items.swap(at, self.choices.int_in_range(0..=at)?);
        }
        Ok(())
    }

    /// A value of the message itself: its integers have one spelling (PLG-403).
    fn known(&mut self, value: &Value) -> Result<()> {
        self.space()?;
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.line.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.comma(at)?;
                    self.known(item)?;
                }
                self.space()?;
                self.line.push(']');
                Ok(())
            }
            plain => {
                self.line.push_str(&plain.to_string());
                Ok(())
            }
        }
    }

    /// Any value at all, inside `depth` containers of its member.
    fn anything(&mut self, depth: u32) -> Result<()> {
        self.space()?;
        let last = if depth < MAX_NESTING { 6 } else { 3 };
        match self.choices.int_in_range(0..=last)? {
            0 => self.line.push_str("null"),
            1 => self.line.push_str("false"),
            2 => self.line.push_str(self.choices.choose(&NUMBERS)?),
            3 => {
                let text = self.choices.arbitrary()?;
                self.text(text)?;
            }
            4 => self.deepest(depth),
            5 => self.container(depth, '[', ']')?,
            _ => self.container(depth, '{', '}')?,
        }
        Ok(())
    }

    /// Arrays down to the last level that must be accepted (PLG-207).
    fn deepest(&mut self, depth: u32) {
        let levels = (MAX_NESTING - depth) as usize;
        self.line.push_str(&"[".repeat(levels));
        self.line.push_str(&"]".repeat(levels));
    }

    fn container(&mut self, depth: u32, open: char, close: char) -> Result<()> {
        self.line.push(open);
        for at in 0..self.choices.int_in_range(0..=3)? {
            self.comma(at)?;
            if open == '{' {
                let name = self.choices.arbitrary()?;
                self.text(name)?;
                self.space()?;
                self.line.push(':');
            }
            self.anything(depth + 1)?;
        }
        self.space()?;
        self.line.push(close);
        Ok(())
    }

    fn comma(&mut self, at: usize) -> Result<()> {
        if at > 0 {
            self.space()?;
            self.line.push(',');
        }
        self.space()
    }

    fn space(&mut self) -> Result<()> {
        let space = self
            .choices
            .choose(&["", "", "", " ", "\t", "\r", " \r\t  "])?;
        self.line.push_str(space);
        Ok(())
    }

    /// A string; each character stands for itself or as an escape.
    fn text(&mut self, text: &str) -> Result<()> {
        self.line.push('"');
        for character in text.chars() {
            let must_escape = character < ' ' || "\"\\".contains(character);
            match (self.choices.arbitrary::<u8>()? % 4, short_escape(character)) {
                (0 | 1, _) if !must_escape => self.line.push(character),
                (0..=2, Some(letter)) => self.line.extend(['\\', letter]),
                (style, _) => self.escape_units(character, style == 3),
            }
        }
        self.line.push('"');
        Ok(())
    }

    /// `\uXXXX`, twice for what lies beyond the basic plane.
    fn escape_units(&mut self, character: char, upper_case: bool) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let escape = if upper_case {
                format!("\\u{unit:04X}")
            } else {
                format!("\\u{unit:04x}")
            };
            self.line.push_str(&escape);
        }
    }
}

/// The letter of the two-character escape, for characters that have one.
fn short_escape(character: char) -> Option<char> {
    match character {
        '"' | '\\' | '/' => Some(character),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        _ => None,
    }
}
