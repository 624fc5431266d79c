//! Framing and encoding: FRM.

use nightcrow_protocol::RefusalCode::{NotJson, NotUtf8, Truncated};
use nightcrow_protocol::limits::MAX_LINE_BYTES;

use super::measure::Measure;
use super::sample::{log, pane_output, send_input, text, text_member};
use super::{BOTH, Case, Direction, Expected, Level, Look, Rule, Tier};
use crate::stimulus::Chunk;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "FRM-001",
        title: "several lines in one write",
        proves: "PLG-101",
        stimulus: "three log lines in one write; the vectors of PLG-101",
        accepted: "one message for each line, in order",
        cases: several_lines,
        vectors: &["PLG-101"],
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-002",
        title: "reads are not message boundaries",
        directions: BOTH,
        proves: "PLG-101",
        stimulus: "a message of which each byte is read before the next one is written",
        accepted: "one message, none for a part of the line",
        cases: one_byte_at_a_time,
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-003",
        title: "a character may come in two reads",
        directions: BOTH,
        proves: "PLG-101",
        stimulus: "a message with U+1F600, é and 한 in a text, cut inside each of them; each part is read before the \
                   next one is written",
        accepted: "one message with the same characters",
        cases: cut_characters,
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-004",
        title: "CR LF ends a line as well",
        directions: BOTH,
        proves: "PLG-102",
        stimulus: "a message ended by CR LF in one write, and with LF written only when CR was read; the vectors of PLG-102",
        accepted: "one message each, and no blank line",
        cases: cr_lf,
        vectors: &["PLG-102"],
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-005",
        title: "a lone CR ends nothing",
        proves: "PLG-102",
        stimulus: "two valid messages with CR between them, then LF; a CR inside a string; messages with CR between \
                   tokens",
        accepted: "the first two lines are refused whole with not_json; CR between tokens is whitespace",
        cases: lone_cr,
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-006",
        title: "Unicode separators are data",
        directions: BOTH,
        proves: "PLG-108",
        stimulus: "raw U+2028, U+2029 and U+0085 in a text; vertical tab and form feed, which are control characters; \
                   the vectors of PLG-108",
        accepted: "one verdict for each line, the texts byte by byte as they were sent",
        cases: separators,
        vectors: &["PLG-108"],
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-007",
        title: "blank lines are skipped",
        directions: BOTH,
        proves: "PLG-106",
        stimulus: "LF; CR LF; space, tab, LF; the vectors of PLG-106",
        accepted: "`blank` for each",
        cases: blank_lines,
        vectors: &["PLG-106"],
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-008",
        title: "a flood of blank lines is bounded",
        tier: Tier::Full,
        proves: "PLG-106",
        stimulus: "1,000,000 LF, resident memory looked at after every 50,000; then a log line",
        accepted: "`blank` for each and a message at the end. The least memory in the second half is at most 64 MiB above \
                   that of the first look: 64 bytes a line, room for a garbage collector but not for an object per \
                   line. Memory is not judged of a decoder that keeps its verdicts until the end, as it may",
        cases: blank_flood,
        measure: Measure::Memory {
            most: 64 << 20,
            spares_the_silent: true,
        },
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-009",
        title: "a string does not go on in the next line",
        proves: "PLG-109",
        stimulus: "a log line with a raw LF inside its message; the vectors of PLG-109",
        accepted: "both halves are refused with not_json",
        cases: embedded_newline,
        vectors: &["PLG-109"],
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-010",
        title: "a whole message at the end needs no LF",
        level: Level::Should,
        directions: BOTH,
        proves: "PLG-107",
        stimulus: "a message without LF, then end of stdin",
        accepted: "a message, and exit with status 0",
        cases: unterminated,
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-011",
        title: "half a message at the end is refused",
        directions: BOTH,
        proves: "PLG-107",
        stimulus: "the first half of a send_input or pane_output, then end of stdin",
        accepted: "it is refused with truncated, and the decoder exits with status 0",
        cases: truncated,
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-012",
        title: "a byte order mark is refused",
        directions: BOTH,
        proves: "PLG-203",
        stimulus: "EF BB BF and a message, as the first line and later; the vectors of PLG-203",
        accepted: "each of these lines is refused with not_json, and no other; inside a string U+FEFF is a character",
        cases: byte_order_mark,
        vectors: &["PLG-203"],
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-013",
        title: "invalid UTF-8 is refused",
        directions: BOTH,
        proves: "PLG-201",
        stimulus: "FF; C0 80; ED A0 80; F4 90 80 80; E2 82 before a quote and before LF; each in a known and in an \
                   unknown member; the vectors of PLG-201",
        accepted: "each is refused with not_utf8",
        cases: invalid_utf8,
        vectors: &["PLG-201"],
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-014",
        title: "UTF-16 does not confuse the framing",
        proves: "PLG-109",
        stimulus: "two log lines in UTF-16LE with a byte order mark, and in UTF-16BE",
        accepted: "one refusal for each 0A byte that ends a line, no message, and the good line behind them is one",
        cases: utf_16,
        ..Rule::USUAL
    },
    Rule {
        id: "FRM-015",
        title: "a raw NUL is refused",
        directions: BOTH,
        proves: "PLG-204",
        stimulus: "00 between tokens; 00 in a string; 00 alone; 00 at both ends",
        accepted: "each is refused with not_json",
        cases: raw_nul,
        ..Rule::USUAL
    },
];

/// How many blank lines make a flood, and between two looks.
const FLOOD: usize = 1_000_000;
const FLOOD_STRIDE: usize = 50_000;

fn several_lines(_: Direction) -> Vec<Case> {
    let samples = [log("one"), log("two"), log("three")];
    let lines: String = samples.iter().map(|sample| sample.line() + "\n").collect();
    let verdicts = samples
        .iter()
        .map(|sample| Expected::Message(sample.message()));
    vec![Case::stream(
        "three messages at once",
        lines,
        verdicts.collect(),
    )]
}

fn one_byte_at_a_time(direction: Direction) -> Vec<Case> {
    vec![text(direction, "x").accepted("byte by byte").byte_by_byte()]
}

fn cut_characters(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "a\u{1f600}b\u{e9}c\u{d55c}d");
    let line = sample.line();
    let inside = |character, bytes| line.find(character).map(|place| place + bytes);
    let cuts = [
        inside('\u{1f600}', 2),
        inside('\u{e9}', 1),
        inside('\u{d55c}', 1),
        inside('\u{d55c}', 2),
    ];
    vec![
        sample
            .accepted("characters cut in two")
            .cut_at(cuts.into_iter().flatten()),
    ]
}

fn cr_lf(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "x");
    let line = format!("{}\r", sample.line());
    let case = Case::accepted("ended by CR LF", &*line, sample.message());
    let apart = Case::accepted(
        "ended by CR LF, LF in a write of its own",
        &*line,
        sample.message(),
    );
    vec![case, apart.cut_at([line.len()])]
}

fn lone_cr(_: Direction) -> Vec<Case> {
    let (a, b) = (log("a"), log("b"));
    let padded = a.spaced("\r", "\r");
    vec![
        Case::refused(
            "two messages with CR between them",
            format!("{}\r{}", a.line(), b.line()),
            NotJson,
        ),
        log("a\rb").refused("CR in a string", NotJson),
        Case::accepted("CR between tokens", padded, a.message()),
        Case::accepted(
            "CR before the message",
            format!("\r{}", a.line()),
            a.message(),
        ),
    ]
}

fn separators(direction: Direction) -> Vec<Case> {
    let mut cases: Vec<Case> = [
        "\u{2028}",
        "\u{2029}",
        "\u{85}",
        "a\u{2028}b\u{2029}c\u{85}d",
    ]
    .map(|separators| {
        let about = format!("{} in a text", separators.escape_unicode());
        text(direction, separators).accepted(&about)
    })
    .into();
    for (name, control) in [
        ("VT", "\u{b}"),
        ("FF", "\u{c}"),
        ("FS", "\u{1c}"),
        ("RS", "\u{1e}"),
    ] {
        let sample = text(direction, &format!("a{control}b"));
        cases.push(sample.refused(&format!("{name} in a text"), NotJson));
    }
    cases
}

fn blank_lines(_: Direction) -> Vec<Case> {
    let blank = |about: &str, bytes: &str| Case::stream(about, bytes, vec![Expected::Blank]);
    vec![
        blank("an empty line", "\n"),
        blank("an empty line ended by CR LF", "\r\n"),
        blank("a space and a tab", " \t\n"),
    ]
}

fn blank_flood(_: Direction) -> Vec<Case> {
    let chunk = Chunk::new(*b"\n", FLOOD_STRIDE);
    let chunks = vec![chunk; FLOOD / FLOOD_STRIDE];
    let flood = Case::chunks("1,000,000 LF", chunks, vec![Expected::Blank]);
    let flood = Case {
        times: FLOOD,
        ..flood
    };
    vec![flood.looked_at(Look::AfterEachChunk)]
}

fn embedded_newline(_: Direction) -> Vec<Case> {
    let refused = Expected::Refused(NotJson);
    let line = log("a\nb").line() + "\n";
    vec![Case::stream(
        "LF in a string",
        line,
        vec![refused.clone(), refused],
    )]
}

fn unterminated(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "the last words");
    let verdicts = vec![Expected::Message(sample.message())];
    vec![Case::stream(
        "a message without LF",
        sample.line(),
        verdicts,
    )]
}

fn truncated(direction: Direction) -> Vec<Case> {
    let sample = match direction {
        Direction::Commands => send_input("rm -r build"),
        Direction::Events => pane_output("rm -r build"),
    };
    let line = sample.line();
    let half = &line[..line.len() / 2];
    vec![Case::stream(
        "half a message",
        half,
        vec![Expected::Refused(Truncated)],
    )]
}

fn byte_order_mark(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "x");
    let marked = format!("\u{feff}{}", sample.line());
    vec![
        Case::refused("a byte order mark", &*marked, NotJson),
        Case::refused("another byte order mark", marked, NotJson),
        text(direction, "\u{feff}").accepted("U+FEFF in a text"),
        Case::refused("nothing but a byte order mark", "\u{feff}", NotJson),
    ]
}

fn invalid_utf8(direction: Direction) -> Vec<Case> {
    let sequences: [(&str, &[u8]); 5] = [
        ("FF", b"\xff"),
        ("C0 80, an overlong NUL", b"\xc0\x80"),
        ("ED A0 80, a surrogate", b"\xed\xa0\x80"),
        ("F4 90 80 80, beyond U+10FFFF", b"\xf4\x90\x80\x80"),
        ("E2 82, the beginning of a character", b"\xe2\x82"),
    ];
    let mut cases = Vec::new();
    for (name, bytes) in sequences {
        let known = text(direction, "#").line();
        let unknown = text(direction, "x").with("zz", "\"#\"").line();
        for (line, place) in [
            (known, text_member(direction)),
            (unknown, "an unknown member"),
        ] {
            let (head, tail) = line.split_once('#').unwrap_or_default();
            let bytes = [head.as_bytes(), bytes, tail.as_bytes()].concat();
            cases.push(Case::refused(
                &format!("{name}, in {place}"),
                bytes,
                NotUtf8,
            ));
        }
    }
    let cut = [text(direction, "x").line().as_bytes(), b"\xe2\x82"].concat();
    cases.push(Case::refused("E2 82 before LF", cut, NotUtf8));
    cases
}

fn utf_16(_: Direction) -> Vec<Case> {
    let text = format!("\u{feff}{}\n{}\n", log("a").line(), log("b").line());
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    debug_assert!(text.len() < MAX_LINE_BYTES);
    // Little-endian text leaves the 00 of its last LF to the next line.
    let ended = [&little[..], b"\n"].concat();
    vec![
        Case::stream(
            "UTF-16LE",
            ended,
            vec![
                Expected::Refused(NotUtf8),
                Expected::Refused(NotJson),
                Expected::Refused(NotJson),
            ],
        ),
        Case::stream(
            "UTF-16BE",
            big,
            vec![Expected::Refused(NotUtf8), Expected::Refused(NotJson)],
        ),
    ]
}

fn raw_nul(direction: Direction) -> Vec<Case> {
    let line = text(direction, "x").line();
    vec![
        Case::refused("NUL between tokens", line.replacen(',', ",\0", 1), NotJson),
        text(direction, "a\0b").refused("NUL in a string", NotJson),
        text(direction, "x")
            .with("zz", "\"\0\"")
            .refused("NUL in an unknown member", NotJson),
        Case::refused("NUL alone", "\0", NotJson),
        Case::refused("NUL before a message", format!("\0{line}"), NotJson),
        Case::refused("NUL behind a message", format!("{line}\0"), NotJson),
    ]
}
