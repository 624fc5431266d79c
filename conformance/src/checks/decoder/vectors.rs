//! The vectors of the specification as cases.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nightcrow_protocol::RefusalCode;
use serde_json::{Map, Value};

use super::{Case, Direction, Expected};

const COMMANDS: &str = include_str!("../../../../spec/vectors/plugin-v3/commands.jsonl");
const EVENTS: &str = include_str!("../../../../spec/vectors/plugin-v3/events.jsonl");

/// A vector and the requirement that it belongs to.
type Vector = (String, Case);

static OF_COMMANDS: LazyLock<Vec<Vector>> = LazyLock::new(|| read(COMMANDS));
static OF_EVENTS: LazyLock<Vec<Vector>> = LazyLock::new(|| read(EVENTS));

/// The vectors of these requirements, but for those that end without LF: these need a process each.
pub(super) fn of(direction: Direction, requirements: &[&str]) -> Vec<Case> {
    let vectors = match direction {
        Direction::Commands => &OF_COMMANDS,
        Direction::Events => &OF_EVENTS,
    };
    let wanted = vectors.iter().filter(|(requirement, case)| {
        requirements.contains(&&**requirement) && case.is_terminated()
    });
    wanted.map(|(_, case)| case.clone()).collect()
}

fn read(file: &str) -> Vec<Vector> {
    file.lines()
        .map(|line| vector(line).expect("the vectors are tested to have their format"))
        .collect()
}

fn vector(line: &str) -> Option<Vector> {
    let vector: Value = serde_json::from_str(line).ok()?;
    let requirement = vector["requirement"].as_str()?.to_owned();
    let boundary = vector["boundary"].as_str()?;
    let about = match vector["member"].as_str() {
        Some(member) => format!("{member}: {boundary}"),
        None => boundary.to_owned(),
    };
    let case = if vector["line"].is_null() {
        let verdicts = vector["expect"].as_array()?.iter().map(expected);
        Case::stream(
            &about,
            bytes(&vector["stream"])?,
            verdicts.collect::<Option<_>>()?,
        )
    } else {
        let line = [bytes(&vector["line"])?, b"\n".to_vec()].concat();
        Case::stream(&about, line, vec![expected(&vector["expect"])?])
    };
    Some((requirement, case))
}

fn bytes(parts: &Value) -> Option<Vec<u8>> {
    match parts {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .map(bytes)
                .collect::<Option<Vec<_>>>()?
                .concat(),
        ),
        Value::Object(part) => match part.get("base64") {
            Some(base64) => STANDARD.decode(base64.as_str()?).ok(),
            None => repeated(part).map(String::into_bytes),
        },
        _ => None,
    }
}

fn repeated(part: &Map<String, Value>) -> Option<String> {
    let times = usize::try_from(part.get("times")?.as_u64()?).ok()?;
    Some(part.get("repeat")?.as_str()?.repeat(times))
}

fn expected(verdict: &Value) -> Option<Expected> {
    let (what, value) = verdict.as_object()?.iter().next()?;
    match what.as_str() {
        "ok" => Some(Expected::Message(written_out(value))),
        "refuse" => Some(Expected::Refused(code(value.as_str()?)?)),
        "blank" => Some(Expected::Blank),
        "any" => Some(Expected::Open),
        _ => None,
    }
}

/// The code of the contract with this name.
pub(super) fn code(name: &str) -> Option<RefusalCode> {
    let mut codes = RefusalCode::ALL.iter().copied();
    codes.find(|code| code.as_str() == name)
}

/// A value with its repeated texts written out.
fn written_out(value: &Value) -> Value {
    match value {
        Value::Object(part) => match repeated(part) {
            Some(text) => Value::String(text),
            None => part
                .iter()
                .map(|(name, value)| (name.clone(), written_out(value)))
                .collect(),
        },
        Value::Array(values) => values.iter().map(written_out).collect(),
        value => value.clone(),
    }
}
