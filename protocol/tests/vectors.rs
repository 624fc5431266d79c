//! The vectors of `spec/vectors/plugin-v3`: run against this crate, and complete.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nightcrow_protocol::{Line, LineFramer, RefusalCode};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    Commands,
    Events,
}

use Direction::{Commands, Events};

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Commands => "commands",
            Events => "events",
        }
    }

    fn tag(self) -> &'static str {
        match self {
            Commands => "cmd",
            Events => "event",
        }
    }

    /// The verdict on a line, as section 18 of the specification writes it.
    fn verdict(self, line: &Line<'_>) -> Value {
        let decoded = match self {
            Commands => line
                .decode_command()
                .map(|message| message.map(|it| json!(it))),
            Events => line
                .decode_event()
                .map(|message| message.map(|it| json!(it))),
        };
        match decoded {
            Ok(Some(message)) => json!({ "ok": message }),
            Ok(None) => json!({ "blank": true }),
            Err(refusal) => json!({ "refuse": refusal.code().as_str() }),
        }
    }
}

#[derive(Debug)]
struct Vector {
    direction: Direction,
    requirement: String,
    member: Option<String>,
    boundary: String,
    bytes: Vec<u8>,
    expect: Vec<Value>,
}

impl Vector {
    fn parse(direction: Direction, line: &str) -> Self {
        let vector: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let text = |name: &str| vector[name].as_str().map(str::to_owned);
        let (bytes, expect) = match (vector.get("line"), vector.get("stream")) {
            (Some(line), None) => (
                [bytes(line), b"\n".to_vec()].concat(),
                vec![vector["expect"].clone()],
            ),
            (None, Some(stream)) => (bytes(stream), vector["expect"].as_array().unwrap().clone()),
            _ => panic!("a vector has a `line` or a `stream`: {line}"),
        };
        Self {
            direction,
            requirement: text("requirement").unwrap(),
            member: text("member"),
            boundary: text("boundary").unwrap(),
            bytes,
            expect: expect.iter().map(expand).collect(),
        }
    }

    /// The code that the vector is about; none if nothing in it is refused.
    fn code(&self) -> Option<String> {
        self.expect
            .iter()
            .find_map(|verdict| verdict["refuse"].as_str().map(str::to_owned))
    }

    fn accepts(&self) -> bool {
        self.code().is_none() && !self.expect.contains(&json!({ "any": true }))
    }
}

/// The bytes that text, or an array of parts, stands for.
fn bytes(parts: &Value) -> Vec<u8> {
    match parts {
        Value::Array(parts) => parts.iter().flat_map(bytes).collect(),
        Value::String(text) => text.clone().into_bytes(),
        part => match (part["repeat"].as_str(), part["base64"].as_str()) {
            (Some(text), None) => text.repeat(times(part)).into_bytes(),
            (None, Some(base64)) => STANDARD.decode(base64).unwrap(),
            _ => panic!("not a part: {part}"),
        },
    }
}

fn times(part: &Value) -> usize {
    usize::try_from(part["times"].as_u64().unwrap()).unwrap()
}

/// A verdict with its repeated texts written out.
fn expand(verdict: &Value) -> Value {
    match verdict {
        Value::Object(part) if part.contains_key("repeat") => {
            json!(part["repeat"].as_str().unwrap().repeat(times(verdict)))
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), expand(value)))
            .collect(),
        Value::Array(values) => values.iter().map(expand).collect(),
        value => value.clone(),
    }
}

fn spec(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../spec")
        .join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn vectors() -> Vec<Vector> {
    let read = |direction: Direction| {
        let lines = spec(&format!("vectors/plugin-v3/{}.jsonl", direction.name()));
        lines
            .lines()
            .map(|line| Vector::parse(direction, line))
            .collect::<Vec<_>>()
    };
    [read(Commands), read(Events)]
        .into_iter()
        .flatten()
        .collect()
}

fn verdicts(vector: &Vector) -> Vec<Value> {
    let mut framer = LineFramer::new();
    let mut input = &vector.bytes[..];
    let mut verdicts = Vec::new();
    while let Some(line) = framer.next_line(&mut input) {
        verdicts.push(vector.direction.verdict(&line));
    }
    verdicts.extend(framer.finish().map(|line| vector.direction.verdict(&line)));
    verdicts
}

fn agrees(got: &Value, expected: &Value) -> bool {
    let either = got.get("ok").or(got.get("refuse")).is_some();
    got == expected || (*expected == json!({ "any": true }) && either)
}

#[test]
fn this_crate_gives_every_verdict() {
    let wrong: Vec<_> = vectors()
        .iter()
        .filter_map(|vector| {
            let got = verdicts(vector);
            let same = got.len() == vector.expect.len()
                && got
                    .iter()
                    .zip(&vector.expect)
                    .all(|(got, expected)| agrees(got, expected));
            (!same).then(|| {
                let Vector {
                    requirement,
                    member,
                    boundary,
                    expect,
                    ..
                } = vector;
                format!("{requirement} {member:?} {boundary}\n  got {got:?}\n  not {expect:?}")
            })
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn no_two_vectors_show_the_same() {
    let (mut seen, mut sent) = (BTreeSet::new(), BTreeSet::new());
    for vector in vectors() {
        let code = vector.code();
        let key = (
            vector.direction,
            vector.requirement,
            code,
            vector.member,
            vector.boundary,
        );
        assert!(
            sent.insert((vector.direction, vector.bytes)),
            "the same bytes: {key:?}"
        );
        assert!(seen.insert(key.clone()), "twice: {key:?}");
    }
}

/// A vector that fills a cell of the table below is refused for the member it is labelled with.
#[test]
fn refusals_are_about_the_member_of_the_label() {
    let possible = possible_refusals();
    for vector in vectors().iter().filter(|vector| vector.expect.len() == 1) {
        let mut framer = LineFramer::new();
        let mut input = &vector.bytes[..];
        let refusal = framer
            .next_line(&mut input)
            .and_then(|line| match vector.direction {
                Commands => line.decode_command().err(),
                Events => line.decode_event().err(),
            });
        let (Some(label), Some(refusal)) = (&vector.member, refusal) else {
            continue;
        };
        let cell = (vector.direction, refusal.code().to_string(), label.clone());
        if possible.contains(&cell) {
            let member = label.rsplit('.').next();
            assert_eq!(
                refusal.member(),
                member,
                "{} {}",
                vector.requirement,
                vector.boundary
            );
        }
    }
}

/// The requirements that the specification says vectors prove.
fn proved_by_vectors() -> Vec<String> {
    let text = spec("plugin-v3.md");
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("### PLG-") {
            let number = heading.split_whitespace().next().unwrap();
            if lines.next().unwrap().ends_with("proved by `vectors`") {
                found.push(format!("PLG-{number}"));
            }
        }
    }
    found
}

#[test]
fn every_requirement_is_accepted_once_and_refused_once() {
    let vectors = vectors();
    let mut table = BTreeMap::new();
    for requirement in proved_by_vectors() {
        let of = vectors
            .iter()
            .filter(|vector| vector.requirement == requirement);
        let (accepted, refused): (Vec<_>, Vec<_>) = of.partition(|vector| vector.accepts());
        table.insert(requirement, (accepted.len(), refused.len()));
    }
    println!("{:<12}{:>8}{:>8}", "requirement", "accept", "refuse");
    for (requirement, (accepted, refused)) in &table {
        println!("{requirement:<12}{accepted:>8}{refused:>8}");
    }
    let holes: Vec<_> = table
        .iter()
        .filter(|(_, (a, r))| *a == 0 || *r == 0)
        .collect();
    assert!(table.len() > 40, "the specification was read");
    assert!(holes.is_empty(), "requirements without both: {holes:?}");
    let unknown: Vec<_> = vectors
        .iter()
        .filter(|it| !table.contains_key(&it.requirement))
        .collect();
    assert!(
        unknown.is_empty(),
        "vectors for what no vector proves: {unknown:?}"
    );
}

/// Every message kind with its members; those in brackets may be absent or null.
const MESSAGES: [(Direction, &str, &str); 13] = [
    (Commands, "send_input", "token generation data"),
    (Commands, "relaunch", "token generation resume_args"),
    (
        Commands,
        "status",
        "token generation state [detail] [deadline_epoch] attempt",
    ),
    (Commands, "watch_pane", "token"),
    (Commands, "attention", "token generation"),
    (Commands, "log", "level message"),
    (
        Events,
        "pane_opened",
        "token generation [title] [command] cwd",
    ),
    (Events, "pane_output", "token generation text"),
    (Events, "pane_idle", "token generation idle_ms"),
    (Events, "pane_exited", "token generation"),
    (Events, "pane_closed", "token generation"),
    (Events, "user_input", "token generation"),
    (Events, "shutdown", ""),
];

/// Every (direction, code, member) that can be: section 9 of the specification, taken literally.
fn possible_refusals() -> BTreeSet<(Direction, String, String)> {
    let mut possible = BTreeSet::new();
    let mut add = |direction, code: &str, member: String| {
        possible.insert((direction, code.to_owned(), member));
    };
    for direction in [Commands, Events] {
        for code in [
            "line_too_long",
            "not_utf8",
            "not_json",
            "not_an_object",
            "truncated",
        ] {
            add(direction, code, String::new());
        }
        add(direction, "duplicate_member", String::new());
        add(direction, "version_mismatch", "v".to_owned());
        add(direction, "unknown_kind", direction.tag().to_owned());
        for member in ["v", direction.tag()] {
            for code in ["missing_member", "invalid_member", "duplicate_member"] {
                add(direction, code, member.to_owned());
            }
        }
    }
    for (direction, kind, members) in MESSAGES {
        for member in members.split_whitespace() {
            let name = member.trim_matches(['[', ']']);
            let full = format!("{kind}.{name}");
            add(direction, "invalid_member", full.clone());
            add(direction, "duplicate_member", full.clone());
            if name == member {
                add(direction, "missing_member", full);
            }
        }
    }
    add(Commands, "input_too_large", "data".to_owned());
    possible
}

#[test]
fn every_refusal_is_shown_for_every_member_that_can_raise_it() {
    let mut shown = BTreeMap::new();
    for vector in vectors() {
        if let Some(code) = vector.code() {
            let member = vector.member.unwrap_or_default();
            *shown.entry((vector.direction, code, member)).or_insert(0) += 1;
        }
    }
    let possible = possible_refusals();
    for (direction, code, member) in &possible {
        let key = (*direction, code.clone(), member.clone());
        let count = shown.get(&key).copied().unwrap_or(0);
        println!("{:<10}{code:<18}{member:<28}{count:>4}", direction.name());
    }
    let holes: Vec<_> = possible
        .iter()
        .filter(|refusal| !shown.contains_key(refusal))
        .collect();
    assert!(holes.is_empty(), "not shown: {holes:#?}");
    let codes: BTreeSet<_> = possible.iter().map(|(_, code, _)| code.as_str()).collect();
    assert_eq!(codes.len(), RefusalCode::ALL.len());
}
