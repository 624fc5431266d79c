//! The framer: any cutting of a stream gives the same lines, and memory stays bounded.

#![allow(clippy::unwrap_used, missing_docs)]

use nightcrow_protocol::{LineFramer, RefusalCode};
use proptest::prelude::*;

/// A line as the tests see it: its bytes or its refusal, and whether it was terminated.
type Seen = (Result<Vec<u8>, RefusalCode>, bool);

fn frame<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut framer = LineFramer::new();
    let mut seen = Vec::new();
    for mut input in chunks {
        while let Some(line) = framer.next_line(&mut input) {
            let bytes = line
                .bytes()
                .map(<[u8]>::to_vec)
                .map_err(|refusal| refusal.code());
            seen.push((bytes, line.is_terminated()));
        }
        assert!(input.is_empty(), "all input is consumed");
    }
    if let Some(line) = framer.finish() {
        let bytes = line
            .bytes()
            .map(<[u8]>::to_vec)
            .map_err(|refusal| refusal.code());
        seen.push((bytes, line.is_terminated()));
    }
    assert!(framer.finish().is_none(), "a finished framer is as new");
    seen
}

fn line(bytes: impl Into<Vec<u8>>) -> Seen {
    (Ok(bytes.into()), true)
}

const TOO_LONG: Seen = (Err(RefusalCode::LineTooLong), true);

#[test]
fn cuts_at_lf_and_drops_one_cr_before_it() {
    assert_eq!(
        frame([&b"a\nb\r\n\r\n\n"[..]]),
        [line("a"), line("b"), line(""), line("")]
    );
    assert_eq!(frame([&b"a\rb\r\r\n"[..]]), [line("a\rb\r")]);
    assert_eq!(
        frame([&b"a\r"[..], b"\n", b"b", b"\r", b"c\n"]),
        [line("a"), line("b\rc")]
    );
    assert_eq!(
        frame(["x\u{2028}y\u{85}z\u{b}\n".as_bytes()]),
        [line("x\u{2028}y\u{85}z\u{b}")]
    );
}

#[test]
fn the_end_of_the_stream_ends_a_line_without_terminator() {
    assert_eq!(
        frame([&b"a\nb"[..]]),
        [line("a"), (Ok(b"b".to_vec()), false)]
    );
    assert_eq!(frame([&b"a\r"[..]]), [(Ok(b"a\r".to_vec()), false)]);
    assert_eq!(frame([&b""[..]]), []);
    assert_eq!(frame([&b"a\n"[..], b""]), [line("a")]);
}

#[test]
fn the_limit_is_inclusive_and_excludes_the_terminator() {
    let full = vec![b'x'; 65_536];
    for terminator in ["\n", "\r\n"] {
        let stream = [&full, terminator.as_bytes(), b"next\n"].concat();
        assert_eq!(frame([&stream[..]]), [line(full.clone()), line("next")]);
        assert_eq!(
            frame(stream.chunks(4_096)),
            [line(full.clone()), line("next")]
        );
        let stream = [&full, &b"x"[..], terminator.as_bytes(), b"next\n"].concat();
        assert_eq!(frame([&stream[..]]), [TOO_LONG, line("next")]);
        assert_eq!(frame(stream.chunks(4_096)), [TOO_LONG, line("next")]);
    }
    assert_eq!(frame([&full[..]]), [(Ok(full.clone()), false)]);
    let with_cr = [&full[..], b"\r"].concat();
    assert_eq!(frame([&with_cr[..]]), [TOO_LONG], "the CR counts");
    assert_eq!(frame([&with_cr[..], b"x\n"]), [TOO_LONG]);
    assert_eq!(frame([&with_cr[..], b"", b"\n"]), [line(full)]);
}

#[test]
fn an_over_long_line_is_refused_once_and_skipped_to_its_end() {
    let long = vec![b'x'; 200_000];
    let stream = [&long[..], b"{\"tail\":1}\nnext\n"].concat();
    for size in [1, 7, 4_096, 65_536, 65_537, 65_538, 1 << 20] {
        assert_eq!(
            frame(stream.chunks(size)),
            [TOO_LONG, line("next")],
            "chunks of {size}"
        );
    }
    assert_eq!(
        frame(long.chunks(1_000)).len(),
        1,
        "also when the stream ends in it"
    );
}

#[test]
fn a_framer_can_be_used_again_after_the_end() {
    let mut framer = LineFramer::new();
    let long = vec![b'x'; 70_000];
    assert!(framer.next_line(&mut &long[..]).is_some());
    assert!(framer.finish().is_none());
    let mut input = &b"a\n"[..];
    assert_eq!(framer.next_line(&mut input).unwrap().bytes(), Ok(&b"a"[..]));
}

#[test]
fn the_end_of_the_stream_turns_bad_json_into_truncated_and_nothing_else() {
    let code = |rest: &[u8], is_command: bool| {
        let mut framer = LineFramer::new();
        assert!(framer.next_line(&mut &rest[..]).is_none());
        let line = framer.finish().unwrap();
        if is_command {
            line.decode_command()
                .map(|command| command.is_some())
                .map_err(|refusal| refusal.code())
        } else {
            line.decode_event()
                .map(|event| event.is_some())
                .map_err(|refusal| refusal.code())
        }
    };
    assert_eq!(
        code(br#"{"cmd":"log","v":3,"lev"#, true),
        Err(RefusalCode::Truncated)
    );
    assert_eq!(
        code(b"{\"cmd\":\"\xe2\x82", true),
        Err(RefusalCode::Truncated)
    );
    assert_eq!(
        code(br#"{"cmd":"log","v":2}"#, true),
        Err(RefusalCode::VersionMismatch)
    );
    assert_eq!(code(br#"{"event":"shutdown","v":3}"#, false), Ok(true));
    assert_eq!(
        code(br#"{"event":"shutdown","v":3"#, false),
        Err(RefusalCode::Truncated)
    );
    assert_eq!(code(b" \r", false), Ok(false));
}

/// Streams rich in what framing is about, with lengths around the limit.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        "[a-z é]{0,20}".prop_map(String::into_bytes),
        (65_530_usize..65_545).prop_map(|length| vec![b'x'; length]),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_cutting_gives_the_lines_of_a_plain_split(
        stream in stream(),
        cuts in prop::collection::vec(1_usize..70_000, 1..8),
    ) {
        let mut rest = &stream[..];
        let mut chunks = Vec::new();
        for cut in cuts.into_iter().cycle() {
            if rest.is_empty() { break; }
            let (chunk, behind) = rest.split_at(cut.min(rest.len()));
            chunks.push(chunk);
            rest = behind;
        }
        prop_assert_eq!(frame(chunks), plain_split(&stream));
    }
}

/// What the framer must agree with, for a stream that is all there.
fn plain_split(stream: &[u8]) -> Vec<Seen> {
    let mut pieces: Vec<_> = stream.split(|byte| *byte == b'\n').collect();
    let rest = pieces.pop().unwrap();
    let checked = |bytes: &[u8]| {
        if bytes.len() > 65_536 {
            Err(RefusalCode::LineTooLong)
        } else {
            Ok(bytes.to_vec())
        }
    };
    let mut seen: Vec<Seen> = pieces
        .into_iter()
        .map(|piece| (checked(piece.strip_suffix(b"\r").unwrap_or(piece)), true))
        .collect();
    if !rest.is_empty() {
        seen.push((checked(rest), rest.len() > 65_536));
    }
    seen
}
