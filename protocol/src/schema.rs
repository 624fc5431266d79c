//! JSON Schema 2020-12 of the messages: what a receiver accepts, as far as a schema can say it.
//!
//! A schema sees neither duplicate members nor how a number was spelled nor bytes, so the decoder is
//! stricter: `x-maxUtf8Bytes` marks the byte limit that `maxLength`, which counts characters, can
//! only approach. The files in `spec/schema/` are written by `cargo run -p nightcrow-protocol
//! --features schema --example write-schema`.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::limits::{MAX_INPUT_BYTES, MAX_SAFE_INTEGER, MAX_TOKEN_BYTES, PROTOCOL_VERSION};
use crate::{Command, Event, Millis, PaneGeneration, PaneInput, PaneToken, UnixSeconds, Version};

/// Schema of the lines that a plugin sends.
#[must_use]
pub fn command() -> Schema {
    root::<Command<'static>>("Plugin contract v3: command (plugin to host)")
}

/// Schema of the lines that a host sends.
#[must_use]
pub fn event() -> Schema {
    root::<Event<'static>>("Plugin contract v3: event (host to plugin)")
}

fn root<T: JsonSchema>(title: &str) -> Schema {
    let settings = SchemaSettings::draft2020_12()
        .for_deserialize()
        .with_transform(schemars::transform::RecursiveTransform(
            state_integer_bounds,
        ));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema
}

/// `format: uint32` binds no validator, so the maximum is written out.
fn state_integer_bounds(schema: &mut Schema) {
    if schema
        .get("format")
        .is_some_and(|format| format == "uint32")
    {
        schema.remove("format");
        schema.insert("maximum".to_owned(), u32::MAX.into());
    }
}

/// Gives a type a schema that stands in place, without a definition of its own.
macro_rules! inline_schema {
    ($type:ty, $name:literal, $schema:tt) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

inline_schema!(Version, "Version", { "type": "integer", "const": PROTOCOL_VERSION });

inline_schema!(PaneToken, "PaneToken", {
    "type": "string",
    "pattern": "^[A-Za-z0-9_-]+$",
    "minLength": 1,
    "maxLength": MAX_TOKEN_BYTES,
});

inline_schema!(PaneGeneration, "PaneGeneration", {
    "type": "integer",
    "minimum": 1,
    "maximum": u32::MAX,
});

inline_schema!(UnixSeconds, "UnixSeconds", {
    "type": "integer",
    "minimum": -MAX_SAFE_INTEGER,
    "maximum": MAX_SAFE_INTEGER,
});

inline_schema!(Millis, "Millis", {
    "type": "integer",
    "minimum": 0,
    "maximum": MAX_SAFE_INTEGER,
});

inline_schema!(PaneInput<'_>, "PaneInput", {
    "type": "string",
    "maxLength": MAX_INPUT_BYTES,
    "x-maxUtf8Bytes": MAX_INPUT_BYTES,
});
