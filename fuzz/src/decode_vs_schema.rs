//! The decoder and the published schema judge alike, but for a closed list of things that no schema
//! can see.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use nightcrow_fuzz_schema::Schema;
use nightcrow_protocol::limits::{MAX_INPUT_BYTES, MAX_LINE_BYTES, MAX_NESTING};
use nightcrow_protocol::{Refusal, RefusalCode};

use crate::json::Json;
use crate::subject::{Commands, Direction, Events};

/// Puts the line to both, in both directions.
pub fn check(line: &[u8]) {
    static COMMANDS: LazyLock<Schema> = LazyLock::new(|| Schema::new(&Commands::schema()));
    static EVENTS: LazyLock<Schema> = LazyLock::new(|| Schema::new(&Events::schema()));

    let instance = serde_json::from_slice(line).ok();
    agree::<Commands>(line, instance.as_ref(), &COMMANDS);
    agree::<Events>(line, instance.as_ref(), &EVENTS);
}

fn agree<D: Direction>(line: &[u8], instance: Option<&serde_json::Value>, schema: &Schema) {
    let valid = instance.is_some_and(|instance| schema.accepts(instance));
    match D::decode(line) {
        Ok(message) => assert_eq!(message.is_some(), valid, "accepted against the schema"),
        Err(refusal) if valid => {
            let excused = Blindness::ALL
                .into_iter()
                .any(|blindness| blindness.explains(line, &refusal));
            assert!(excused, "valid, but {refusal}");
        }
        Err(_) => {}
    }
}

/// What no schema of one message can see. Nothing else excuses a disagreement.
#[derive(Debug, Clone, Copy)]
enum Blindness {
    /// The size of the line.
    LineLength,
    /// A line feed between tokens, which would have ended the line.
    RawLineFeed,
    /// How deep something ignored is nested.
    Nesting,
    /// A second member of the same name.
    Duplicates,
    /// `3.0`, `3e0` and `-0` are integers to a schema.
    IntegerSpelling,
    /// `maxLength` counts characters.
    Utf8Length,
}

impl Blindness {
    const ALL: [Self; 6] = [
        Self::LineLength,
        Self::RawLineFeed,
        Self::Nesting,
        Self::Duplicates,
        Self::IntegerSpelling,
        Self::Utf8Length,
    ];

    /// Whether the line really has what this is about, and was refused for it.
    fn explains(self, line: &[u8], refusal: &Refusal) -> bool {
        self.code() == refusal.code() && self.is_in(line, refusal.member())
    }

    fn code(self) -> RefusalCode {
        match self {
            Self::LineLength => RefusalCode::LineTooLong,
            Self::RawLineFeed | Self::Nesting => RefusalCode::NotJson,
            Self::Duplicates => RefusalCode::DuplicateMember,
            Self::IntegerSpelling => RefusalCode::InvalidMember,
            Self::Utf8Length => RefusalCode::InputTooLarge,
        }
    }

    fn is_in(self, line: &[u8], refused: Option<&str>) -> bool {
        let Some(Json::Members(members)) = str::from_utf8(line).ok().and_then(Json::read) else {
            return false;
        };
        let mut values = members
            .iter()
            .filter(|(name, _)| Some(name.as_str()) == refused);
        match self {
            Self::LineLength => line.len() > MAX_LINE_BYTES,
            Self::RawLineFeed => line.contains(&b'\n'),
            Self::Nesting => members
                .iter()
                .any(|(_, value)| value.depth() > MAX_NESTING as usize),
            Self::Duplicates => {
                let names: BTreeSet<_> = members.iter().map(|(name, _)| name).collect();
                names.len() < members.len()
            }
            Self::IntegerSpelling => values
                .any(|(_, value)| matches!(value, Json::Real(number) if number.fract() == 0.0)),
            Self::Utf8Length => values.any(|(_, value)| {
                matches!(value, Json::Text(data)
                    if data.len() > MAX_INPUT_BYTES && data.chars().count() <= MAX_INPUT_BYTES)
            }),
        }
    }
}
