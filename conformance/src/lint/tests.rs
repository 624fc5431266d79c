use std::time::Duration;

use super::*;
use crate::recording::{Awaited, Did, Entry, Header, Reader, Source, What, Writer};
use crate::traffic::{Direction, Lines};

const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// What is found in one stream.
fn found(direction: Direction, stream: &[u8]) -> Vec<(&'static str, u64, u64)> {
    let mut findings = Vec::new();
    let mut linter = Linter::of_lines();
    let mut lines = Lines::new(direction);
    let mut note = |finding: Finding| {
        findings.push((finding.requirement, finding.line, finding.offset));
    };
    lines.hear(stream, |line| linter.judge(line, &mut note));
    lines.end(|line| linter.judge(line, &mut note));
    findings
}

fn event(kind: &str, generation: u32) -> String {
    let more = match kind {
        "pane_opened" => r#","title":null,"command":"x","cwd":"/""#,
        "pane_output" => r#","text":"hi""#,
        _ => "",
    };
    format!(r#"{{"event":"{kind}","v":3,"token":"{TOKEN}","generation":{generation}{more}}}"#)
        + "\n"
}

fn input(generation: u32) -> String {
    format!(
        r#"{{"cmd":"send_input","v":3,"token":"{TOKEN}","generation":{generation},"data":"x"}}"#
    ) + "\n"
}

#[test]
fn every_fault_of_a_line_has_its_requirement_and_place() {
    let log = r#"{"cmd":"log","v":3,"level":"info","message":"hi"}"#;
    for (line, requirement, byte) in [
        ("hello\n".to_owned(), "PLG-701", 0),
        ("{hello\n".to_owned(), "PLG-202", 1),
        ("\u{feff}{}\n".to_owned(), "PLG-110", 0),
        ("3\n".to_owned(), "PLG-208", 0),
        ("{}\n".to_owned(), "PLG-301", 1),
        (r#"{"v":3}"#.to_owned() + "\n", "PLG-303", 6),
        (r#"{"cmd":"log","v":2}"#.to_owned() + "\n", "PLG-301", 17),
        (r#"{"cmd":"fly","v":3}"#.to_owned() + "\n", "PLG-303", 7),
        (
            r#"{"cmd":"watch_pane","v":3,"token":""}"#.to_owned() + "\n",
            "PLG-401",
            34,
        ),
        (r#"{"v":3,"v":3}"#.to_owned() + "\n", "PLG-209", 7),
        ("x".repeat(70_000) + "\n", "PLG-111", 65_536),
        (" \n".to_owned(), "PLG-110", 0),
        (format!("{log}\r\n"), "PLG-110", log.len() as u64),
        (log.to_owned(), "PLG-110", log.len() as u64),
        ("{\"cmd".to_owned(), "PLG-110", 5),
    ] {
        let stream = format!("{log}\n{line}");
        let offset = log.len() as u64 + 1 + byte;
        assert_eq!(
            found(Direction::Out, stream.as_bytes()),
            [(requirement, 2, offset)],
            "{}",
            &line[..line.len().min(60)]
        );
    }
    assert_eq!(found(Direction::Out, b"\"\xff\"\n"), [("PLG-201", 1, 1)]);
}

#[test]
fn a_hosts_extension_is_no_violation_and_its_escapes_are() {
    let mut severities = Vec::new();
    let mut lines = Lines::new(Direction::In);
    let mut linter = Linter::of_lines();
    let zoomed = event("pane_zoomed", 1);
    let coloured = event("pane_output", 1).replace("hi", "\\u001b[31m");
    lines.hear((zoomed + &coloured).as_bytes(), |line| {
        linter.judge(line, |finding| {
            severities.push((finding.requirement, finding.severity));
        });
    });
    assert_eq!(
        severities,
        [
            ("PLG-711", Severity::Note),
            ("PLG-811", Severity::Violation)
        ]
    );
}

fn entry(what: What) -> Entry {
    let at = Duration::ZERO;
    Entry { at, what }
}

fn sent(text: impl AsRef<str>) -> Entry {
    let bytes = text.as_ref().as_bytes().into();
    entry(What::In {
        bytes,
        repeated_to: None,
        breaks: None,
        parse: Vec::new(),
    })
}

fn said(text: impl AsRef<str>) -> Entry {
    let bytes = text.as_ref().as_bytes().into();
    entry(What::Out {
        bytes,
        parse: Vec::new(),
    })
}

fn violations(source: Source, entries: &[Entry]) -> Vec<String> {
    let header = Header {
        source,
        subject: None,
        redacted: false,
    };
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &header).unwrap();
    entries
        .iter()
        .for_each(|entry| writer.write(entry).unwrap());
    let reader = Reader::new(&file[..], "file").unwrap();
    let mut violations = Vec::new();
    lint(reader, Linter::new(), |finding| {
        if finding.severity == Severity::Violation {
            violations.push(finding.to_string());
        }
    })
    .unwrap();
    violations
}

fn check() -> Source {
    Source::Check {
        id: "LIF-001".to_owned(),
    }
}

#[test]
fn a_conversation_is_judged_on_both_sides() {
    let entries = [
        sent(event("pane_opened", 1)),
        said(input(1)),
        said(input(2)),
        sent(event("pane_output", 3)),
    ];
    let said = input(1).len();
    let sent = event("pane_opened", 1).len();
    assert_eq!(
        violations(Source::Proxy, &entries),
        [
            format!(
                "violation PLG-707 by the plugin, line 2, byte {said}: send_input for pane 001122… with another generation than its newest"
            ),
            format!(
                "violation PLG-810 by the host, line 2, byte {sent}: pane_output of pane 001122…, for which no pane_opened stands"
            ),
        ]
    );
}

#[test]
fn in_a_check_an_answer_may_stand_before_what_it_answers_and_the_host_does_no_wrong() {
    let opened = sent(event("pane_opened", 1));
    let entries = [
        said(input(1)),
        opened.clone(),
        sent("nonsense\n"),
        said(input(1)),
    ];
    assert_eq!(violations(check(), &entries), [""; 0]);
    let barrier = entry(What::Run(Did::Awaited {
        barrier: Awaited::Settled,
        pane: None,
        met: true,
    }));
    let entries = [said(input(1)), barrier, opened];
    assert_eq!(violations(check(), &entries).len(), 1);
}

#[test]
fn what_was_not_heard_is_not_judged() {
    let lost = entry(What::Run(Did::Lost { r#in: 100, out: 5 }));
    let entries = [
        said("{\"cmd"),
        lost,
        said("\"}\n"),
        said(input(1)),
        said("{\"cut"),
    ];
    assert_eq!(violations(Source::Proxy, &entries), [""; 0]);
    let killed = entry(What::Run(Did::Killed));
    assert_eq!(violations(check(), &[said("{\"cut"), killed]), [""; 0]);
    assert_eq!(violations(check(), &[said("{\"cut")]).len(), 1);
}

#[test]
fn a_repeated_entry_is_heard_as_often_as_it_was_sent() {
    let cycle = event("pane_output", 1);
    let repeated_to = Some(10 * cycle.len() as u64);
    let bytes = cycle.as_bytes().into();
    let burst = entry(What::In {
        bytes,
        repeated_to,
        breaks: None,
        parse: Vec::new(),
    });
    assert_eq!(violations(Source::Proxy, &[burst]).len(), 10);
}
