use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Entry, Figures, Happening, StdoutLine, Transcript};

/// Writes a transcript as NDJSON: one object `{t, dir, …}` per entry.
///
/// `t` is in seconds since the subject was started. `dir` is `in` (to the subject's stdin), `out`,
/// `err` or `run` (what the runner did or saw). Bytes are base64 in `bytes`, and in `text` too where
/// they are UTF-8; `parse` says what the decoder makes of a line that begins in this chunk.
///
/// # Errors
/// If it cannot be written.
pub fn write(transcript: &Transcript, mut to: impl Write) -> io::Result<()> {
    // Only commands are worth parsing; a decoder gives verdicts.
    let gives_verdicts = transcript
        .position(|what| matches!(what, Happening::SentChunk { .. }))
        .is_some();
    let mut lines = transcript.lines().peekable();
    for (index, entry) in transcript.entries().iter().enumerate() {
        let mut object = describe(transcript, entry);
        if matches!(entry.what, Happening::Stdout(_)) && !gives_verdicts {
            let beginning = std::iter::from_fn(|| lines.next_if(|line| line.entry == index));
            object["parse"] = beginning.map(|line| parse(&line)).collect();
        }
        object["t"] = json!(entry.at.as_secs_f64());
        writeln!(to, "{object}")?;
    }
    Ok(())
}

fn describe(transcript: &Transcript, entry: &Entry) -> Value {
    match &entry.what {
        Happening::SentLine(line) => {
            let mut object = bytes("in", line.bytes());
            if let Some(requirement) = line.breaks() {
                object["breaks"] = json!(requirement);
            }
            object
        }
        Happening::SentBurst(burst) => json!({
            "dir": "in",
            "burst": {
                "events": burst.events,
                "bytes": burst.bytes,
                "cycle_events": burst.cycle_events,
                "first": bytes("in", &burst.first),
                "last": bytes("in", &burst.last),
            },
        }),
        Happening::SentChunk { chunk, sent } => json!({
            "dir": "in",
            "chunk": bytes("in", chunk.unit()),
            "times": chunk.times(),
            "sent": sent,
        }),
        Happening::Stdout(range) => bytes("out", &transcript.stdout()[range.clone()]),
        Happening::Stderr(range) => bytes("err", &transcript.stderr()[range.clone()]),
        Happening::Did { what, fault } => {
            json!({"dir": "run", "did": "act", "what": what, "fault": fault})
        }
        Happening::Stalled { unsent } => json!({"dir": "run", "did": "stalled", "unsent": unsent}),
        Happening::StdinBroken => json!({"dir": "run", "did": "stdin_broken"}),
        Happening::StdinClosed => json!({"dir": "run", "did": "stdin_closed"}),
        Happening::StdoutHeld { capacity } => {
            json!({"dir": "run", "did": "stdout_held", "capacity": capacity})
        }
        Happening::StdoutReleased => json!({"dir": "run", "did": "stdout_released"}),
        Happening::StdoutClosed => json!({"dir": "run", "did": "stdout_closed"}),
        Happening::Awaited { barrier, met } => {
            json!({"dir": "run", "did": "awaited", "barrier": barrier.to_string(), "met": met})
        }
        Happening::Sampled(sample) => json!({
            "dir": "run",
            "did": "sampled",
            "stdout_waiting": sample.stdout_waiting,
            "stdin_unread": sample.stdin_unread,
            "figures": sample.figures.map(figures),
        }),
        Happening::QuietWindow(window) => json!({
            "dir": "run",
            "did": "quiet_window",
            "seconds": window.length.as_secs_f64(),
            "cpu": window.cpu.as_secs_f64(),
            "waited": window.waited.as_secs_f64(),
        }),
        Happening::Exited { exit, unread } => {
            json!({"dir": "run", "did": "exited", "exit": exit.to_string(), "unread": unread})
        }
        Happening::Killed => json!({"dir": "run", "did": "killed"}),
        Happening::OutOfTime => json!({"dir": "run", "did": "out_of_time"}),
    }
}

fn bytes(dir: &str, bytes: &[u8]) -> Value {
    let mut object = json!({"dir": dir, "bytes": STANDARD.encode(bytes)});
    if let Ok(text) = str::from_utf8(bytes) {
        object["text"] = json!(text);
    }
    object
}

fn figures(figures: Figures) -> Value {
    json!({
        "processes": figures.processes,
        "resident": figures.resident,
        "cpu": figures.cpu.as_secs_f64(),
        "waited": figures.waited.as_secs_f64(),
        "descriptors": figures.descriptors,
        "asleep": figures.asleep,
    })
}

fn parse(line: &StdoutLine<'_>) -> Value {
    if line.is_cut {
        return json!({"line": line.number, "cut": true});
    }
    match line.decode() {
        Ok(Some(command)) => json!({"line": line.number, "command": command.kind().as_str()}),
        Ok(None) => json!({"line": line.number, "blank": true}),
        Err(refusal) => json!({"line": line.number, "refused": refusal.to_string()}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::script::Script;

    #[test]
    fn every_entry_is_an_object_on_a_line() {
        let log = "{\"cmd\":\"log\",\"v\":3,\"level\":\"info\",\"message\":\"hi\"}\n";
        let transcript = Script::new()
            .opened()
            .says(log)
            .says("\u{fffd}\n")
            .stdin_closed()
            .exits(0)
            .done();
        let mut written = Vec::new();
        write(&transcript, &mut written).unwrap();
        let objects: Vec<Value> = written
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        assert_eq!(objects.len(), 5);
        assert!(
            objects
                .iter()
                .all(|object| object["t"].is_number() && object["dir"].is_string())
        );
        assert_eq!(objects[1]["text"], log);
        assert_eq!(objects[1]["parse"][0]["command"], "log");
        assert!(objects[2]["parse"][0]["refused"].is_string());
        assert_eq!(objects[4]["exit"], "status 0");
    }
}
