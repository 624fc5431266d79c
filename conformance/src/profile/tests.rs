//! The schema of profiles says what the runner reads, no more and no less.

use std::collections::BTreeSet;
use std::path::Path;

use jsonschema::Validator;
use proptest::prelude::*;
use serde::de::value::Error as Refused;
use serde::de::{DeserializeOwned, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::*;

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn validator() -> Validator {
    jsonschema::validator_for(&schema()).unwrap()
}

/// What the schema has against a profile.
fn objections(text: &str) -> Vec<String> {
    let profile: Value = toml::from_str(text).unwrap();
    let validator = validator();
    let errors = validator.iter_errors(&profile);
    errors.map(|error| error.to_string()).collect()
}

/// A deserializer that only wants to know which names the type knows.
#[derive(Default)]
struct Names(BTreeSet<&'static str>);

impl<'de> Deserializer<'de> for &mut Names {
    type Error = Refused;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Refused> {
        self.0.extend(fields);
        Err(Refused::custom("there is nothing to read"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Refused> {
        self.0.extend(variants);
        Err(Refused::custom("there is nothing to read"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refused> {
        Err(Refused::custom("it has no names"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

fn names_of<T: DeserializeOwned>() -> BTreeSet<&'static str> {
    let mut names = Names::default();
    let _ = T::deserialize(&mut names);
    names.0
}

#[test]
fn the_schema_has_the_members_that_the_reader_has() {
    let schema = schema();
    let members = |place: &str| -> BTreeSet<_> {
        let object = schema.pointer(place).unwrap();
        assert_eq!(object["additionalProperties"], false, "{place}");
        let properties = object["properties"].as_object().unwrap();
        properties.keys().map(String::as_str).collect()
    };
    for (place, names) in [
        ("", names_of::<Profile>()),
        ("/$defs/start", names_of::<Start>()),
        ("/$defs/look", names_of::<Look>()),
        ("/$defs/file_text", names_of::<FileText>()),
        ("/$defs/answer", names_of::<Answer>()),
        ("/$defs/scene", names_of::<Scene>()),
        ("/$defs/signal", names_of::<Signal>()),
        ("/$defs/timing", names_of::<Timing>()),
        ("/$defs/socket_text", names_of::<SocketText>()),
        ("/$defs/helper", names_of::<Helper>()),
    ] {
        assert!(!names.is_empty(), "{place}");
        assert_eq!(members(place), names, "{place}");
    }
    let mut acts = members("/$defs/act/oneOf/1");
    acts.insert(
        schema["$defs"]["act"]["oneOf"][0]["const"]
            .as_str()
            .unwrap(),
    );
    assert_eq!(acts, names_of::<Act>());
}

#[test]
fn the_schema_has_the_defaults_that_the_reader_has() {
    let schema = schema();
    let default = |place: &str| schema.pointer(place).unwrap()["default"].clone();
    let look = Look::default();
    for (member, text) in [
        ("title", look.title),
        ("command", look.command),
        ("cwd", look.cwd),
    ] {
        let written = default(&format!("/$defs/look/properties/{member}"));
        assert_eq!(Text::parse(written.as_str().unwrap()), Ok(text));
    }
    assert_eq!(default("/$defs/answer/properties/status"), ok());
    assert_eq!(default("/$defs/signal/properties/pending"), pending());
    let written = default("/$defs/signal/properties/cooldown");
    assert_eq!(duration::parse(written.as_str().unwrap()), Ok(cooldown()));
    assert_eq!(
        default("/$defs/timing/properties/attempts"),
        DEFAULT_ATTEMPTS
    );
}

#[test]
fn the_built_in_profiles_validate() {
    for profile in [
        include_str!("default.toml"),
        include_str!("../../examples/nudge.toml"),
    ] {
        assert_eq!(objections(profile), [""; 0]);
    }
}

/// Everything that a profile can hold.
const EVERYTHING: &str = r#"
file = [{ path = "${home}/.toolrc", text = "" }]
http = [{ path = "/usage", status = 429, headers = { Retry-After = "5" }, body = "${now+5}" }]

[plugin]
args = ["--url", "${http}"]
env = { TOOL_HOME = "${home}" }

[pane]
title = "tool"
command = "tool"
cwd = "${tmp}"

[input]
arm = [
    { output = "${marker} costs $5, $${x}" },
    { write = { path = "${home}/log", text = "${iso}" } },
    { append = { path = "${home}/log", text = "\n" } },
    { answer = { path = "/usage", body = "${token}" } },
]
fire = ["idle"]

[relaunch]
arm = ["idle", { output = "bye" }]
fire = [{ run = { command = ["tool", "${generation}"], stdin = "x" } }]

[signal]
send = [{ send = { socket = "${runtime}/s", text = "${token}\n" } }]
fire = ["idle"]
pending = 1
cooldown = "2.5s"

[timing]
within = "250ms"
attempts = 3
"#;

#[test]
fn what_one_reads_the_other_allows() {
    assert_eq!(objections(EVERYTHING), [""; 0]);
    Profile::parse(EVERYTHING, Path::new("p.toml")).unwrap();
}

#[test]
fn what_one_refuses_the_other_refuses() {
    for wrong in [
        "titel = 1",
        "[plugin]\nnice = 1",
        "[pane]\ntitel = \"x\"",
        "[pane]\ntitle = 1",
        "[pane]\ntitle = \"${x}\"",
        "[plugin]\nargs = [\"${token}\"]",
        "[plugin]\nenv = { A = \"${generation}\" }",
        "[[file]]\npath = \"x\"",
        "[[file]]\npath = \"x\"\ntext = \"${token}\"",
        "[[http]]\nstatus = 200",
        "[[http]]\npath = \"/\"\nstatus = 65536",
        "[[http]]\npath = \"/\"\nbody = \"${token}\"",
        "[[http]]\npath = \"/\"\nmethod = \"GET\"",
        "[input]\narm = \"idle\"",
        "[input]\narm = [\"busy\"]",
        "[input]\narm = [{}]",
        "[input]\narm = [{ outptu = \"x\" }]",
        "[input]\narm = [{ output = \"x\", write = { path = \"x\", text = \"x\" } }]",
        "[input]\nfire = [{ run = { stdin = \"x\" } }]",
        "[input]\nfire = [{ send = { socket = \"x\" } }]",
        "[relaunch]\nfire = [\"idle\"]",
        "[relaunch]\nfire = [{ output = \"x\" }]",
        "[signal]\nfire = [\"idle\"]",
        "[signal]\nsend = []",
        "[signal]\nsend = [\"idle\"]",
        "[signal]\nsend = [{ output = \"x\" }]",
        "[signal]\nsend = [{ append = { path = \"x\", text = \"x\" } }]\npending = -1",
        "[timing]\nwithin = \"2 days\"",
        "[timing]\nwithin = \"0s\"",
        "[timing]\nwithin = 5",
        "[timing]\nattempts = 1.5",
    ] {
        assert!(
            Profile::parse(wrong, Path::new("p.toml")).is_err(),
            "{wrong}"
        );
        assert_ne!(objections(wrong), [""; 0], "{wrong}");
    }
}

proptest! {
    #[test]
    fn both_know_the_same_placeholders(
        pieces in prop::collection::vec(
            prop::sample::select(&["$", "$$", "{", "}", "${", "home", "token", "now", "iso", "+5", "-", "x", "\n", "é"][..]),
            0..12,
        ),
    ) {
        let text = pieces.concat();
        let pattern = &schema()["$defs"]["text"];
        let allowed = jsonschema::validator_for(pattern).unwrap().is_valid(&text.clone().into());
        prop_assert_eq!(Text::parse(&text).is_ok(), allowed, "{}", text);
    }
}
