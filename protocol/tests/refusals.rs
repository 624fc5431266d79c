//! What a refusal says: code, place, member, and a sentence that quotes nothing.

#![allow(clippy::unwrap_used, missing_docs)]

use nightcrow_protocol::{Refusal, RefusalCode, decode_command, decode_event};

fn refusal(line: impl AsRef<[u8]>) -> Refusal {
    decode_command(line.as_ref()).unwrap_err()
}

/// Asserts the whole sentence and the byte that `at` points to: the first occurrence of a text.
fn says(line: &str, at: &str, sentence: &str) {
    let refusal = refusal(line);
    let offset = line.find(at).unwrap();
    assert_eq!(refusal.offset(), offset, "{line}");
    assert_eq!(
        refusal.to_string(),
        format!("{} at byte {offset}: {sentence}", refusal.code())
    );
}

#[test]
fn each_code_points_at_its_byte() {
    says(
        r#"{"cmd":"log","v":3,"level":"info","message":'x'}"#,
        "'x'",
        "expected a value",
    );
    says(r#" ["log",3]"#, "[", "a message is a JSON object");
    says(
        r#"{"v":3,"\u0076":3}"#,
        r#""\u0076""#,
        "`v` stands twice in the object",
    );
    says(
        r#"{"secret":3,"v":3,"s\u0065cret":3}"#,
        r#""s\u"#,
        "a member that this version does not know stands twice in the object",
    );
    says(
        r#"{"cmd":"nonsense","v": 4}"#,
        "4}",
        "this side speaks version 3, the line says 4",
    );
    says(
        r#"{"cmd":"log","v":"3"}"#,
        r#""3""#,
        "`v` must be the integer 3",
    );
    says(r#"{"cmd":"log"}"#, "}", "`v` is missing");
    says(
        r#"{"cmd":"Log","v":3}"#,
        r#""Log""#,
        "`cmd` names no message that may come this way",
    );
    says(r#"{"cmd":7,"v":3}"#, "7", "`cmd` must be a string");
    says(
        r#"{"cmd":"log","v":3,"level":"info"} "#,
        "}",
        "`message` is missing",
    );
    says(
        r#"{"cmd":"log","v":3,"level":"loud","message":""}"#,
        r#""loud""#,
        "`level` must be one of error, warn, info and debug",
    );
    let long = "x".repeat(8_193);
    says(
        &format!(r#"{{"cmd":"send_input","v":3,"token":"t","generation":1,"data":"{long}"}}"#),
        r#""xxx"#,
        "`data` holds 8193 bytes; at most 8192 are allowed",
    );
}

#[test]
fn lines_that_are_no_text_point_at_their_byte() {
    let not_utf8 = refusal(b"{\"cmd\":\"\xff\"}");
    assert_eq!(
        (not_utf8.code(), not_utf8.offset()),
        (RefusalCode::NotUtf8, 8)
    );
    let too_long = refusal("x".repeat(65_537));
    assert_eq!(
        (too_long.code(), too_long.offset()),
        (RefusalCode::LineTooLong, 65_536)
    );
    assert_eq!(refusal("x".repeat(65_536)).code(), RefusalCode::NotJson);
}

#[test]
fn names_the_member() {
    let member = |line: &str| refusal(line).member();
    assert_eq!(member(r#"{"cmd":"log","v":2}"#), Some("v"));
    assert_eq!(member(r#"{"cmd":"x","v":3}"#), Some("cmd"));
    assert_eq!(member(r#"{"cmd":"log","v":3}"#), Some("level"));
    assert_eq!(
        member(r#"{"cmd":"attention","v":3,"token":""}"#),
        Some("token")
    );
    assert_eq!(member(r#"{"v":3,"v":3}"#), Some("v"));
    assert_eq!(member(r#"{"zz":3,"zz":3}"#), None);
    assert_eq!(member("[]"), None);
    assert_eq!(member("x"), None);
    let long = "x".repeat(8_193);
    let line =
        format!(r#"{{"cmd":"send_input","v":3,"token":"t","generation":1,"data":"{long}"}}"#);
    assert_eq!(member(&line), Some("data"));
}

#[test]
fn every_known_member_is_named_when_it_stands_twice() {
    let commands = [
        "cmd",
        "v",
        "token",
        "generation",
        "data",
        "resume_args",
        "state",
        "detail",
    ];
    let others = ["deadline_epoch", "attempt", "level", "message"];
    let events = ["event", "title", "command", "cwd", "text", "idle_ms"];
    for name in commands.into_iter().chain(others).chain(events) {
        let line = format!(r#"{{"{name}":1,"{name}":2}}"#);
        assert_eq!(refusal(&line).member(), Some(name));
    }
}

#[test]
fn finds_a_duplicate_among_few_and_among_many_members() {
    for count in [2, 9, 10, 11, 12, 500] {
        let names: Vec<_> = (0..count).map(|n| format!("\"n{n}\":0")).collect();
        let unique = format!("{{{}}}", names.join(","));
        assert_eq!(
            refusal(&unique).code(),
            RefusalCode::MissingMember,
            "{count}"
        );
        for (first, second) in [(0, count - 1), (0, 1), (count - 2, count - 1)] {
            let mut names = names.clone();
            names[second] = names[first].clone();
            let refusal = refusal(format!("{{{}}}", names.join(",")));
            assert_eq!(
                refusal.code(),
                RefusalCode::DuplicateMember,
                "{first} = {second} of {count}"
            );
        }
    }
}

#[test]
fn quotes_no_value() {
    let hidden = "swordfish";
    for line in [
        hidden.to_owned(),
        format!(r#""{hidden}""#),
        format!(r#"{{"cmd":"{hidden}","v":3}}"#),
        format!(r#"{{"cmd":"log","v":"{hidden}"}}"#),
        format!(r#"{{"cmd":"log","v":3,"level":"{hidden}"}}"#),
        format!(r#"{{"{hidden}":1,"{hidden}":2}}"#),
        format!(r#"{{"cmd":"attention","v":3,"token":"{hidden}!","generation":1}}"#),
    ] {
        let refusal = refusal(&line);
        assert!(!refusal.to_string().contains(hidden), "{refusal}");
        assert!(!format!("{refusal:?}").contains(hidden), "{refusal:?}");
    }
}

#[test]
fn events_and_commands_do_not_pass_for_each_other() {
    let event = decode_command(br#"{"event":"shutdown","v":3}"#).unwrap_err();
    assert_eq!(
        (event.code(), event.member()),
        (RefusalCode::MissingMember, Some("cmd"))
    );
    let command = decode_event(br#"{"cmd":"attention","v":3}"#).unwrap_err();
    assert_eq!(
        (command.code(), command.member()),
        (RefusalCode::MissingMember, Some("event"))
    );
}

#[test]
fn codes_spell_themselves() {
    let spelled: Vec<_> = RefusalCode::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(
        spelled,
        [
            "line_too_long",
            "not_utf8",
            "not_json",
            "not_an_object",
            "duplicate_member",
            "version_mismatch",
            "unknown_kind",
            "missing_member",
            "invalid_member",
            "input_too_large",
            "truncated",
        ]
    );
}
