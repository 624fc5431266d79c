//! The JSON Schemas of the contract, as validators.
//!
//! They are the second opinion beside the decoder: a plugin's line must pass both, and so must every
//! well-formed line that the runner sends.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

static COMMAND: LazyLock<Validator> = LazyLock::new(|| {
    compile(include_str!(
        "../../spec/schema/plugin-v3/command.schema.json"
    ))
});
static EVENT: LazyLock<Validator> = LazyLock::new(|| {
    compile(include_str!(
        "../../spec/schema/plugin-v3/event.schema.json"
    ))
});

/// Holds a line against the schema of commands.
///
/// # Errors
/// What the schema has against it, as a sentence.
pub fn check_command(line: &[u8]) -> Result<(), String> {
    check(&COMMAND, line)
}

/// Holds a line against the schema of events.
///
/// # Errors
/// What the schema has against it, as a sentence.
pub fn check_event(line: &[u8]) -> Result<(), String> {
    check(&EVENT, line)
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
