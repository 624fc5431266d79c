//! A second decoder, written from the contract's rules alone: `serde_json` for the grammar, the rules
//! it lacks as a list of checks, and the messages as a table.
//!
//! Simple where the real one is fast. It shares neither code nor structure with it, and agrees on
//! everything: what is refused, with which code, about which member, and what a message says.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::json::Json;

/// What becomes of a line.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Nothing but space, tab and CR.
    Blank,
    /// A message, in its full form: optional members are there, as null.
    Message(Value),
    Refused(Refused),
}

impl Verdict {
    /// What becomes of the same bytes where the stream ends without a terminator.
    pub(crate) fn at_end_of_stream(self) -> Self {
        match self {
            Self::Refused(Refused {
                code: "not_json" | "not_utf8",
                ..
            }) => Self::Refused(Refused {
                code: "truncated",
                member: None,
            }),
            other => other,
        }
    }
}

/// The code, and the member of the contract that it is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Refused {
    pub(crate) code: &'static str,
    pub(crate) member: Option<&'static str>,
}

/// The messages of one direction.
pub(crate) struct Table {
    pub(crate) tag: &'static str,
    messages: &'static [(&'static str, &'static [Member])],
}

type Member = (&'static str, Kind);

#[derive(Clone, Copy)]
enum Kind {
    Token,
    Generation,
    Input,
    Text,
    OptionalText,
    Texts,
    Deadline,
    Attempt,
    Level,
    Millis,
}

const TOKEN: Member = ("token", Kind::Token);
const GENERATION: Member = ("generation", Kind::Generation);

/// What a plugin sends.
#[rustfmt::skip]
pub(crate) const COMMANDS: Table = Table {
    tag: "cmd",
    messages: &[
        ("send_input", &[TOKEN, GENERATION, ("data", Kind::Input)]),
        ("relaunch", &[TOKEN, GENERATION, ("resume_args", Kind::Texts)]),
        ("status", &[
            TOKEN, GENERATION, ("state", Kind::Text), ("detail", Kind::OptionalText),
            ("deadline_epoch", Kind::Deadline), ("attempt", Kind::Attempt),
        ]),
        ("watch_pane", &[TOKEN]),
        ("attention", &[TOKEN, GENERATION]),
        ("log", &[("level", Kind::Level), ("message", Kind::Text)]),
    ],
};

/// What a host sends.
#[rustfmt::skip]
pub(crate) const EVENTS: Table = Table {
    tag: "event",
    messages: &[
        ("pane_opened", &[
            TOKEN, GENERATION, ("title", Kind::OptionalText), ("command", Kind::OptionalText),
            ("cwd", Kind::Text),
        ]),
        ("pane_output", &[TOKEN, GENERATION, ("text", Kind::Text)]),
        ("pane_idle", &[TOKEN, GENERATION, ("idle_ms", Kind::Millis)]),
        ("pane_exited", &[TOKEN, GENERATION]),
        ("pane_closed", &[TOKEN, GENERATION]),
        ("user_input", &[TOKEN, GENERATION]),
        ("shutdown", &[]),
    ],
};

const LINE_BYTES: usize = 65_536;
const DATA_BYTES: usize = 8_192;
const DEPTH: usize = 64;
const SAFE: u64 = 9_007_199_254_740_991;

/// Judges a line without its terminator.
pub(crate) fn judge(table: &Table, line: &[u8]) -> Verdict {
    match read(table, line) {
        Ok(Some(message)) => Verdict::Message(Value::Object(message)),
        Ok(None) => Verdict::Blank,
        Err(refused) => Verdict::Refused(refused),
    }
}

fn read(table: &Table, line: &[u8]) -> Result<Option<Map<String, Value>>, Refused> {
    if line.len() > LINE_BYTES {
        return refuse("line_too_long", None);
    }
    let Ok(text) = str::from_utf8(line) else {
        return refuse("not_utf8", None);
    };
    if text.chars().all(|c| " \t\r".contains(c)) {
        return Ok(None);
    }
    let members = members(text)?;
    refuse_duplicates(&members)?;

    let find = |name: &str| {
        members
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value)
    };
    match find("v") {
        None => return refuse("missing_member", Some("v")),
        Some(Json::Natural(3)) => {}
        Some(Json::Natural(v)) if *v < 1 << 32 => return refuse("version_mismatch", Some("v")),
        Some(_) => return refuse("invalid_member", Some("v")),
    }
    let tag = table.tag;
    let kind = match find(tag) {
        None => return refuse("missing_member", Some(tag)),
        Some(Json::Text(kind)) => kind,
        Some(_) => return refuse("invalid_member", Some(tag)),
    };
    let Some((_, wanted)) = table.messages.iter().find(|(name, _)| name == kind) else {
        return refuse("unknown_kind", Some(tag));
    };

    let mut message = Map::new();
    message.insert(tag.to_owned(), Value::from(kind.as_str()));
    message.insert("v".to_owned(), Value::from(3));
    for (name, kind) in *wanted {
        let value = match (find(name), kind) {
            (None | Some(Json::Null), Kind::OptionalText | Kind::Deadline) => Value::Null,
            (None, _) => return refuse("missing_member", Some(name)),
            (Some(value), kind) => match understand(*kind, value) {
                Some(value) => value,
                None => return refuse("invalid_member", Some(name)),
            },
        };
        message.insert((*name).to_owned(), value);
    }
    match message.get("data").and_then(Value::as_str) {
        Some(data) if data.len() > DATA_BYTES => refuse("input_too_large", Some("data")),
        _ => Ok(Some(message)),
    }
}

const fn refuse<T>(code: &'static str, member: Option<&'static str>) -> Result<T, Refused> {
    Err(Refused { code, member })
}

/// The grammar and what `serde_json` does not ask for: one line, bounded nesting, an object.
fn members(text: &str) -> Result<Vec<(String, Json)>, Refused> {
    let json = if text.contains('\n') {
        None
    } else {
        Json::read(text)
    };
    match json {
        None => refuse("not_json", None),
        Some(Json::Members(members)) => {
            if members.iter().any(|(_, value)| value.depth() > DEPTH) {
                return refuse("not_json", None);
            }
            Ok(members)
        }
        Some(other) if other.depth() > DEPTH => refuse("not_json", None),
        Some(_) => refuse("not_an_object", None),
    }
}

fn refuse_duplicates(members: &[(String, Json)]) -> Result<(), Refused> {
    let mut seen = BTreeSet::new();
    match members.iter().find(|(name, _)| !seen.insert(name)) {
        None => Ok(()),
        Some((name, _)) => refuse("duplicate_member", contract_name(name)),
    }
}

/// The name as the contract spells it, if any message of either direction has such a member.
fn contract_name(name: &str) -> Option<&'static str> {
    let tables = [COMMANDS, EVENTS];
    let members = tables
        .iter()
        .flat_map(|table| table.messages)
        .flat_map(|(_, members)| *members);
    let names = members.map(|(name, _)| *name);
    names
        .chain(["v", "cmd", "event"])
        .find(|known| *known == name)
}

/// A member's value in its plain form, if it is one of its kind.
fn understand(kind: Kind, value: &Json) -> Option<Value> {
    match (kind, value) {
        (Kind::Token, Json::Text(text)) => {
            let token = (1..=128).contains(&text.len()) && text.chars().all(is_token_character);
            token.then(|| Value::from(text.as_str()))
        }
        (Kind::Level, Json::Text(text)) => ["error", "warn", "info", "debug"]
            .contains(&text.as_str())
            .then(|| Value::from(text.as_str())),
        (Kind::Text | Kind::OptionalText | Kind::Input, Json::Text(text)) => {
            Some(Value::from(text.as_str()))
        }
        (Kind::Texts, Json::List(items)) => {
            let texts = items.iter().map(|item| understand(Kind::Text, item));
            texts.collect::<Option<Vec<_>>>().map(Value::from)
        }
        (Kind::Generation, Json::Natural(0)) => None,
        (Kind::Generation | Kind::Attempt, Json::Natural(number)) => {
            (*number <= 4_294_967_295).then(|| Value::from(*number))
        }
        (Kind::Deadline | Kind::Millis, Json::Natural(number)) => {
            (*number <= SAFE).then(|| Value::from(*number))
        }
        (Kind::Deadline, Json::Negative(number)) => {
            (number.unsigned_abs() <= SAFE).then(|| Value::from(*number))
        }
        _ => None,
    }
}

fn is_token_character(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-')
}
