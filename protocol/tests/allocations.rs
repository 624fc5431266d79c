//! What decoding and framing allocate: nothing, except where the line forces it.

#![allow(clippy::unwrap_used, missing_docs)]

use allocation_counter::{AllocationInfo, measure};
use nightcrow_protocol::{LineFramer, decode_command, decode_event};

fn allocations(line: &str) -> u64 {
    let AllocationInfo { count_total, .. } = measure(|| {
        let is_message = if line.contains(r#""cmd""#) {
            decode_command(line.as_bytes()).is_ok()
        } else {
            decode_event(line.as_bytes()).is_ok()
        };
        assert!(is_message, "{line}");
    });
    count_total
}

const PANE: &str = r#""v":3,"token":"00112233445566778899aabbccddeeff","generation":1"#;

#[test]
fn plain_messages_allocate_nothing() {
    let data = "x".repeat(8_192);
    for line in [
        format!(r#"{{"cmd":"send_input",{PANE},"data":"{data}"}}"#),
        format!(
            r#"{{"cmd":"status",{PANE},"state":"waiting","detail":"until noon","deadline_epoch":1800000000,"attempt":0}}"#
        ),
        r#"{"cmd":"watch_pane","v":3,"token":"00112233445566778899aabbccddeeff"}"#.to_owned(),
        format!(r#"{{"cmd":"attention",{PANE}}}"#),
        r#"{"cmd":"log","v":3,"level":"info","message":"héllo"}"#.to_owned(),
        format!(r#"{{"event":"pane_opened",{PANE},"title":"build","command":"make","cwd":"/w"}}"#),
        format!(r#"{{"event":"pane_output",{PANE},"text":"done"}}"#),
        format!(r#"{{"event":"pane_idle",{PANE},"idle_ms":10007}}"#),
        r#"{"event":"shutdown","v":3}"#.to_owned(),
    ] {
        assert_eq!(allocations(&line), 0, "{line}");
    }
}

#[test]
fn what_must_allocate_does_so_once() {
    let escape = r#"{"cmd":"log","v":3,"level":"info","message":"a\nb"}"#;
    assert!(allocations(escape) <= 1);
    let relaunch = format!(r#"{{"cmd":"relaunch",{PANE},"resume_args":["resume","0199cbb1"]}}"#);
    assert!(allocations(&relaunch) <= 1);
    let unknown = r#"{"cmd":"log","v":3,"level":"info","message":"","zz":{"a":[1]}}"#;
    assert!(allocations(unknown) <= 1);
    let empty = format!(r#"{{"cmd":"relaunch",{PANE},"resume_args":[]}}"#);
    assert_eq!(allocations(&empty), 0);
}

#[test]
fn a_refused_line_allocates_nothing() {
    let line = r#"{"cmd":"log","v":3,"level":"info","message":7}"#;
    let refused = measure(|| assert!(decode_command(line.as_bytes()).is_err()));
    assert_eq!(refused.count_total, 0);
}

#[test]
fn an_endless_line_costs_a_bounded_buffer() {
    let chunk = [b'x'; 8_192];
    let mut lines = 0;
    let endless = measure(|| {
        let mut framer = LineFramer::new();
        for _ in 0..8_192 {
            let mut input = &chunk[..];
            while framer.next_line(&mut input).is_some() {
                lines += 1;
            }
        }
    });
    assert_eq!(lines, 1, "one refusal for 64 MiB");
    assert!(
        endless.bytes_max <= 256 * 1024,
        "{} bytes",
        endless.bytes_max
    );
}
