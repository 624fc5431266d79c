//! Numbers, tokens and single messages: NUM, TOK, ATT.

use nightcrow_protocol::RefusalCode::{InvalidMember, MissingMember, NotJson};

use super::sample::{TOKEN, attention, each_kind, pane_output, quoted, status, watch_pane};
use super::{BOTH, Case, Direction, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "NUM-001",
        title: "a generation is a plain integer from 1",
        directions: BOTH,
        proves: "PLG-402",
        stimulus: "generation of 1 and 4,294,967,295; of 0, 4,294,967,296, -1, 1.0, 1e0, 01, 1e400 and 40 digits; the vectors of \
                   PLG-402 and PLG-403",
        accepted: "the first two are accepted, the others refused with invalid_member, and with not_json where they are no \
                   JSON or not finite",
        cases: generations,
        vectors: &["PLG-402", "PLG-403"],
        ..Rule::USUAL
    },
    Rule {
        id: "NUM-002",
        title: "attempt and deadline_epoch have their ranges",
        proves: "PLG-404",
        stimulus: "attempt of 0, 4,294,967,295 and one more; deadline_epoch of ±(2^53 − 1) and one beyond; other spellings; \
                   the vectors of PLG-404 and PLG-405",
        accepted: "those in range are accepted exactly, the others refused with invalid_member",
        cases: ranges,
        vectors: &["PLG-404", "PLG-405"],
        ..Rule::USUAL
    },
    Rule {
        id: "TOK-008",
        title: "tokens have their syntax",
        directions: BOTH,
        proves: "PLG-401",
        stimulus: "tokens that are empty, of 129 characters, with a space, with é, with LF at the end; a UUID, base64url, 128 characters; \
                   the vectors of PLG-401",
        accepted: "the last three are accepted, the others refused with invalid_member",
        cases: tokens,
        vectors: &["PLG-401"],
        ..Rule::USUAL
    },
    Rule {
        id: "ATT-001",
        title: "attention is a token and a generation",
        proves: "PLG-505",
        stimulus: "an attention without token, without generation, and with a message; the vectors of PLG-505",
        accepted: "refused with missing_member, refused likewise, accepted without the message",
        cases: attentions,
        vectors: &["PLG-505"],
        ..Rule::USUAL
    },
];

fn generations(direction: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    let samples = each_kind(direction).into_iter();
    for sample in samples.filter(|sample| sample.names().iter().any(|name| name == "generation")) {
        let of = |generation: &str| sample.clone().with("generation", generation);
        for generation in ["1", "2", "4294967295"] {
            cases.push(of(generation).accepted(&format!("generation is {generation}")));
        }
        let digits = "1".repeat(40);
        for generation in [
            "0",
            "4294967296",
            "4294967297",
            "-1",
            "-0",
            "1.0",
            "1e0",
            "10e-1",
            "1.5",
            "18446744073709551617",
            &*digits,
            "1e300",
            "\"1\"",
            "true",
            "null",
        ] {
            cases.push(
                of(generation).refused(&format!("generation is {generation}"), InvalidMember),
            );
        }
        for generation in ["01", "+1", "1e400", "1.", "0x1", "NaN"] {
            cases.push(of(generation).refused(&format!("generation is {generation}"), NotJson));
        }
    }
    cases
}

fn ranges(_: Direction) -> Vec<Case> {
    let mut cases = Vec::new();
    let (attempt, deadline) = ("attempt", "deadline_epoch");
    for (name, accepted, refused) in [
        (
            attempt,
            &["0", "1", "4294967295"][..],
            &[
                "4294967296",
                "-1",
                "-0",
                "0.0",
                "1e2",
                "18446744073709551616",
                "\"0\"",
                "false",
            ][..],
        ),
        (
            deadline,
            &["9007199254740991", "-9007199254740991", "0", "1"],
            &[
                "9007199254740992",
                "-9007199254740992",
                "9007199254740993",
                "9223372036854775808",
                "-9223372036854775809",
                "18446744073709551616",
                "1.5e9",
                "1800000000.0",
                "-0",
                "\"1800000000\"",
            ],
        ),
    ] {
        for number in accepted {
            cases.push(
                status()
                    .with(name, number)
                    .accepted(&format!("{name} is {number}")),
            );
        }
        for number in refused {
            cases.push(
                status()
                    .with(name, number)
                    .refused(&format!("{name} is {number}"), InvalidMember),
            );
        }
    }
    cases
}

fn tokens(direction: Direction) -> Vec<Case> {
    let sample = match direction {
        Direction::Commands => watch_pane(),
        Direction::Events => pane_output("x"),
    };
    let of = |token: &str| sample.clone().with("token", &quoted(token));
    let longest = "t".repeat(128);
    let accepted = [
        "0c9ac2a8-6f1c-4b0e-9d5e-3a1f0b7c2d44",
        "q83v-_EjRWeJq83v7w",
        &*longest,
        TOKEN,
        "-",
        "_",
        "0",
    ];
    let too_long = "t".repeat(129);
    let refused = [
        "", &*too_long, "a b", " a", "a ", "\u{e9}", "a\u{301}", "a\\n", "\\u0000", "a.b", "a/b",
        "a+b", "a=", "a:b", "\u{ff41}", "\u{661}", "\\u212a",
    ];
    let mut cases: Vec<_> = accepted
        .iter()
        .map(|token| of(token).accepted(&format!("a token of {} characters", token.len())))
        .collect();
    cases.extend(refused.iter().map(|token| {
        let about = if token.len() > 20 {
            "129 characters".to_owned()
        } else {
            format!("\"{}\"", token.escape_default())
        };
        of(token).refused(&format!("a token of {about}"), InvalidMember)
    }));
    cases
}

fn attentions(_: Direction) -> Vec<Case> {
    let chatty = attention().with("message", "\"look\"");
    vec![
        attention().accepted("token and generation"),
        attention()
            .without("token")
            .refused("no token", MissingMember),
        attention()
            .without("generation")
            .refused("no generation", MissingMember),
        Case::accepted("a message as well", chatty.line(), attention().message()),
    ]
}
