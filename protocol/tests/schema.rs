//! The published schemas: generated from the types, frozen in meaning, and in agreement with the decoder.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use nightcrow_protocol::schema;
use serde_json::Value;
use similar::TextDiff;

const REWRITE: &str = "cargo run -p nightcrow-protocol --features schema --example write-schema";

fn published(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/schema/plugin-v3");
    folder.join(format!("{name}.schema.json"))
}

fn frozen(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/plugin-v3");
    folder.join(format!("{name}.schema.json"))
}

fn schemas() -> [(&'static str, Value); 2] {
    [
        ("command", schema::command().to_value()),
        ("event", schema::event().to_value()),
    ]
}

/// As the schemas are published: `Schema` writes its keywords in a readable order.
fn pretty(schema: Value) -> String {
    let schema = schemars::Schema::try_from(schema).unwrap();
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

fn assert_same(path: &Path, actual: &str, advice: &str) {
    let expected = fs::read_to_string(path).unwrap_or_default();
    let diff = TextDiff::from_lines(&expected, actual);
    let diff = diff
        .unified_diff()
        .header("published", "from the types")
        .to_string();
    assert!(
        diff.is_empty(),
        "{} differs:\n{diff}\n{advice}",
        path.display()
    );
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    for (name, schema) in schemas() {
        let advice = format!("If the types are right, rewrite the schemas with: {REWRITE}");
        assert_same(&published(name), &pretty(schema), &advice);
    }
}

/// Version 3 is published: its words may improve, what it accepts may not change.
#[test]
fn the_meaning_of_version_3_is_frozen() {
    for (name, mut schema) in schemas() {
        drop_annotations(&mut schema);
        let advice = "Version 3 of the contract is frozen. A change of meaning needs a version 4 \
                      (spec/plugin-v3.md, section 15), not an edit of the frozen file.";
        assert_same(&frozen(name), &pretty(schema), advice);
    }
}

fn drop_annotations(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| {
                !(matches!(name.as_str(), "title" | "description") && value.is_string())
            });
            members.values_mut().for_each(drop_annotations);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_annotations),
        _ => {}
    }
}

#[test]
fn every_integer_has_explicit_bounds_and_no_format() {
    fn check(schema: &Value) {
        if schema["type"] == "integer" || schema["type"][0] == "integer" {
            let bounded = schema["minimum"].is_i64() && schema["maximum"].is_i64();
            assert!(bounded || schema["const"].is_i64(), "{schema}");
        }
        assert!(
            schema.get("format").is_none(),
            "a format binds no validator: {schema}"
        );
        match schema {
            Value::Object(members) => members.values().for_each(check),
            Value::Array(items) => items.iter().for_each(check),
            _ => {}
        }
    }
    for (_, schema) in schemas() {
        check(&schema);
    }
}

#[test]
fn every_message_is_told_by_a_constant_tag_and_carries_the_version() {
    for ((_, schema), (tag, kinds)) in schemas().into_iter().zip([("cmd", 6), ("event", 7)]) {
        let alternatives = schema["oneOf"].as_array().unwrap();
        assert_eq!(alternatives.len(), kinds);
        for alternative in alternatives {
            assert!(
                alternative["properties"][tag]["const"].is_string(),
                "{alternative}"
            );
            let name = alternative["$ref"]
                .as_str()
                .unwrap()
                .strip_prefix("#/$defs/")
                .unwrap();
            let message = &schema["$defs"][name];
            assert_eq!(message["properties"]["v"]["const"], 3, "{message}");
            assert!(
                message["required"]
                    .as_array()
                    .unwrap()
                    .contains(&"v".into()),
                "{message}"
            );
            assert!(
                message.get("additionalProperties").is_none(),
                "PLG-210: {message}"
            );
        }
    }
}

#[test]
fn the_byte_limit_of_input_is_annotated() {
    let [(_, command), _] = schemas();
    let data = &command["$defs"]["SendInput"]["properties"]["data"];
    assert_eq!(
        (&data["maxLength"], &data["x-maxUtf8Bytes"]),
        (&8_192.into(), &8_192.into())
    );
}
