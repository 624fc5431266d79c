//! The JSON grammar: JSN.

use nightcrow_protocol::RefusalCode::{
    DuplicateMember, InvalidMember, MissingMember, NotAnObject, NotJson, NotUtf8,
};

use super::sample::{log, pane_idle, send_input, text, text_member};
use super::{BOTH, Case, Direction, EVENTS, Level, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "JSN-001",
        title: "nothing stands behind the object",
        proves: "PLG-202",
        stimulus: "a message and x, another message, a comma, a bracket, null",
        accepted: "each line is refused whole with not_json",
        cases: something_behind,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-002",
        title: "extensions of JSON are refused",
        proves: "PLG-202",
        stimulus: "trailing commas, comments, single quotes, bare names, NaN, Infinity, +3, 03, 0x3, .5, 3. and other \
                   spellings, as `v` and in an ignored member",
        accepted: "each is refused with not_json",
        cases: extensions,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-003",
        title: "a message is an object",
        directions: BOTH,
        proves: "PLG-208",
        stimulus: "[], null, a string, numbers, true; the vectors of PLG-208",
        accepted: "each is refused with not_an_object",
        cases: other_values,
        vectors: &["PLG-208"],
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-004",
        title: "an array is no message",
        directions: BOTH,
        proves: "PLG-208",
        stimulus: r#"messages with their members in an array, such as ["log",3,"info","x"]; a message in an array"#,
        accepted: "each is refused with not_an_object",
        cases: positional,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-005",
        title: "names are unique",
        directions: BOTH,
        proves: "PLG-209",
        stimulus: "two v, alike and different; two tags; two of each other member; the vectors of PLG-209",
        accepted: "each is refused with duplicate_member; nested objects may repeat names",
        cases: duplicates,
        vectors: &["PLG-209"],
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-006",
        title: "names are compared with escapes resolved",
        proves: "PLG-209",
        stimulus: r#""v":3,"\u0076":2; the same with cmd and data; names that differ in case"#,
        accepted: "refused with duplicate_member; other case is another name",
        cases: escaped_duplicates,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-007",
        title: "unknown names are unique too",
        level: Level::Should,
        proves: "PLG-209",
        stimulus: r#""zz":1,"zz":2; "zz":1,"\u007az":1; an empty name twice; apart, with other members between"#,
        accepted: "each is refused with duplicate_member",
        cases: unknown_duplicates,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-008",
        title: "unpaired surrogates are refused",
        directions: BOTH,
        proves: "PLG-205",
        stimulus: r"\ud800, \udc00, \ud800\u0041, \udc00\ud800 and others in a value, a name and an ignored member; the vectors of PLG-205",
        accepted: "each is refused with not_json",
        cases: lone_surrogates,
        vectors: &["PLG-205"],
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-009",
        title: "surrogate pairs are decoded",
        proves: "PLG-205",
        stimulus: r"\ud83d\ude00 and the first and last pair; \\ud83d, which is a backslash and letters",
        accepted: "U+1F600 and the other characters",
        cases: pairs,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-010",
        title: "raw control characters are refused",
        proves: "PLG-204",
        stimulus: "each of U+0000 to U+001F but LF raw in a message; raw DEL and U+0080; the vectors of PLG-204",
        accepted: "those below U+0020 are refused with not_json, the others accepted",
        cases: raw_controls,
        vectors: &["PLG-204"],
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-011",
        title: "the order of members means nothing",
        directions: BOTH,
        proves: "PLG-211",
        stimulus: "the tag last; v in the middle",
        accepted: "the same message",
        cases: other_order,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-012",
        title: "whitespace is space, tab and CR",
        directions: BOTH,
        proves: "PLG-202",
        stimulus: "spaces, tabs and CR round all tokens; a no-break space; a form feed; others",
        accepted: "the first three are accepted, the others refused with not_json",
        cases: whitespace,
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-013",
        title: "names and values may be escaped",
        proves: "PLG-211",
        stimulus: r#""\u0063md":"l\u006fg" and others; the vectors of PLG-211"#,
        accepted: "a log",
        cases: escaped_names,
        vectors: &["PLG-211"],
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-014",
        title: "what parsers are known to get wrong",
        directions: BOTH,
        proves: "PLG-202",
        stimulus: "lines of our own for each class of the public JSON parser corpora: structure, literals, numbers, strings, \
                   escapes, encodings; the vectors of PLG-202 and PLG-206",
        accepted: "the verdict of the contract on each; the decoder lives",
        cases: corpus,
        vectors: &["PLG-202", "PLG-206"],
        ..Rule::USUAL
    },
    Rule {
        id: "JSN-015",
        title: "large integers are exact",
        directions: EVENTS,
        proves: "PLG-406",
        stimulus: "idle_ms of 2^53 − 1, 2^53, 2^53 + 1, 2^64 − 1 and 2^64; the vectors of PLG-406",
        accepted: "2^53 − 1 exactly; the others are refused with invalid_member",
        cases: large_integers,
        vectors: &["PLG-406"],
        ..Rule::USUAL
    },
];

fn something_behind(direction: Direction) -> Vec<Case> {
    let line = text(direction, "x").line();
    let behind = [
        " x", &line, ",", "]", "}", " null", "//", "#", "\u{1a}", "1", "\"\"",
    ];
    let case = |tail: &str| {
        let about = format!(
            "a message and {}",
            if tail == line { "another one" } else { tail }
        );
        Case::refused(&spelled(&about), format!("{line}{tail}"), NotJson)
    };
    behind.map(case).into()
}

fn extensions(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "x");
    let line = sample.line();
    let mut cases = vec![
        Case::refused("a trailing comma", line.replace('}', ",}"), NotJson),
        Case::refused("a leading comma", line.replace('{', "{,"), NotJson),
        Case::refused("two commas", line.replacen(',', ",,", 1), NotJson),
        Case::refused("a comment", line.replacen(',', ",/* x */", 1), NotJson),
        Case::refused(
            "a comment to the end of the line",
            format!("{line}// x"),
            NotJson,
        ),
        Case::refused("single quotes", line.replace('"', "'"), NotJson),
        Case::refused("a bare name", line.replacen("\"v\"", "v", 1), NotJson),
        Case::refused("an equals sign", line.replacen(':', "=", 1), NotJson),
        Case::refused("no colon", line.replacen(':', " ", 1), NotJson),
        Case::refused("two colons", line.replacen(':', "::", 1), NotJson),
        Case::refused("no comma", line.replacen(',', " ", 1), NotJson),
        Case::refused("a semicolon", line.replacen(',', ";", 1), NotJson),
    ];
    let numbers = [
        "NaN",
        "-NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "inf",
        "+3",
        "03",
        "-03",
        "0x3",
        "0b11",
        "0o3",
        ".5",
        "-.5",
        "3.",
        "3.e1",
        "3e",
        "3e+",
        "3E-",
        "3.0e",
        "--3",
        "- 3",
        "3 0",
        "3_0",
        "3,0",
        "1e1.5",
        "3f",
        "3n",
        "\u{ff13}",
        "\u{0663}",
    ];
    for number in numbers {
        let about = format!("{} as v", spelled(number));
        cases.push(sample.clone().with("v", number).refused(&about, NotJson));
        let about = format!("{} in an ignored member", spelled(number));
        cases.push(sample.clone().with("zz", number).refused(&about, NotJson));
    }
    cases
}

fn other_values(_: Direction) -> Vec<Case> {
    [
        "[]", "[{}]", "null", "\"log\"", "\"\"", "3", "-0.5e1", "true", "false", " [ ] ",
    ]
    .map(|value| Case::refused(value, value, NotAnObject))
    .into()
}

fn positional(direction: Direction) -> Vec<Case> {
    let message = text(direction, "x").line();
    let arrays: &[&str] = match direction {
        Direction::Commands => &[
            r#"["log",3,"info","x"]"#,
            r#"["attention",3,"t",1]"#,
            r#"["watch_pane",3,"t"]"#,
            r#"[3,"info","x"]"#,
            r#"["log",{"v":3,"level":"info","message":"x"}]"#,
        ],
        Direction::Events => &[
            r#"["shutdown",3]"#,
            r#"["shutdown"]"#,
            r#"["pane_exited",3,"t",1]"#,
            r#"["pane_output",3,"t",1,"x"]"#,
            r#"["shutdown",{"v":3}]"#,
        ],
    };
    let mut cases: Vec<_> = arrays
        .iter()
        .map(|array| Case::refused(array, *array, NotAnObject))
        .collect();
    cases.push(Case::refused(
        "a message in an array",
        format!("[{message}]"),
        NotAnObject,
    ));
    cases
}

fn duplicates(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for sample in super::sample::each_kind(direction) {
        for name in sample.names() {
            for value in ["3", "2", "\"x\"", "null"] {
                let about = format!("two {name}, the second {value}");
                cases.push(
                    sample
                        .clone()
                        .and(&name, value)
                        .refused(&about, DuplicateMember),
                );
            }
        }
    }
    let nested = text(direction, "x").with("zz", r#"{"a":1,"a":2,"v":2}"#);
    cases.push(Case::accepted(
        "names twice in a nested object",
        nested.line(),
        text(direction, "x").message(),
    ));
    cases
}

fn escaped_duplicates(direction: Direction) -> Vec<Case> {
    let twice = |name: &str, value: &str| {
        let sample = send_input("x").and(name, value);
        sample.refused(&format!("a second {name}"), DuplicateMember)
    };
    let other_case = text(direction, "x")
        .with("V", "2")
        .with("CMD", "\"relaunch\"");
    vec![
        twice(r"\u0076", "2"),
        twice(r"\u0076", "3"),
        twice(r"\u0063md", "\"log\""),
        twice(r"cm\u0064", "\"send_input\""),
        twice(r"\u0064\u0061\u0074\u0061", "\"y\""),
        twice(r"dat\u0061", "3"),
        Case::accepted(
            "names in another case",
            other_case.line(),
            text(direction, "x").message(),
        ),
    ]
}

fn unknown_duplicates(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "x");
    let twice = |first: &str, second: &str, value: &str| {
        let sample = sample.clone().and(first, "1").and(second, value);
        sample.refused(&format!("{first} and {second}: {value}"), DuplicateMember)
    };
    let apart = text(direction, "x")
        .without("v")
        .with("zz", "1")
        .with("v", "3")
        .and("zz", "1");
    vec![
        twice("zz", "zz", "2"),
        twice("zz", "zz", "1"),
        twice("zz", r"\u007az", "1"),
        twice("", "", "1"),
        twice("\u{e9}", r"\u00e9", "1"),
        twice("\u{1f600}", r"\ud83d\ude00", "1"),
        twice(r"\/", "/", "1"),
        apart.refused("zz twice, apart", DuplicateMember),
        Case::accepted(
            "composed and decomposed, which differ",
            sample
                .clone()
                .and("\u{e9}", "1")
                .and("e\u{301}", "1")
                .line(),
            sample.message(),
        ),
    ]
}

fn lone_surrogates(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    let alone = [
        r"\ud800",
        r"\udbff",
        r"\udc00",
        r"\uDFFF",
        r"\ud800\u0041",
        r"\ud800x",
        r"\ud800\n",
        r"\udc00\ud800",
        r"\ud800\ud800\udc00",
        r"\ud83d\\ude00",
    ];
    for escapes in alone {
        let sample = text(direction, "x");
        let place = text_member(direction);
        cases.push(text(direction, escapes).refused(&format!("{escapes} in {place}"), NotJson));
        let name = sample.clone().with(escapes, "1");
        cases.push(name.refused(&format!("{escapes} in a name"), NotJson));
        let ignored = sample.clone().with("zz", &format!("\"{escapes}\""));
        cases.push(ignored.refused(&format!("{escapes} in an ignored member"), NotJson));
        let nested = sample.with("zz", &format!("[{{\"a\":\"{escapes}\"}}]"));
        cases.push(nested.refused(&format!("{escapes} deep in an ignored member"), NotJson));
    }
    cases
}

fn pairs(_: Direction) -> Vec<Case> {
    let case = |escapes: &str, text: &str| {
        let about = format!("{escapes} in message");
        let message = serde_json::json!({"cmd": "log", "v": 3, "level": "info", "message": text});
        Case::accepted(&about, log(escapes).line(), message)
    };
    vec![
        case(r"\ud83d\ude00", "\u{1f600}"),
        case(r"\uD83D\uDE00", "\u{1f600}"),
        case(r"\ud800\udc00", "\u{10000}"),
        case(r"\udbff\udfff", "\u{10ffff}"),
        case(r"\ud7ff\ue000", "\u{d7ff}\u{e000}"),
        case(r"\\ud83d", "\\ud83d"),
        case(r"\\\ud83d\ude00", "\\\u{1f600}"),
    ]
}

fn raw_controls(direction: Direction) -> Vec<Case> {
    let control = |byte: u8| {
        let sample = text(direction, &format!("a{}b", char::from(byte)));
        sample.refused(&format!("a raw U+{byte:04X} in a text"), NotJson)
    };
    let mut cases: Vec<_> = (0..0x20)
        .filter(|byte| *byte != b'\n')
        .map(control)
        .collect();
    for character in ['\u{7f}', '\u{80}', '\u{9f}', '\u{a0}'] {
        let about = format!("a raw {} in a text", character.escape_unicode());
        cases.push(text(direction, &character.to_string()).accepted(&about));
    }
    cases
}

fn other_order(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for sample in super::sample::each_kind(direction) {
        let last = sample.clone().tag_last();
        cases.push(Case::accepted(
            "the tag last",
            last.line(),
            sample.message(),
        ));
        let v_last = sample.clone().without("v").with("v", "3");
        cases.push(Case::accepted("v last", v_last.line(), sample.message()));
    }
    cases
}

fn whitespace(direction: Direction) -> Vec<Case> {
    let sample = text(direction, "x");
    let spaced = |about: &str, space: &str| {
        Case::accepted(about, sample.spaced(space, space), sample.message())
    };
    let refused = |space: char| {
        let about = format!("{} between tokens", space.escape_unicode());
        Case::refused(
            &about,
            sample.line().replacen(',', &format!(",{space}"), 1),
            NotJson,
        )
    };
    let mut cases = vec![
        spaced("spaces round tokens", "  "),
        spaced("tabs round tokens", "\t"),
        spaced("CR round tokens", "\r"),
        spaced("all of them round tokens", " \t\r "),
    ];
    let others = [
        '\u{a0}', '\u{c}', '\u{b}', '\u{85}', '\u{2003}', '\u{2028}', '\u{3000}', '\u{feff}',
        '\u{200b}', '\u{1c}', '\u{1f}',
    ];
    cases.extend(others.map(refused));
    cases
}

fn escaped_names(_: Direction) -> Vec<Case> {
    let line = log("x").line();
    let message = log("x").message();
    let case = |about: &str, line: String| Case::accepted(about, line, message.clone());
    vec![
        case(
            "an escaped tag and its value",
            line.replace("cmd", r"\u0063md")
                .replace("\"log\"", r#""l\u006fg""#),
        ),
        case("an escaped v", line.replace("\"v\"", r#""\u0076""#)),
        case(
            "an escaped level",
            line.replace("\"info\"", r#""\u0069\u006e\u0066\u006F""#),
        ),
        case(
            "an escaped name",
            line.replace("\"message\"", r#""m\u0065ssage""#),
        ),
    ]
}

fn corpus(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    for line in [
        // Structure.
        "{",
        "}",
        "[",
        "]",
        "{]",
        "[}",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\",\"b\"}",
        "{1:1}",
        "{null:1}",
        "{[]:1}",
        "{\"a\":1:2}",
        "[1",
        "[1,",
        "[,1]",
        "[1,,2]",
        "[1,]",
        "[1 2]",
        "[1:2]",
        "[[]",
        "[]]",
        "{}}",
        "{}{}",
        "[][]",
        "{,}",
        "[,]",
        ",",
        ":",
        "{\"a\":}",
        "{:1}",
        "[\"a\"",
        "[\"a",
        "\"",
        "\"a",
        "'a'",
        "a",
        "*",
        "<null>",
        "[<null>]",
        "{\"a\":1 \"b\":2}",
        "{\"a\" 1}",
        "{a:1}",
        "{'a':1}",
        "(1)",
        "{\"a\":(1)}",
        // Literals.
        "nul",
        "nulll",
        "NULL",
        "Null",
        "tru",
        "truee",
        "True",
        "TRUE",
        "fals",
        "falsee",
        "False",
        "undefined",
        "None",
        "nil",
        "[nul]",
        "[tru]",
        "[fals]",
        // Numbers.
        "-",
        "+",
        "-a",
        "+1",
        "++1",
        "--1",
        "01",
        "-01",
        "00",
        "0.",
        "0.e1",
        ".1",
        "-.1",
        "1.",
        "1..2",
        "1e",
        "1e+",
        "1e-",
        "1eE2",
        "1e1e1",
        "1.2.3",
        "0x1",
        "0X1F",
        "1a",
        "1 000",
        "1_000",
        "NaN",
        "Infinity",
        "-Infinity",
        "Inf",
        "1e1000",
        "-1e1000",
        "[1.]",
        "[.1]",
        "[-]",
        "[0e]",
        "[0e+]",
        "[2.e3]",
        "[1e400]",
        "[-1e9999]",
        // Strings and escapes.
        r#""\"#,
        r#""\""#,
        r#""\\\""#,
        r#""\a""#,
        r#""\x41""#,
        r#""\u""#,
        r#""\u1""#,
        r#""\u12""#,
        r#""\u123""#,
        r#""\u123g""#,
        r#""\u{41}""#,
        r#""\U0041""#,
        r#""\0""#,
        r#""\'""#,
        r#""\v""#,
        r#""\ ""#,
        r#""\u00e""#,
        r#"["\u00A"]"#,
        r#""\ud800""#,
        r#""\ud800\u""#,
        r#""\udc00\ud800""#,
        "\"a\tb\"",
        "\"\u{1f}\"",
        "`a`",
        "\u{201c}a\u{201d}",
        "\"a\"b\"",
        "\"a\" \"b\"",
        // Extensions.
        "// x",
        "/**/{}",
        "{}/**/",
        "# x",
        "{}#",
        "{/**/}",
        "{\"a\":/*1*/1}",
        "<!-- {} -->",
        "{} ;",
        "callback({})",
        "%7B%7D",
        "\u{feff}",
        "\u{a0}{}",
        "{}\u{2028}",
    ] {
        cases.push(Case::refused(&spelled(line), line, NotJson));
    }
    for line in [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "-1",
        "1.5",
        "1E5",
        "1e+5",
        "1e-5",
        "0e0",
        "0.0e-0",
        "123456789012345678901234567890",
        "1e308",
        "1e-400",
        "\"\"",
        "\"a\"",
        r#""\u0000""#,
        r#""\"\\\/\b\f\n\r\t""#,
        "\"\u{7f}\"",
        "\"\u{10ffff}\"",
        "[]",
        "[[]]",
        "[null, 1, \"a\", {}]",
        " [1] ",
        "\t1\r",
    ] {
        cases.push(Case::refused(&spelled(line), line, NotAnObject));
    }
    for line in [
        "{}",
        " { } ",
        r#"{"":0}"#,
        r#"{"a":{"a":{}}}"#,
        r#"{"\u0000":[]}"#,
        r#"{"a":1,"A":1}"#,
    ] {
        cases.push(Case::refused(&spelled(line), line, MissingMember));
    }
    let raw: [(&str, &[u8]); 6] = [
        ("a lone continuation byte", b"\"\x80\""),
        ("Latin-1", b"\"caf\xe9\""),
        ("an overlong slash", b"\"\xc0\xaf\""),
        ("six bytes", b"\"\xfc\x83\xbf\xbf\xbf\xbf\""),
        ("a cut character", b"\"\xe0\xff\""),
        ("FF outside a string", b"\xff{}"),
    ];
    cases.extend(raw.map(|(about, bytes)| Case::refused(about, bytes, NotUtf8)));
    let sample = text(direction, "x");
    for value in [
        "0",
        "-0",
        "-0.0",
        "0e1",
        "1E+2",
        "1e-400",
        "123456789012345678901234567890",
        "9007199254740993",
        "1.7976931348623157e308",
        "null",
        "[[],{}]",
        r#""\u0000\uffff""#,
        "\"\u{fdd0}\u{fffe}\"",
    ] {
        let line = sample.clone().with("zz", value).line();
        cases.push(Case::accepted(
            &format!("{} in an ignored member", spelled(value)),
            line,
            sample.message(),
        ));
    }
    cases
}

/// A line as the words for it.
fn spelled(line: &str) -> String {
    line.escape_default().to_string()
}

fn large_integers(_: Direction) -> Vec<Case> {
    let mut cases = vec![pane_idle("9007199254740991").accepted("2^53 - 1")];
    for (name, number) in [
        ("2^53", "9007199254740992"),
        ("2^53 + 1", "9007199254740993"),
        ("2^63", "9223372036854775808"),
        ("2^64 - 1", "18446744073709551615"),
        ("2^64", "18446744073709551616"),
    ] {
        cases.push(pane_idle(number).refused(name, InvalidMember));
    }
    cases
}
