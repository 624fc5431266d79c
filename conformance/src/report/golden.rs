//! Every report over the same results, whose texts are as hostile as a subject can make them.
//!
//! The expected files lie in `tests/golden`; `UPDATE_EXPECT=1 cargo test` writes them anew.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use expect_test::expect_file;
use nightcrow_protocol::{Event, PaneGeneration, PaneOutput, PaneToken, Shutdown, Version};
use proptest::prelude::*;
use quick_xml::XmlVersion;
use quick_xml::events::Event as Xml;
use serde_json::Value;

use super::{Kind, Report, SCHEMA, Standing, Wanted, html, json};
use crate::baseline::Expectation;
use crate::checks::{Check, Level, Needs, Role, Test, Tier};
use crate::evidence::Evidence;
use crate::outcome::{Failure, Outcome, Reason};
use crate::run::{CheckResult, Verdict};
use crate::stimulus::{Barrier, Burst, EventLine};
use crate::subject::Subject;
use crate::transcript::{Exit, Figures, Happening, Sample, Transcript};

/// A check for show.
const fn check(id: &'static str, title: &'static str, level: Level) -> Check {
    Check {
        id,
        title,
        level,
        tier: Tier::Core,
        role: Role::Plugin,
        proves: "PLG-701",
        stimulus: "an event, then <nothing> & more",
        accepted: "lines of the contract, `and` nothing | else",
        needs: Needs::Nothing,
        test: Test::Plugin {
            play: |_| Vec::new(),
            judge: |_| Ok(Outcome::pass()),
        },
    }
}

static BYTES: Check = check("FRM-901", "bytes # that mean something", Level::Must);
static MOMENT: Check = check("FRM-902", "a moment, and no byte", Level::Should);
static RECORDED: Check = check("FRM-903", "recorded only", Level::Info);
static PASSED: Check = check("LIM-901", "passed with a note", Level::Must);
static SILENT: Check = check("VER-901", "never happened", Level::Must);
static ELSEWHERE: Check = check("VER-902", "makes no sense here", Level::Must);
static FAULTY: Check = check("LIF-901", "the runner is at fault", Level::Must);

/// What markup of some kind, or a terminal, would obey.
const HOSTILE: &str = "</script></style></pre></details><img src=x onerror=alert(1)> ]]> -- `code` ``` | \
     {{x}} ${y} @all #1 ::error::x\r\n::set-output name=a::b\n##[group]x\n# SKIP\n  ...\n---\n1..0\nBail out!\n\
     \x1b[31m\x1b]0;t\x07 \u{202e}\u{2066}\u{200b}\u{feff}\u{fffe}\u{ffff}\u{85}\u{2028} é 한 &amp; &#0; \"'";

fn hostile_bytes() -> Vec<u8> {
    let controls = (0..32).chain([0x7f, 0xff, 0xc3, 0x28]);
    let mut bytes: Vec<u8> = controls.filter(|byte| *byte != b'\n').collect();
    bytes.extend_from_slice(HOSTILE.as_bytes());
    bytes
}

fn token() -> PaneToken {
    PaneToken::new("0123456789abcdef0123456789abcdef").unwrap()
}

fn output(text: &str) -> EventLine {
    EventLine::new(&Event::from(PaneOutput {
        v: Version,
        token: token(),
        generation: PaneGeneration::FIRST,
        text: text.into(),
    }))
}

fn transcript(stdout: &[u8], stderr: &[u8]) -> Transcript {
    let ms = Duration::from_millis;
    let burst = Burst::new([output("text")], 2_000);
    let figures = Figures {
        processes: 1,
        resident: 13 << 20,
        cpu: ms(70),
        descriptors: 5,
        ..Figures::default()
    };
    let sample = Sample {
        stdout_waiting: 0,
        stdin_unread: Some(0),
        figures: Some(figures),
    };
    let exit = Exit::Status(0);
    let barrier = Barrier::Settled;
    let mut transcript = Transcript::default();
    transcript.record(ms(1), Happening::SentLine(output(HOSTILE)));
    transcript.record(ms(2), Happening::Awaited { barrier, met: true });
    transcript.record_stdout(ms(30), stdout);
    transcript.record_stderr(ms(31), stderr);
    let summary = burst.summary(burst.total_bytes());
    transcript.record(ms(40), Happening::SentBurst(summary));
    transcript.record(ms(41), Happening::Sampled(sample));
    let barrier = Barrier::Command;
    transcript.record(
        ms(1_250),
        Happening::Awaited {
            barrier,
            met: false,
        },
    );
    let shutdown = EventLine::new(&Shutdown::default().into());
    transcript.record(ms(1_251), Happening::SentLine(shutdown));
    transcript.record(ms(1_252), Happening::StdinClosed);
    let unread = Some(9);
    transcript.record(ms(1_300), Happening::Exited { exit, unread });
    transcript
}

fn result(check: &'static Check, outcome: Outcome, text: &[u8]) -> CheckResult {
    let transcript = transcript(text, text);
    CheckResult {
        check,
        evidence: Evidence::of(outcome.failure(), &transcript),
        rounds: vec![Standing::of_outcome(&outcome)],
        outcome,
        expectation: Expectation::default(),
        took: Duration::from_millis(1_300),
        transcript_file: format!("/results/{}.ndjson", check.id).into(),
    }
}

fn results(text: &str, bytes: &[u8]) -> Vec<CheckResult> {
    let text = || text.to_owned();
    let failure = || Failure::new(Reason::NotACommand, text());
    let at = bytes.len() / 3;
    vec![
        result(
            &BYTES,
            Outcome::Fail(failure().at(at).decoder(text())),
            bytes,
        ),
        result(&MOMENT, Outcome::Fail(failure().after(6)), bytes),
        result(&RECORDED, Outcome::Fail(failure()), bytes),
        result(&PASSED, Outcome::pass_with(text()), bytes),
        result(&SILENT, Outcome::NotExercised(text()), b""),
        result(&ELSEWHERE, Outcome::NotApplicable(text()), b""),
        result(&FAULTY, Outcome::Error(text()), b""),
    ]
}

fn subject(text: &str) -> Subject {
    let text: OsString = text.replace('\0', "").into();
    Subject {
        program: PathBuf::new(),
        args: Vec::new(),
        written: vec!["./my-plugin".into(), text.clone()],
        env: vec![("KEY".into(), text)],
        cwd: None,
        profile: Arc::default(),
        profile_file: None,
        keep_home: false,
        is_secluded: false,
    }
}

fn with_report<T>(text: &str, bytes: &[u8], look: impl FnOnce(&Report<'_>) -> T) -> T {
    let (subject, results) = (subject(text), results(text, bytes));
    let wanted = [
        "pretty".parse::<Wanted>().unwrap(),
        "html=report.html".parse().unwrap(),
    ];
    look(&Report {
        roles: &[Role::Plugin],
        subject: &subject,
        options: &["--timeout".into(), "500ms".into()],
        verdict: Verdict::on(&results, &[]),
        results: &results,
        not_started: 0,
        interrupted: false,
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_780_000_000),
        took: Duration::from_millis(4_200),
        folder: Path::new("/results"),
        wanted: &wanted,
    })
}

fn rendered(kind: Kind, text: &str, bytes: &[u8]) -> String {
    let report = with_report(text, bytes, |report| kind.render(report));
    String::from_utf8(report).unwrap()
}

#[test]
fn each_report_looks_as_expected() {
    let report = |kind| rendered(kind, HOSTILE, &hostile_bytes());
    expect_file!["../../tests/golden/report.txt"].assert_eq(&report(Kind::Pretty));
    expect_file!["../../tests/golden/report.json"].assert_eq(&report(Kind::Json));
    expect_file!["../../tests/golden/report.xml"].assert_eq(&report(Kind::Junit));
    expect_file!["../../tests/golden/report.tap"].assert_eq(&report(Kind::Tap));
    expect_file!["../../tests/golden/report.github"].assert_eq(&report(Kind::Github));
    expect_file!["../../tests/golden/report.md"].assert_eq(&report(Kind::Markdown));
    let page = html::without_style_and_script(&report(Kind::Html));
    let page = page
        .replace("</li>", "</li>\n")
        .replace("</details>", "</details>\n");
    expect_file!["../../tests/golden/report.html"].assert_eq(&page);
}

/// Fails unless this is XML 1.0 with these test cases; returns the messages of those that did not pass.
fn read_junit(xml: &str) -> Vec<String> {
    let legal = |c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(legal));
    let mut reader = quick_xml::Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut messages = Vec::new();
    let mut cases = 0;
    loop {
        match reader.read_event().unwrap() {
            Xml::Eof => break,
            Xml::Start(tag) | Xml::Empty(tag) => {
                cases += usize::from(tag.name().as_ref() == b"testcase");
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap();
                    let value = attribute.normalized_value(XmlVersion::Explicit1_0).unwrap();
                    if attribute.key.as_ref() == b"message" {
                        messages.push(value.into_owned());
                    }
                }
            }
            _ => {}
        }
    }
    assert_eq!(cases, 7);
    messages
}

#[test]
fn junit_can_be_read_back() {
    let messages = read_junit(&rendered(Kind::Junit, HOSTILE, &hostile_bytes()));
    assert_eq!(messages.len(), 6);
    for message in messages {
        assert!(
            message.contains(r"<img src=x onerror=alert(1)> ]]>"),
            "{message}"
        );
        assert!(
            message.contains(r"\x1b[31m") && message.contains(r"\u{fffe}"),
            "{message}"
        );
    }
}

#[track_caller]
fn validate(report: &Value) {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let faults: Vec<_> = validator
        .iter_errors(report)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_schema_describes_the_report_for_programs() {
    with_report(HOSTILE, &hostile_bytes(), |report| {
        let mut value = json(report);
        validate(&value);
        value["interrupted"] = true.into();
        validate(&value);
        value["verdict"] = "conformant".into();
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert!(!jsonschema::is_valid(&schema, &value));
    });
}

#[test]
fn no_report_tells_a_secret() {
    let secret = "hunter2hunter2";
    for kind in Kind::ALL {
        let mut subject = subject("x");
        subject.env = vec![("API_KEY".into(), secret.into())];
        let results = results("so", format!("{}\n", token().as_str()).as_bytes());
        let report = with_report("so", b"", |report| {
            let report = Report {
                subject: &subject,
                results: &results,
                ..*report
            };
            String::from_utf8(kind.render(&report)).unwrap()
        });
        assert!(!report.contains(secret), "{kind:?}");
        assert!(!report.contains(token().as_str()), "{kind:?}");
    }
}

#[test]
fn an_interrupted_run_is_no_success_to_any_reader() {
    let results = [result(&PASSED, Outcome::pass(), b"")];
    let render = |kind: Kind| {
        with_report("so", b"", |report| {
            let report = Report {
                results: &results,
                verdict: Verdict::on(&results, &[]).of_part(),
                interrupted: true,
                not_started: 3,
                ..*report
            };
            String::from_utf8(kind.render(&report)).unwrap()
        })
    };
    let said = "the run was interrupted: 3 more checks were not done";
    for kind in [
        Kind::Pretty,
        Kind::Junit,
        Kind::Tap,
        Kind::Github,
        Kind::Markdown,
        Kind::Html,
    ] {
        assert!(render(kind).contains(said), "{kind:?}");
    }
    let value: Value = serde_json::from_str(&render(Kind::Json)).unwrap();
    assert_eq!(value["interrupted"], true);
    assert_eq!(value["verdict"], "unexercised");
    assert_eq!(value["exit_code"], 130);
    assert!(render(Kind::Junit).contains("errors=\"1\""));
    assert!(render(Kind::Tap).ends_with(&format!("Bail out! {said}\n")));
}

#[test]
fn a_flood_does_not_make_a_big_page() {
    let flood = b"\x1b\xff\xf0\x9f\x98\x80 flood\n".repeat(100_000);
    let mut script = crate::transcript::script::Script::new();
    for _ in 0..500 {
        script = script.says(&flood[..1_600]).complains("\u{1f600}\n");
    }
    let failure = Failure::new(Reason::NotACommand, "so").at(400_000);
    let outcome = Outcome::Fail(failure);
    let evidence = Evidence::of(outcome.failure(), &script.done());
    let result = CheckResult {
        evidence,
        ..result(&BYTES, outcome, &flood)
    };
    let size = |results: &[CheckResult]| {
        with_report("so", b"", |report| {
            let page = Kind::Html.render(&Report { results, ..*report });
            page.len()
        })
    };
    let one = size(&[result]) - size(&[]);
    assert!(one < 100_000, "{one}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_breaks_out_of_any_report(
        text in "(\\PC|[<>&\"'`|:#%\\\\\r\n\t\u{0}-\u{1f}\u{80}-\u{9f}\u{fffe}\u{202e}]|]]>|::|</script>|<!--){0,40}",
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let reports: Vec<_> = with_report(&text, &bytes, |report| {
            Kind::ALL.iter().map(|kind| kind.render(report)).collect()
        });
        let of = |kind| {
            let place = Kind::ALL.iter().position(|other| *other == kind).unwrap();
            str::from_utf8(&reports[place]).unwrap()
        };
        for kind in Kind::ALL {
            for character in of(*kind).chars() {
                prop_assert!(character == '\n' || !character.is_control());
                let is_bidi = ('\u{202a}'..='\u{202e}').contains(&character);
                prop_assert!(!is_bidi);
            }
        }
        read_junit(of(Kind::Junit));
        let html = of(Kind::Html);
        prop_assert_eq!(html.matches("<script").count(), 1);
        prop_assert_eq!(html.matches("</script").count(), 1);
        prop_assert_eq!(html.matches("<!").count(), 1);
        for line in of(Kind::Github).lines() {
            prop_assert!(!line.contains("##["));
            let command = line.trim_start().strip_prefix("::");
            let ours = |rest: &str| ["error title=", "notice title=", "group::", "endgroup::"]
                .iter()
                .any(|command| rest.starts_with(command));
            prop_assert!(command.is_none_or(ours));
        }
        let tap: Vec<_> = of(Kind::Tap).lines().collect();
        let beginning = |word| tap.iter().filter(|line| line.starts_with(word)).count();
        prop_assert_eq!((beginning("ok "), beginning("not ok ")), (3, 4));
        prop_assert_eq!(tap.iter().filter(|line| **line == "  ---").count(), 7);
        prop_assert_eq!(tap.iter().filter(|line| **line == "  ...").count(), 7);
        let markdown = of(Kind::Markdown);
        prop_assert_eq!(markdown.lines().filter(|line| line.starts_with("| ")).count(), 8);
        prop_assert_eq!(markdown.matches("<details>").count(), 3);
    }
}
