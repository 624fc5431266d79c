//! `decode_command` beside what one would write without it.
//!
//! `serde_json` reads an internally tagged owned enum of the same shape, without any of the rules
//! that its derive lacks. `sonic-rs` reads a flat struct that borrows and is no enum at all: a lower
//! bound for any reader.

#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nightcrow_protocol::decode_command;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "snake_case")]
#[allow(dead_code)]
enum Owned {
    SendInput {
        v: u32,
        token: String,
        generation: u32,
        data: String,
    },
    Relaunch {
        v: u32,
        token: String,
        generation: u32,
        resume_args: Vec<String>,
    },
    Status {
        v: u32,
        token: String,
        generation: u32,
        state: String,
        detail: Option<String>,
        deadline_epoch: Option<i64>,
        attempt: u32,
    },
    WatchPane {
        v: u32,
        token: String,
    },
    Attention {
        v: u32,
        token: String,
        generation: u32,
    },
    Log {
        v: u32,
        level: String,
        message: String,
    },
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct Flat<'a> {
    cmd: &'a str,
    v: u32,
    token: Option<&'a str>,
    generation: Option<u32>,
    data: Option<&'a str>,
    #[serde(borrow)]
    resume_args: Option<Vec<&'a str>>,
    state: Option<&'a str>,
    detail: Option<&'a str>,
    deadline_epoch: Option<i64>,
    attempt: Option<u32>,
    level: Option<&'a str>,
    message: Option<&'a str>,
}

fn lines() -> Vec<(&'static str, String)> {
    const PANE: &str = r#""v":3,"token":"00112233445566778899aabbccddeeff","generation":1"#;
    let text = "the quick brown fox jumps over the lazy dog ".repeat(187);
    vec![
        (
            "send_input",
            format!(r#"{{"cmd":"send_input",{PANE},"data":"continue"}}"#),
        ),
        (
            "status",
            format!(
                r#"{{"cmd":"status",{PANE},"state":"waiting","detail":"resets soon","deadline_epoch":1800000000,"attempt":0}}"#
            ),
        ),
        (
            "relaunch",
            format!(
                r#"{{"cmd":"relaunch",{PANE},"resume_args":["resume","0199cbb1-2b70-7f11-9f0f-0f8e9d1c2b3a"]}}"#
            ),
        ),
        (
            "send_input_8k",
            format!(
                r#"{{"cmd":"send_input",{PANE},"data":"{}"}}"#,
                &text[..8_192]
            ),
        ),
    ]
}

fn decode(criterion: &mut Criterion) {
    for (name, line) in lines() {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_with_input(
            BenchmarkId::from_parameter("decode_command"),
            &line,
            |b, line| {
                b.iter(|| {
                    decode_command(black_box(line.as_bytes()))
                        .is_ok_and(|command| command.is_some())
                });
            },
        );
        group.bench_with_input(
            BenchmarkId::from_parameter("serde_json_owned"),
            &line,
            |b, line| {
                b.iter(|| serde_json::from_str::<Owned>(black_box(line)).is_ok());
            },
        );
        group.bench_with_input(
            BenchmarkId::from_parameter("sonic_flat_borrowed"),
            &line,
            |b, line| {
                b.iter(|| sonic_rs::from_str::<Flat<'_>>(black_box(line)).is_ok());
            },
        );
        group.finish();
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
