//! How much slower traffic is through the proxy than through a process that only copies.
//!
//! A host sends 100,000 lines to the Node example and reads what it answers: through `cat` on either side,
//! and through the proxy. Rounds alternate; the ratios are those of the medians. The traffic is over when
//! the host has read the plugin's last byte; all is over when the last process has ended, and the proxy
//! has judged and written down everything.
//!
//! `cargo bench -p nightcrow-conformance --bench proxy [ROUNDS]`

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LINES: usize = 100_000;

/// How the host writes.
#[derive(Clone, Copy)]
enum Manner {
    /// A write for each line, as senders should.
    Flushed,
    /// As much as fits a pipe in one write.
    Batched,
}

fn main() {
    let rounds = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(9);
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording.ndjson");
    let recording = recording.to_str().unwrap();
    let proxy = env!("CARGO_BIN_EXE_conformance");
    let ways: [(&str, Vec<&str>); 4] = [
        ("cat", vec!["sh", "-c", r#"cat | "$@" | cat"#, "sh"]),
        ("proxy", vec![proxy, "proxy", "--"]),
        (
            "proxy --record",
            vec![proxy, "proxy", "--record", recording, "--"],
        ),
        (
            "proxy --record --no-redact",
            vec![proxy, "proxy", "--no-redact", "--record", recording, "--"],
        ),
    ];
    let traffic = traffic();
    let bytes: usize = traffic.iter().map(Vec::len).sum();
    println!("{LINES} lines, {bytes} bytes, {rounds} rounds; medians and ratios to cat");
    for manner in [Manner::Flushed, Manner::Batched] {
        let mut times = vec![Vec::new(); ways.len()];
        for _ in 0..rounds {
            for ((_, way), times) in ways.iter().zip(&mut times) {
                // The proxy would keep it, and write beside it.
                let _ = std::fs::remove_file(recording);
                times.push(round(way, &traffic, manner));
            }
        }
        let medians: Vec<[Duration; 2]> = times.iter().map(|times| medians(times)).collect();
        let name = match manner {
            Manner::Flushed => "a write for each line",
            Manner::Batched => "writes of 64 KiB",
        };
        println!("{name}:");
        for ((way, _), of_way) in ways.iter().zip(&medians) {
            let [traffic, all] = [0, 1].map(|which| {
                let (time, cat) = (of_way[which], medians[0][which]);
                let ratio = time.as_secs_f64() / cat.as_secs_f64();
                format!("{:>7.1} ms  {ratio:.3}", time.as_secs_f64() * 1e3)
            });
            println!("  {way:<28} traffic {traffic}   all {all}");
        }
    }
}

/// One conversation, from the start of the plugin to its last byte and to the end of everybody.
fn round(way: &[&str], traffic: &[Vec<u8>], manner: Manner) -> [Duration; 2] {
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/node/nudge.mjs");
    let started = Instant::now();
    let mut child = Command::new(way[0])
        .args(&way[1..])
        .args(["node".as_ref(), plugin.as_os_str()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let traffic_over = thread::scope(|scope| {
        scope.spawn(move || match manner {
            Manner::Flushed => traffic
                .iter()
                .for_each(|line| stdin.write_all(line).unwrap()),
            Manner::Batched => {
                let all = traffic.concat();
                all.chunks(1 << 16)
                    .for_each(|chunk| stdin.write_all(chunk).unwrap());
            }
        });
        let mut answers = Vec::new();
        stdout.read_to_end(&mut answers).unwrap();
        assert!(!answers.is_empty());
        started.elapsed()
    });
    assert!(child.wait().unwrap().success());
    [traffic_over, started.elapsed()]
}

/// Panes that print, go idle at a prompt, and are answered.
fn traffic() -> Vec<Vec<u8>> {
    let line = |kind: &str, pane: usize, more: &str| {
        let line = format!(
            "{{\"event\":\"{kind}\",\"v\":3,\"token\":\"{pane:032x}\",\"generation\":1{more}}}\n"
        );
        line.into_bytes()
    };
    let mut lines: Vec<_> = (0..10)
        .map(|pane| {
            line(
                "pane_opened",
                pane,
                r#","title":null,"command":"tool","cwd":"/home/ann""#,
            )
        })
        .collect();
    let text = format!(
        r#","text":"{}\r\n""#,
        "The quick brown fox jumps over the lazy dog. ".repeat(2)
    );
    while lines.len() < LINES {
        let pane = lines.len() / 10 % 10;
        lines.push(match lines.len() % 10 {
            8 => line("pane_output", pane, r#","text":"Press Enter to continue""#),
            9 => line("pane_idle", pane, r#","idle_ms":10000"#),
            _ => line("pane_output", pane, &text),
        });
    }
    lines
}

fn medians(times: &[[Duration; 2]]) -> [Duration; 2] {
    [0, 1].map(|which| {
        let mut times: Vec<_> = times.iter().map(|times| times[which]).collect();
        times.sort();
        times[times.len() / 2]
    })
}
