//! JSON Schemas: those that the runner hands out, and those of the contract as validators.
//!
//! The validators are the second opinion beside the decoder: a plugin's line must pass both, and so must
//! every well-formed line that the runner sends.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::{profile, recording, report};

/// A JSON Schema (2020-12) that the runner hands out.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// What it is called.
    pub name: &'static str,
    /// What it describes.
    pub about: &'static str,
    /// The schema itself.
    pub text: &'static str,
}

/// Every schema that the runner hands out.
#[rustfmt::skip]
pub const ALL: &[Schema] = &[
    Schema { name: "command", about: "a line that a plugin writes", text: COMMAND },
    Schema { name: "event", about: "a line that a plugin reads", text: EVENT },
    Schema { name: "profile", about: "a file that says how a plugin is made to act (TOML)", text: profile::SCHEMA },
    Schema { name: "recording", about: "a line of a recording or transcript", text: recording::SCHEMA },
    Schema { name: "report", about: "what `--report json` writes", text: report::SCHEMA },
];

const COMMAND: &str = include_str!("../../spec/schema/plugin-v3/command.schema.json");
const EVENT: &str = include_str!("../../spec/schema/plugin-v3/event.schema.json");

static COMMANDS: LazyLock<Validator> = LazyLock::new(|| compile(COMMAND));
static EVENTS: LazyLock<Validator> = LazyLock::new(|| compile(EVENT));

/// The schema of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Schema> {
    ALL.iter().find(|schema| schema.name == name)
}

/// Holds a line against the schema of commands.
///
/// # Errors
/// What the schema has against it, as a sentence.
pub fn check_command(line: &[u8]) -> Result<(), String> {
    check(&COMMANDS, line)
}

/// Holds a line against the schema of events.
///
/// # Errors
/// What the schema has against it, as a sentence.
pub fn check_event(line: &[u8]) -> Result<(), String> {
    check(&EVENTS, line)
}

fn compile(schema: &str) -> Validator {
    let schema = serde_json::from_str(schema).expect("the embedded schema is JSON");
    jsonschema::validator_for(&schema).expect("the embedded schema is a schema")
}

fn check(validator: &Validator, line: &[u8]) -> Result<(), String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    validator
        .validate(&value)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_one_and_says_which_dialect_it_is_in() {
        for schema in ALL {
            compile(schema.text);
            let text: Value = serde_json::from_str(schema.text).unwrap();
            let dialect = "https://json-schema.org/draft/2020-12/schema";
            assert_eq!(text["$schema"], dialect, "{}", schema.name);
        }
        assert!(find("profile").is_some() && find("profil").is_none());
    }

    #[test]
    fn tells_commands_from_events() {
        let log = br#"{"cmd":"log","v":3,"level":"info","message":"hi"}"#;
        let shutdown = br#"{"event":"shutdown","v":3}"#;
        assert_eq!(check_command(log), Ok(()));
        assert_eq!(check_event(shutdown), Ok(()));
        assert!(check_command(shutdown).is_err());
        assert!(check_event(log).is_err());
        assert!(check_command(b"hello").is_err());
    }
}
