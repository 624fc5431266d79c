//! `conformance decode` as a user meets it.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::OsString;

use common::{Run, conformance, decode, file, require_interpreters};
use nightcrow_conformance::checks::{self, Role};

fn subject(name: &str) -> OsString {
    file("subjects/decoder").join(name).into()
}

/// Runs with these options against one of the faulty decoders.
fn put_to(name: &str, options: &[&str]) -> Run {
    require_interpreters();
    let mut arguments: Vec<OsString> = options.iter().map(Into::into).collect();
    arguments.extend(["--".into(), subject(name)]);
    decode(&arguments)
}

#[test]
fn the_python_example_gives_every_verdict_and_every_code() {
    require_interpreters();
    let example = file("examples/python/decoder.py").into_os_string();
    let arguments = ["--codes=contract", "--check-timeout=10m", "--", "python3"];
    let mut arguments: Vec<OsString> = arguments.map(Into::into).into();
    arguments.push(example);
    let run = decode(&arguments);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let all = checks::of(Role::CommandDecoder).len() + checks::of(Role::EventDecoder).len();
    assert_eq!(run.with_outcome("PASS").len(), all, "{}", run.stdout);
    assert!(
        run.stdout.starts_with("Decoder contract v3 on python3 "),
        "{}",
        run.stdout
    );
}

#[test]
fn one_direction_may_be_tested_alone() {
    let run = put_to(
        "spells_its_verdicts_oddly.py",
        &["--only=FRM-006", "--direction=events"],
    );
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let checks = run.report["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 1);
    assert_eq!(checks[0]["role"], "event-decoder");
    assert!(
        checks[0]["transcript"]
            .as_str()
            .unwrap()
            .ends_with("FRM-006.events.ndjson")
    );
}

#[test]
fn a_failure_shows_the_line_and_the_verdict_on_it() {
    let run = put_to(
        "lets_controls_stand_raw.py",
        &["--only=FRM-015", "--direction=commands"],
    );
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    let check = &run.report["checks"][0];
    let failure = &check["failure"];
    assert_eq!(failure["reason"], "accepted_bad_line");
    let sent = &failure["sent"][0];
    let text = sent["text"].as_str().unwrap();
    assert!(text.contains(r#""message":"a\x00b""#), "{text}");
    let caret = usize::try_from(sent["caret"].as_u64().unwrap()).unwrap();
    assert!(text[caret..].starts_with(r"\x00"), "{text}");
    assert!(sent["offset"].as_u64().unwrap() > 0);
    assert!(
        failure["received"][1]["text"]
            .as_str()
            .unwrap()
            .contains(r#""ok""#)
    );
    assert!(
        failure["decoder"]
            .as_str()
            .unwrap()
            .starts_with("not_json at byte ")
    );
    let again = check["again"].as_str().unwrap();
    let words = "conformance decode --only FRM-015 --direction commands -- ";
    assert!(again.starts_with(words), "{again}");
}

#[test]
fn codes_are_judged_only_when_somebody_says_what_they_mean() {
    let only = ["--only=VER-00?", "--direction=commands"];
    let judge = |codes: &[&str]| put_to("has_codes_of_its_own.py", &[&only[..], codes].concat());

    let unjudged = judge(&[]);
    assert_eq!(unjudged.status, 0, "{}", unjudged.stdout);
    let note = unjudged.report["checks"][0]["note"].as_str().unwrap();
    assert!(
        note.contains("gave `E-VERSION-MISMATCH` for version_mismatch"),
        "{note}"
    );

    let contract = judge(&["--codes=contract"]);
    assert_eq!(contract.status, 1, "{}", contract.stdout);
    let failure = &contract.report["checks"][0]["failure"];
    assert_eq!(failure["reason"], "wrong_code");

    let folder = tempfile::tempdir().unwrap();
    let codes = folder.path().join("codes.toml");
    let right = "# ours\nE-VERSION-MISMATCH = \"version_mismatch\"\nE-MISSING-MEMBER = \"missing_member\"\n\
                 E-INVALID-MEMBER = \"invalid_member\"\n";
    std::fs::write(&codes, right).unwrap();
    let option = format!("--codes={}", codes.display());
    let translated = judge(&[&option]);
    assert_eq!(
        translated.status, 0,
        "{}{}",
        translated.stdout, translated.stderr
    );

    std::fs::write(&codes, right.replace("\"missing_member\"", "\"not_json\"")).unwrap();
    let mistaken = judge(&[&option]);
    assert_eq!(mistaken.status, 1, "{}", mistaken.stdout);

    std::fs::write(&codes, "E-VERSION-MISMATCH = \"version\"\n").unwrap();
    let unknown = judge(&[&option]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown
            .stderr
            .contains("`version`, which is no code of the contract"),
        "{}",
        unknown.stderr
    );

    std::fs::write(&codes, "a = \"not_json\"\nb = [\n").unwrap();
    let malformed = judge(&[&option]);
    assert_eq!(malformed.status, 2);
    assert!(
        malformed.stderr.contains("codes.toml:"),
        "{}",
        malformed.stderr
    );
}

#[test]
fn what_is_no_decoder_is_not_judged() {
    let status = |arguments: &[&str]| {
        let output = conformance()
            .arg("decode")
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, words) = status(&["--", "./no/such/decoder"]);
    assert_eq!(code, 3);
    assert!(
        words.contains("the decoder cannot be tested: there is no `./no/such/decoder`"),
        "{words}"
    );

    let (code, words) = status(&["--", "sh", "-c", "echo no events here >&2; exit 2"]);
    assert_eq!(code, 3);
    assert!(
        words.contains("started with `commands`: it ended with status 2"),
        "{words}"
    );
    assert!(
        words.contains("no events here") && words.contains("--direction"),
        "{words}"
    );

    assert_eq!(status(&[]).0, 2);
    assert_eq!(status(&["--only=LIF-001", "--", "sh"]).0, 2);
    assert_eq!(status(&["--direction=both", "--", "sh"]).0, 2);
}
