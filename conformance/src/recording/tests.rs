use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::transcript::{Exit, Figures, QuietWindow, Sample};

fn header() -> impl Strategy<Value = Header> {
    let source = prop_oneof![
        Just(Source::Proxy),
        "[A-Z]{3}-[0-9]{3}".prop_map(|id| Source::Check { id }),
        "[A-Z]{3}-[0-9]{3}".prop_map(|id| Source::Exam { id })
    ];
    let subject = prop::option::of(prop::collection::vec(".*", 0..3));
    (source, subject, any::<bool>()).prop_map(|(source, subject, redacted)| Header {
        source,
        subject,
        redacted,
    })
}

fn time() -> impl Strategy<Value = Duration> {
    (0..1_000_000_000_000_u64).prop_map(Duration::from_nanos)
}

fn bytes() -> impl Strategy<Value = std::sync::Arc<[u8]>> {
    let any = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![any, "\\PC*\n".prop_map(String::into_bytes)].prop_map(Into::into)
}

fn parse() -> impl Strategy<Value = Vec<Parse>> {
    let verdict = prop_oneof![
        Just(Verdict::Blank),
        Just(Verdict::Cut),
        ".*".prop_map(Verdict::Refused),
        "[a-z_]*".prop_map(Verdict::Message),
    ];
    let parse = (1..u64::MAX, verdict).prop_map(|(line, verdict)| Parse { line, verdict });
    prop::collection::vec(parse, 0..3)
}

fn did() -> impl Strategy<Value = Did> {
    let figures = (any::<u64>(), time()).prop_map(|(resident, cpu)| Figures {
        resident,
        cpu,
        ..Figures::default()
    });
    prop_oneof![
        prop::sample::select(vec![
            Did::StdinBroken,
            Did::StdinClosed,
            Did::StdoutReleased,
            Did::StdoutClosed,
            Did::StdoutEnded,
            Did::Killed,
            Did::OutOfTime,
        ]),
        prop::option::of(".*").prop_map(|fault| Did::Acted {
            what: "ran a hook".to_owned(),
            fault
        }),
        any::<u64>().prop_map(|unsent| Did::Stalled { unsent }),
        any::<u64>().prop_map(|capacity| Did::StdoutHeld { capacity }),
        (any::<u64>(), any::<u64>()).prop_map(|(r#in, out)| Did::Lost { r#in, out }),
        (prop::option::of("[a-z]{6}"), any::<bool>()).prop_map(|(pane, met)| Did::Awaited {
            barrier: Awaited::Answer,
            pane,
            met
        }),
        (any::<u64>(), prop::option::of(figures)).prop_map(|(stdout_waiting, figures)| {
            Did::Sampled(Sample {
                stdout_waiting,
                stdin_unread: None,
                figures,
            })
        }),
        (time(), time()).prop_map(|(length, cpu)| Did::QuietWindow(QuietWindow {
            length,
            cpu,
            waited: Duration::ZERO
        })),
        any::<i32>().prop_map(|status| Did::Exited {
            exit: Exit::Status(status),
            unread: Some(0)
        }),
        (1..64).prop_map(|signal| Did::Exited {
            exit: Exit::Signal(signal),
            unread: None
        }),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    let breaks = || prop::option::of("PLG-[0-9]{3}");
    let what = prop_oneof![
        (bytes(), breaks(), parse()).prop_map(|(bytes, breaks, parse)| What::In {
            bytes,
            repeated_to: None,
            breaks,
            parse
        }),
        // Few different cycles, so that some follow their like.
        (prop::sample::select(vec![&b"a\n"[..], b"bb"]), 0..1_000_u64).prop_map(
            |(cycle, repeated_to)| What::In {
                bytes: cycle.into(),
                repeated_to: Some(repeated_to),
                breaks: None,
                parse: Vec::new()
            }
        ),
        (bytes(), parse()).prop_map(|(bytes, parse)| What::Out { bytes, parse }),
        bytes().prop_map(What::Err),
        did().prop_map(What::Run),
    ];
    (time(), what).prop_map(|(at, what)| Entry { at, what })
}

fn written(header: &Header, entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, header).unwrap();
    for entry in entries {
        writer.write(entry).unwrap();
    }
    bytes
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_keeps_the_schema(
        header in header(),
        entries in prop::collection::vec(entry(), 0..12),
    ) {
        let bytes = written(&header, &entries);
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let schema = jsonschema::validator_for(&schema).unwrap();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let value: Value = serde_json::from_slice(line).unwrap();
            prop_assert!(schema.is_valid(&value), "{value}");
        }
        let reader = Reader::new(&bytes[..], "recording").unwrap();
        prop_assert_eq!(reader.header(), &header);
        let read: Result<Vec<_>, _> = reader.collect();
        prop_assert_eq!(read.unwrap(), entries);
    }
}

const HEADER: &str = r#"{"format":"nightcrow-recording","version":1,"source":"proxy","check":null,"subject":[],"redacted":true}"#;

fn complaint(lines: &[&str]) -> String {
    let text = lines.join("\n");
    let complaint = match Reader::new(text.as_bytes(), "file.ndjson") {
        Err(bad) => bad,
        Ok(reader) => reader.filter_map(Result::err).next().unwrap(),
    };
    complaint.to_string()
}

#[test]
fn says_where_a_file_is_no_recording_and_what_was_expected() {
    for (lines, expected) in [
        (&[][..], "file.ndjson:1: it is empty"),
        (
            &["{}", ""],
            "file.ndjson:1: this is no recording: the first line",
        ),
        (
            &[r#"{"format":"nightcrow-recording","version":2}"#, ""],
            "file.ndjson:1: this is a recording of another version; this program reads version 1",
        ),
        (
            &[r#"{"format":"nightcrow-recording","version":1}"#, ""],
            "file.ndjson:1: column 44: missing field `source`",
        ),
        (
            &[HEADER, "{}", ""],
            "file.ndjson:2: column 2: missing field `dir`",
        ),
        (
            &[HEADER, r#"{"dir":"up","t":0}"#, ""],
            "unknown variant `up`, expected one of `in`, `out`, `err`, `run`",
        ),
        (
            &[HEADER, r#"{"dir":"out","t":-1,"bytes":""}"#, ""],
            "a time is a number of seconds from 0 on",
        ),
        (
            &[HEADER, r#"{"dir":"out","t":0,"bytes":"?"}"#, ""],
            "file.ndjson:2: `bytes` must be base64, with padding",
        ),
        (
            &[
                HEADER,
                r#"{"dir":"out","t":0,"bytes":"YQ==","text":"b"}"#,
                "",
            ],
            "file.ndjson:2: `text` must say the same as `bytes`",
        ),
        (
            &[HEADER, r#"{"dir":"out","t":0,"bytes":"","colour":1}"#, ""],
            "unknown field `colour`",
        ),
        (&[HEADER, r#"{"dir":"in","t":0}"#, ""], "`bytes` is missing"),
        (
            &[HEADER, r#"{"dir":"in","t":0,"repeated_to":9}"#, ""],
            "no entry with `repeated_to` stands before",
        ),
        (
            &[
                HEADER,
                r#"{"dir":"in","t":0,"bytes":"","repeated_to":9}"#,
                "",
            ],
            "nothing cannot be repeated",
        ),
        (
            &[
                HEADER,
                r#"{"dir":"in","t":0,"bytes":"YQ==","repeated_to":99999999999}"#,
                "",
            ],
            "`repeated_to` must be at most",
        ),
        (
            &[HEADER, r#"{"dir":"out","#],
            "file.ndjson:2: the line has no end",
        ),
    ] {
        let complaint = complaint(lines);
        assert!(
            complaint.contains(expected),
            "{complaint}\nis not\n{expected}"
        );
    }
}

#[test]
fn only_the_user_may_read_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording");
    let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    for _ in 0..2 {
        create(&path).unwrap();
        assert_eq!((mode(), path.metadata().unwrap().len()), (0o600, 0));
        std::fs::remove_file(&path).unwrap();
    }
}
