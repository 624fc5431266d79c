//! Shape and version of messages: SHP, VER.

use nightcrow_protocol::RefusalCode::{InvalidMember, MissingMember, UnknownKind, VersionMismatch};
use serde_json::Value;

use super::sample::{
    Sample, each_kind, log, pane_output, quoted, relaunch, shutdown, text, text_member, watch_pane,
};
use super::{BOTH, Case, Direction, EVENTS, Level, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "SHP-001",
        title: "required members are required",
        directions: BOTH,
        proves: "PLG-306",
        stimulus: "each message without each of its required members; the vectors of PLG-306",
        accepted: "each is refused with missing_member",
        cases: missing_members,
        vectors: &["PLG-306"],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-002",
        title: "members have their types",
        directions: BOTH,
        proves: "PLG-409",
        stimulus: "each member of each message as null, boolean, number, string, array and object where that is the wrong type; \
                   the vectors of PLG-409, of PLG-410 and of each kind of message",
        accepted: "each wrong type is refused with invalid_member",
        cases: wrong_types,
        vectors: &[
            "PLG-409", "PLG-410", "PLG-501", "PLG-502", "PLG-503", "PLG-504", "PLG-506", "PLG-601",
            "PLG-602", "PLG-603", "PLG-604", "PLG-605", "PLG-606", "PLG-607",
        ],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-003",
        title: "optional members: absent is null",
        directions: BOTH,
        proves: "PLG-307",
        stimulus: "messages with each optional member absent, null, and set; the vectors of PLG-307",
        accepted: "absent and null give the same message, with null",
        cases: optional_members,
        vectors: &["PLG-307"],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-004",
        title: "an unknown command is not guessed",
        proves: "PLG-303",
        stimulus: r#"the tags "drop_everything", "Log", "LOG", " log", "" and others; a tag that is no string; the vectors of PLG-303"#,
        accepted: "refused with unknown_kind, and with invalid_member where the tag is no string",
        cases: unknown_kinds,
        vectors: &["PLG-303"],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-005",
        title: "unknown members are ignored",
        level: Level::Should,
        proves: "PLG-210",
        stimulus: "each command with an unknown member of each type, in front and behind; the vectors of PLG-210",
        accepted: "the same message as without it",
        cases: unknown_members,
        vectors: &["PLG-210"],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-006",
        title: "unknown members have no meaning",
        proves: "PLG-210",
        stimulus: "watch_pane with a generation; relaunch with command and executable; log with a token",
        accepted: "the message without them",
        cases: meaningless_members,
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-007",
        title: "log levels are a closed set",
        proves: "PLG-408",
        stimulus: "each of the four levels; warning, WARN, trace and others; the vectors of PLG-408",
        accepted: "the four are accepted, the others refused with invalid_member",
        cases: levels,
        vectors: &["PLG-408"],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-008",
        title: "the other direction's messages are refused",
        directions: BOTH,
        proves: "PLG-304",
        stimulus: "each message of the other direction; a message with both tags; the vectors of PLG-304",
        accepted: "refused with missing_member; the other tag is an unknown member",
        cases: other_direction,
        vectors: &["PLG-304"],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-009",
        title: "an unknown event is refused alone",
        level: Level::Should,
        directions: EVENTS,
        proves: "PLG-303",
        stimulus: "pane_zoomed and other events of no kind; the vectors of PLG-303",
        accepted: "each is refused with unknown_kind, and the next event is a message",
        cases: unknown_kinds,
        vectors: &["PLG-303"],
        ..Rule::USUAL
    },
    Rule {
        id: "SHP-010",
        title: "unknown members of events are ignored",
        level: Level::Should,
        directions: EVENTS,
        proves: "PLG-210",
        stimulus: "each of the seven events with an unknown member of each type; the vectors of PLG-210",
        accepted: "the same message as without it",
        cases: unknown_members,
        vectors: &["PLG-210"],
        ..Rule::USUAL
    },
    Rule {
        id: "VER-001",
        title: "only version 3 is accepted, on every line",
        directions: BOTH,
        proves: "PLG-301",
        stimulus: "v of 0, 1, 2, 4, 255 and 4,294,967,295, also with an unknown tag and wrong members; the vectors of PLG-301",
        accepted: "each is refused with version_mismatch",
        cases: other_versions,
        vectors: &["PLG-301"],
        ..Rule::USUAL
    },
    Rule {
        id: "VER-002",
        title: "a version is not coerced and does not wrap",
        directions: BOTH,
        proves: "PLG-302",
        stimulus: r#"v of "3", 3.0, 3e0, 30e-1, -3, -0, null, true, [3], 4294967299 and more; the vectors of PLG-302"#,
        accepted: "each is refused with invalid_member",
        cases: coerced_versions,
        vectors: &["PLG-302"],
        ..Rule::USUAL
    },
    Rule {
        id: "VER-003",
        title: "a version is required",
        directions: BOTH,
        proves: "PLG-301",
        stimulus: "each message without v; V and version in place of it",
        accepted: "each is refused with missing_member",
        cases: no_version,
        ..Rule::USUAL
    },
];

/// Names that may be absent or null.
const OPTIONAL: [&str; 4] = ["title", "command", "detail", "deadline_epoch"];

/// One value of each type of JSON.
const VALUES: [(&str, &str); 7] = [
    ("null", "null"),
    ("true", "true"),
    ("false", "false"),
    ("a number", "1"),
    ("a string", "\"1\""),
    ("an array", "[1]"),
    ("an object", "{\"a\":1}"),
];

fn missing_members(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for sample in each_kind(direction) {
        let required = sample.names();
        for name in required.iter().filter(|name| !OPTIONAL.contains(&&***name)) {
            let about = format!("{} without {name}", sample.names()[0]);
            cases.push(sample.clone().without(name).refused(&about, MissingMember));
        }
    }
    cases
}

fn wrong_types(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for sample in each_kind(direction) {
        let message = sample.message();
        for name in sample.names() {
            let kind = type_of(&message[&name]);
            let wrong = VALUES.iter().filter(|(_, value)| {
                let value: Value = serde_json::from_str(value).expect("a table of JSON");
                type_of(&value) != kind && !(value.is_null() && OPTIONAL.contains(&&*name))
            });
            for (words, value) in wrong {
                let about = format!("{name} is {words}");
                cases.push(
                    sample
                        .clone()
                        .with(&name, value)
                        .refused(&about, InvalidMember),
                );
            }
        }
    }
    if direction == Direction::Commands {
        for arguments in ["[1]", "[\"a\",null]", "[[\"a\"]]", "[{}]", "[true]"] {
            cases.push(relaunch(arguments).refused(
                "resume_args holds something else than strings",
                InvalidMember,
            ));
        }
    }
    cases
}

/// A type of JSON in a word.
const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn optional_members(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for sample in each_kind(direction) {
        for name in sample
            .names()
            .iter()
            .filter(|name| OPTIONAL.contains(&&***name))
        {
            let with_null = sample.clone().with(name, "null");
            let absent = sample.clone().without(name).line();
            cases.push(sample.accepted(&format!("{name} is set")));
            cases.push(with_null.accepted(&format!("{name} is null")));
            cases.push(Case::accepted(
                &format!("{name} is absent"),
                absent,
                with_null.message(),
            ));
        }
    }
    cases
}

fn unknown_kinds(direction: Direction) -> Vec<Case> {
    let (sample, kinds): (Sample, &[&str]) = match direction {
        Direction::Commands => (
            log("x"),
            &[
                "drop_everything",
                "Log",
                "LOG",
                " log",
                "log ",
                "",
                "lo",
                "logs",
                "log\\u0000",
                "l\u{43e}g",
                "pane_output",
                "cmd",
            ],
        ),
        Direction::Events => (
            shutdown(),
            &[
                "pane_zoomed",
                "Shutdown",
                "SHUTDOWN",
                " shutdown",
                "shutdown ",
                "",
                "log",
                "event",
            ],
        ),
    };
    let (tag, tag_text) = (direction.tag(), |kind: &&str| quoted(kind));
    let mut cases: Vec<_> = kinds
        .iter()
        .map(|kind| {
            sample.clone().with(tag, &tag_text(kind)).refused(
                &format!("{tag} is \"{}\"", kind.escape_default()),
                UnknownKind,
            )
        })
        .collect();
    if direction == Direction::Events {
        let zoomed = pane_output("x")
            .with(tag, "\"pane_zoomed\"")
            .with("factor", "2");
        cases.push(zoomed.refused("a whole event of no kind", UnknownKind));
    }
    for value in ["0", "null", "true", "[]", "{}", "[\"log\"]"] {
        cases.push(
            sample
                .clone()
                .with(tag, value)
                .refused(&format!("{tag} is {value}"), InvalidMember),
        );
    }
    cases
}

fn unknown_members(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for sample in each_kind(direction) {
        for (words, value) in VALUES {
            let behind = sample.clone().with("zz", value);
            cases.push(Case::accepted(
                &format!("an unknown member is {words}"),
                behind.line(),
                sample.message(),
            ));
        }
        let before = format!("{{\"\":[],{}", &sample.line()[1..]);
        cases.push(Case::accepted(
            "an unknown member in front",
            before,
            sample.message(),
        ));
    }
    cases
}

fn meaningless_members(_: Direction) -> Vec<Case> {
    let with = |about: &str, sample: Sample, extra: Sample| {
        Case::accepted(about, extra.line(), sample.message())
    };
    let (watch, again) = (watch_pane(), relaunch("[\"resume\"]"));
    vec![
        with(
            "watch_pane with a generation",
            watch.clone(),
            watch.clone().with("generation", "7"),
        ),
        with(
            "watch_pane with a generation that is none",
            watch.clone(),
            watch.with("generation", "\"x\""),
        ),
        with(
            "relaunch with a command",
            again.clone(),
            again.clone().with("command", "\"rm\""),
        ),
        with(
            "relaunch with an executable",
            again.clone(),
            again
                .clone()
                .with("executable", "\"/bin/rm\"")
                .with("args", "[\"-r\"]"),
        ),
        with(
            "relaunch with data",
            again.clone(),
            again.with("data", "\"x\""),
        ),
        with(
            "log with a token",
            log("x"),
            log("x").with("token", "\"t\"").with("generation", "0"),
        ),
    ]
}

fn levels(_: Direction) -> Vec<Case> {
    let of = |level: &str| log("x").with("level", &quoted(level));
    let mut cases: Vec<_> = ["error", "warn", "info", "debug"]
        .map(|level| of(level).accepted(level))
        .into();
    let others = [
        "warning",
        "WARN",
        "Info",
        "trace",
        "",
        " info",
        "info ",
        "fatal",
        "err",
        "information",
        "0",
        "info\\u0000",
    ];
    cases.extend(
        others.map(|level| of(level).refused(&format!("level is \"{level}\""), InvalidMember)),
    );
    cases
}

fn other_direction(direction: Direction) -> Vec<Case> {
    let other = match direction {
        Direction::Commands => Direction::Events,
        Direction::Events => Direction::Commands,
    };
    let mut cases: Vec<_> = each_kind(other)
        .into_iter()
        .map(|sample| sample.refused("a message of the other direction", MissingMember))
        .collect();
    let both = text(direction, "x").with(other.tag(), "\"shutdown\"");
    cases.push(Case::accepted(
        "a message with both tags",
        both.line(),
        text(direction, "x").message(),
    ));
    cases
}

fn other_versions(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    let sample = text(direction, "x");
    for version in [
        "0",
        "1",
        "2",
        "4",
        "30",
        "33",
        "255",
        "256",
        "259",
        "65539",
        "4294967295",
    ] {
        cases.push(
            sample
                .clone()
                .with("v", version)
                .refused(&format!("v is {version}"), VersionMismatch),
        );
    }
    let unknown = sample
        .clone()
        .with(direction.tag(), "\"teleport\"")
        .with("v", "4");
    cases.push(unknown.refused("v is 4 and the tag unknown", VersionMismatch));
    let wrong = sample.with(text_member(direction), "5").with("v", "2");
    cases.push(wrong.refused("v is 2 and a member wrong", VersionMismatch));
    cases
}

fn coerced_versions(direction: Direction) -> Vec<Case> {
    [
        "\"3\"",
        "3.0",
        "3e0",
        "3E0",
        "3e+0",
        "0.3e1",
        "30e-1",
        "3.00000000000000000000001",
        "-3",
        "-0",
        "-0.0",
        "null",
        "true",
        "false",
        "[3]",
        "{\"v\":3}",
        "\"\"",
        "\"v3\"",
        "4294967299",
        "4294967296",
        "18446744073709551619",
        "-4294967293",
        "340282366920938463463374607431768211459",
    ]
    .map(|version| {
        let about = format!("v is {version}");
        text(direction, "x")
            .with("v", version)
            .refused(&about, InvalidMember)
    })
    .into()
}

fn no_version(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for sample in each_kind(direction) {
        cases.push(sample.clone().without("v").refused("no v", MissingMember));
        cases.push(
            sample
                .without("v")
                .with("V", "3")
                .refused("V in place of v", MissingMember),
        );
    }
    let version = text(direction, "x").without("v").with("version", "3");
    cases.push(version.refused("version in place of v", MissingMember));
    cases
}
