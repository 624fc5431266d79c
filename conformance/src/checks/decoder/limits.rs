//! Limits: LIM.

use nightcrow_protocol::RefusalCode::{InputTooLarge, LineTooLong, NotJson};
use nightcrow_protocol::limits::{MAX_INPUT_BYTES, MAX_LINE_BYTES};
use serde_json::Value;

use super::measure::Measure;
use super::sample::{Sample, attention, relaunch, send_input, text};
use super::{BOTH, Case, Direction, EVENTS, Expected, Level, Look, Rule, Tier};
use crate::stimulus::Chunk;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "LIM-001",
        title: "a line of 65,536 bytes is accepted",
        proves: "PLG-103",
        stimulus: "a log line of 65,536 bytes and LF, and one of 65,535",
        accepted: "a message each",
        cases: longest_line,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-002",
        title: "a line of 65,537 bytes is refused",
        proves: "PLG-103",
        stimulus: "a log line of 65,537 bytes; as many times x; the vectors of PLG-103",
        accepted: "each is refused with line_too_long",
        cases: one_byte_more,
        vectors: &["PLG-103"],
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-003",
        title: "the terminator is not counted",
        proves: "PLG-104",
        stimulus: "a log line of 65,536 bytes and CR LF, in one write and with LF in a write of its own",
        accepted: "a message each",
        cases: terminator,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-004",
        title: "a line's length is counted in bytes",
        proves: "PLG-104",
        stimulus: "log lines of 65,537 bytes and fewer characters, with é, 한 and U+1F600; the vectors of PLG-104",
        accepted: "each is refused with line_too_long",
        cases: fewer_characters,
        vectors: &["PLG-104"],
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-005",
        title: "memory is bounded without a newline",
        tier: Tier::Full,
        proves: "PLG-105",
        stimulus: "128 MiB of x without LF, resident memory looked at after every 4 MiB; then LF and a log line",
        accepted: "one refusal and one message. The least memory in the second half is at most 48 MiB above that of the \
                   first look: a garbage collector stays well under it, and whoever keeps the line holds 60 MiB \
                   and more by then",
        cases: endless_line,
        measure: Measure::Memory {
            most: 48 << 20,
            spares_the_silent: false,
        },
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-006",
        title: "an over-long line is refused once",
        proves: "PLG-105",
        stimulus: "a line of 204,800 bytes in 100 writes, of which each is read before the next one",
        accepted: "one refusal",
        cases: long_line_in_pieces,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-007",
        title: "the tail of an over-long line is not decoded",
        proves: "PLG-105",
        stimulus: "70,000 times x and a whole send_input on the same line; the same with the tail in a write of its own, \
                   and at 65,536 and 131,072 bytes; the vectors of PLG-105",
        accepted: "one refusal each, and no message from the tail",
        cases: hidden_tail,
        vectors: &["PLG-105"],
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-008",
        title: "an over-long line may end with the stream",
        proves: "PLG-105",
        stimulus: "102,400 times x without LF, then end of stdin",
        accepted: "one refusal with line_too_long, and exit with status 0",
        cases: long_line_at_the_end,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-009",
        title: "data of 8,192 bytes is accepted",
        proves: "PLG-407",
        stimulus: "a send_input with 8,192 and one with 8,191 ASCII characters of data",
        accepted: "a message each",
        cases: longest_data,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-010",
        title: "data of 8,193 bytes is refused",
        proves: "PLG-407",
        stimulus: "a send_input with 8,193 ASCII characters of data, and with 60,000",
        accepted: "each is refused with input_too_large",
        cases: data_too_long,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-011",
        title: "data is counted in bytes",
        proves: "PLG-407",
        stimulus: "8,192 times é, 4,097 times é, 4,096 times é",
        accepted: "refused with input_too_large, refused likewise, accepted",
        cases: data_in_bytes,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-012",
        title: "data is not counted in UTF-16 units",
        proves: "PLG-407",
        stimulus: "2,048 times U+1F600; the same and one ASCII character; 4,096 times U+1F600",
        accepted: "accepted; refused with input_too_large; refused likewise",
        cases: data_in_utf_16,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-013",
        title: "escapes in data are counted once resolved",
        proves: "PLG-407",
        stimulus: r"8,192 times \u0061; 2,048 times \ud83d\ude00; each once more than that; the vectors of PLG-407",
        accepted: "accepted; accepted; each refused with input_too_large",
        cases: data_in_escapes,
        vectors: &["PLG-407"],
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-014",
        title: "the longest legal command fits a line",
        proves: "PLG-103",
        stimulus: r"a send_input with 8,192 times \u0001 as data and a token of 128 characters",
        accepted: "a message: whether it may be typed is not for the decoder",
        cases: worst_case,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-015",
        title: "nesting is bounded and crashes nothing",
        directions: BOTH,
        proves: "PLG-207",
        stimulus: "an ignored member of 64, 65, 127, 1,000 and 32,000 nested arrays, and of objects; brackets that are \
                   never closed; the vectors of PLG-207",
        accepted: "64 levels are accepted; more are accepted or refused; what is not closed is refused with \
                   not_json; the decoder lives",
        cases: nesting,
        vectors: &["PLG-207"],
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-016",
        title: "the time for a line is linear in its width",
        tier: Tier::Full,
        proves: "PLG-410",
        stimulus: "lines of 50 unknown members and of 200 empty resume_args; then lines a hundred times as wide, with as many \
                   members and arguments altogether: 5,000 members, 20,000 arguments",
        accepted: "a message each, and the CPU time for the wide lines is at most 8 times that for the narrow ones \
                   and 250 ms. No clock of the wall is looked at. Time is not judged of a decoder that decodes at \
                   the end of its stdin, as it may",
        cases: wide_lines,
        measure: Measure::CpuTime,
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-018",
        title: "an event of 65,536 bytes is accepted",
        directions: EVENTS,
        proves: "PLG-103",
        stimulus: "a pane_output line of exactly 65,536 bytes, ended by LF and by CR LF; the vectors of PLG-103 and PLG-104",
        accepted: "a message each",
        cases: longest_event,
        vectors: &["PLG-103", "PLG-104"],
        ..Rule::USUAL
    },
    Rule {
        id: "LIM-020",
        title: "an over-long event is survived",
        level: Level::Should,
        directions: EVENTS,
        proves: "PLG-105",
        stimulus: "a pane_output line of 102,400 bytes, in one write and in pieces; the vectors of PLG-105",
        accepted: "one refusal each, and the next event is a message",
        cases: overlong_event,
        vectors: &["PLG-105"],
        ..Rule::USUAL
    },
];

/// A message with a text of as many of these characters as make the line at most this long, and of
/// x where they do not fit.
fn padded(direction: Direction, character: char, length: usize) -> Sample {
    let room = length - text(direction, "").line().len();
    let times = room / character.len_utf8();
    let rest = room - times * character.len_utf8();
    let sample = text(
        direction,
        &(character.to_string().repeat(times) + &"x".repeat(rest)),
    );
    debug_assert_eq!(sample.line().len(), length);
    sample
}

fn log_of(length: usize) -> Sample {
    padded(Direction::Commands, 'x', length)
}

fn longest_line(_: Direction) -> Vec<Case> {
    vec![
        log_of(MAX_LINE_BYTES - 1).accepted("65,535 bytes"),
        log_of(MAX_LINE_BYTES).accepted("65,536 bytes"),
    ]
}

fn one_byte_more(_: Direction) -> Vec<Case> {
    let length = MAX_LINE_BYTES + 1;
    vec![
        log_of(length).refused("65,537 bytes, a log", LineTooLong),
        Case::refused("65,537 times x", "x".repeat(length), LineTooLong),
    ]
}

fn terminator(_: Direction) -> Vec<Case> {
    let sample = log_of(MAX_LINE_BYTES);
    let line = format!("{}\r", sample.line());
    let whole = Case::accepted("65,536 bytes and CR LF", &*line, sample.message());
    let apart = Case::accepted(
        "65,536 bytes and CR, LF in a write of its own",
        &*line,
        sample.message(),
    );
    vec![whole, apart.cut_at([line.len()])]
}

fn fewer_characters(direction: Direction) -> Vec<Case> {
    let of = |character: char| {
        let about = format!("65,537 bytes of {}", character.escape_unicode());
        padded(direction, character, MAX_LINE_BYTES + 1).refused(&about, LineTooLong)
    };
    ['\u{e9}', '\u{d55c}', '\u{1f600}'].map(of).into()
}

fn endless_line(_: Direction) -> Vec<Case> {
    const STRIDE: usize = 4 << 20;
    let mut chunks = vec![Chunk::new([b'x'; 1 << 16], STRIDE >> 16); (128 << 20) / STRIDE];
    chunks.push(Chunk::new(*b"\n", 1));
    let refused = vec![Expected::Refused(LineTooLong)];
    vec![Case::chunks("128 MiB of x", chunks, refused).looked_at(Look::AfterEachChunk)]
}

fn long_line_in_pieces(_: Direction) -> Vec<Case> {
    let length = 204_800;
    let line = Case::refused(
        "204,800 bytes in 100 writes",
        "x".repeat(length - 1),
        LineTooLong,
    );
    vec![line.cut_at((1..100).map(|piece| piece * length / 100))]
}

fn hidden_tail(_: Direction) -> Vec<Case> {
    let tail = send_input("rm -r build\\r").line();
    let behind = |length: usize| format!("{}{tail}", "x".repeat(length));
    let at = |about: &str, length| Case::refused(about, behind(length), LineTooLong);
    vec![
        at("a send_input behind 70,000 times x", 70_000),
        at(
            "a send_input behind 70,000 times x, in a write of its own",
            70_000,
        )
        .cut_at([70_000]),
        at("a send_input from byte 65,536 on", MAX_LINE_BYTES),
        at(
            "a send_input from byte 65,536 on, in a write of its own",
            MAX_LINE_BYTES,
        )
        .cut_at([MAX_LINE_BYTES]),
        at("a send_input from byte 65,537 on", MAX_LINE_BYTES + 1),
        at("a send_input from byte 65,538 on", MAX_LINE_BYTES + 2),
        at("a send_input from byte 131,072 on", 2 * MAX_LINE_BYTES),
    ]
}

fn long_line_at_the_end(_: Direction) -> Vec<Case> {
    let refused = vec![Expected::Refused(LineTooLong)];
    vec![Case::stream(
        "102,400 times x without LF",
        "x".repeat(102_400),
        refused,
    )]
}

fn data_of(unit: &str, times: usize) -> Sample {
    send_input(&unit.repeat(times))
}

fn longest_data(_: Direction) -> Vec<Case> {
    vec![
        data_of("x", MAX_INPUT_BYTES - 1).accepted("data of 8,191 bytes"),
        data_of("x", MAX_INPUT_BYTES).accepted("data of 8,192 bytes"),
    ]
}

fn data_too_long(_: Direction) -> Vec<Case> {
    vec![
        data_of("x", MAX_INPUT_BYTES + 1).refused("data of 8,193 bytes", InputTooLarge),
        data_of("x", 60_000).refused("data of 60,000 bytes", InputTooLarge),
    ]
}

fn data_in_bytes(_: Direction) -> Vec<Case> {
    vec![
        data_of("\u{e9}", 8_192).refused("8,192 times U+00E9", InputTooLarge),
        data_of("\u{e9}", 4_097).refused("4,097 times U+00E9", InputTooLarge),
        data_of("\u{e9}", 4_096).accepted("4,096 times U+00E9"),
    ]
}

fn data_in_utf_16(_: Direction) -> Vec<Case> {
    let face = "\u{1f600}";
    vec![
        data_of(face, 2_048).accepted("2,048 times U+1F600"),
        send_input(&(face.repeat(2_048) + "x")).refused("2,048 times U+1F600 and x", InputTooLarge),
        data_of(face, 4_096).refused("4,096 times U+1F600", InputTooLarge),
    ]
}

fn data_in_escapes(_: Direction) -> Vec<Case> {
    let (letter, pair) = (r"\u0061", r"\ud83d\ude00");
    vec![
        data_of(letter, 8_192).accepted("8,192 escapes of a letter"),
        data_of(letter, 8_193).refused("8,193 escapes of a letter", InputTooLarge),
        data_of(pair, 2_048).accepted("2,048 escaped pairs"),
        data_of(pair, 2_049).refused("2,049 escaped pairs", InputTooLarge),
    ]
}

fn worst_case(_: Direction) -> Vec<Case> {
    let sample =
        data_of(r"\u0001", MAX_INPUT_BYTES).with("token", &format!("\"{}\"", "t".repeat(128)));
    vec![sample.accepted("8,192 escapes of U+0001 and the longest token")]
}

fn nesting(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "x");
    let nested = |open: &str, inner: &str, close: &str, levels: usize| {
        let value = format!("{}{inner}{}", open.repeat(levels), close.repeat(levels));
        sample.clone().with("zz", &value).line()
    };
    let mut cases = vec![
        Case::accepted(
            "64 nested arrays",
            nested("[", "", "]", 64),
            sample.message(),
        ),
        Case::accepted(
            "64 nested objects",
            nested("{\"a\":", "0", "}", 64),
            sample.message(),
        ),
    ];
    for levels in [65, 127, 1_000, 32_000] {
        cases.push(Case::open(
            &format!("{levels} nested arrays"),
            nested("[", "", "]", levels),
        ));
    }
    for levels in [65, 127, 10_000] {
        cases.push(Case::open(
            &format!("{levels} nested objects"),
            nested("{\"a\":", "0", "}", levels),
        ));
    }
    cases.extend([
        Case::refused(
            "60,000 brackets that are never closed",
            "[".repeat(60_000),
            NotJson,
        ),
        Case::open(
            "32,000 nested arrays for a message",
            "[".repeat(32_000) + &"]".repeat(32_000),
        ),
    ]);
    cases
}

/// Lines with this many members and arguments each, as many lines as make a hundred times 5,000
/// members and 20,000 arguments.
fn lines_of(about: &str, members: usize, arguments: usize, lines: usize) -> Case {
    let wide = (0..members).fold(attention(), |sample, index| {
        sample.and(&format!("z{index}"), "0")
    });
    let array = format!("[{}]", vec!["\"\""; arguments].join(","));
    let listed = relaunch(&array);
    let messages: [(String, Value); 2] = [
        (wide.line(), attention().message()),
        (listed.line(), listed.message()),
    ];
    let bytes: String = messages
        .iter()
        .map(|(line, _)| format!("{line}\n"))
        .collect();
    let verdicts: Vec<_> = messages
        .into_iter()
        .map(|(_, message)| Expected::Message(message))
        .collect();
    let case = Case::stream(about, bytes.repeat(lines), verdicts);
    Case {
        times: lines,
        ..case
    }
    .looked_at(Look::WhenSettled)
}

fn wide_lines(direction: Direction) -> Vec<Case> {
    vec![
        text(direction, "x")
            .accepted("the start")
            .looked_at(Look::WhenSettled),
        lines_of("lines of 50 members and of 200 arguments", 50, 200, 1_000),
        lines_of(
            "lines of 5,000 members and of 20,000 arguments",
            5_000,
            20_000,
            10,
        ),
    ]
}

fn longest_event(direction: Direction) -> Vec<Case> {
    let sample = padded(direction, 'x', MAX_LINE_BYTES);
    let line = format!("{}\r", sample.line());
    vec![
        sample.accepted("65,536 bytes"),
        Case::accepted("65,536 bytes and CR LF", line, sample.message()),
    ]
}

fn overlong_event(direction: Direction) -> Vec<Case> {
    let case = |about: &str| padded(direction, 'x', 102_400).refused(about, LineTooLong);
    let pieces = case("102,400 bytes in pieces").cut_at([40_000, 65_536, 65_537, 90_000]);
    vec![case("102,400 bytes"), pieces]
}
