//! The validator of `decode_vs_schema`.
//!
//! A crate of its own only because `jsonschema` is generic: whoever uses it compiles it, for a minute
//! under a sanitizer, at every change. This crate has no reason to change.

#![forbid(unsafe_code)]

use jsonschema::{Draft, Validator};
use serde_json::Value;

/// A JSON Schema 2020-12.
#[derive(Debug)]
pub struct Schema(Validator);

impl Schema {
    /// Reads a schema.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    pub fn new(schema: &Value) -> Self {
        let options = jsonschema::options().with_draft(Draft::Draft202012);
        Self(options.build(schema).expect("a schema"))
    }

    /// Whether `instance` is valid.
    #[must_use]
    pub fn accepts(&self, instance: &Value) -> bool {
        self.0.is_valid(instance)
    }
}
