use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::case::{Case, Fault};
use super::escape::is_invisible;
use super::{Counts, Report};
use crate::evidence::Excerpt;

/// The JSON Schema (2020-12) of the report for programs.
pub const SCHEMA: &str = include_str!("../../schema/report.schema.json");

/// The report for programs.
///
/// ```json
/// {
///   "format": "nightcrow-conformance", "format_version": 1, "contract": "plugin-v3",
///   "subject": ["./my-plugin"],            // [] is the built-in example
///   "verdict": "nonconformant",            // conformant, nonconformant, unexercised, faulty
///   "exit_code": 1,
///   "counts": {"pass": 15, "fail": 1, "not_applicable": 0, "not_exercised": 1, "error": 0},
///   "not_started": 0, "interrupted": false,
///   "started": "2026-11-30T20:15:00Z", "seconds": 3.2,
///   "results": "/tmp/…",                   // folder of transcripts
///   "checks": [{
///     "id": "FRM-016", "title": "…", "role": "plugin", "tier": "core", "level": "must",
///     "seconds": 0.2, "stimulus": "…",
///     "requirement": {"id": "PLG-701", "title": "…", "level": "MUST", "origin": "source",
///                     "sentence": "…", "why": "…"},
///     "outcome": "FAIL",                   // PASS, FAIL, NOT-APPLICABLE, NOT-EXERCISED, ERROR
///     "note": null,                        // the reason of any other outcome, in words
///     "transcript": "/tmp/…/FRM-016.ndjson",
///     "again": "conformance run --only FRM-016 -- ./my-plugin",
///     "failure": {                         // null unless the outcome is FAIL
///       "reason": "not_a_command", "explanation": "…", "decoder": "…", "accepted": "…",
///       "stdout_offset": 0,
///       "sent": [{"offset": 0, "text": "…", "caret": null}],
///       "received": [{"offset": 0, "text": "…", "caret": 0}],
///       "stderr": [], "course": ["0.20 s: stdin was closed"]
///     }
///   }]
/// }
/// ```
///
/// Members are only ever added. Texts from the subject are escaped to printable ASCII. The exact shape
/// is in [`SCHEMA`].
#[must_use]
pub fn json(report: &Report<'_>) -> Value {
    let subject: Vec<_> = report
        .subject
        .written
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    let checks: Vec<_> = report.cases().map(|case| check(report, &case)).collect();
    json!({
        "format": "nightcrow-conformance",
        "format_version": 1,
        "contract": "plugin-v3",
        "subject": subject,
        "verdict": report.verdict,
        "exit_code": report.exit_code(),
        "counts": Counts::of(report.results),
        "not_started": report.not_started,
        "interrupted": report.interrupted,
        "started": timestamp(report.started),
        "seconds": report.took.as_secs_f64(),
        "results": report.folder.to_string_lossy(),
        "checks": checks,
    })
}

/// The report as text. What a terminal would act on stands in its strings as `\\u…` only.
pub(super) fn text(report: &Report<'_>) -> String {
    let mut text = String::new();
    for character in format!("{:#}\n", json(report)).chars() {
        if character != '\n' && is_invisible(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                text += &format!("\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}

/// A time as RFC 3339 writes it, in UTC, to the second.
pub(super) fn timestamp(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn check(report: &Report<'_>, case: &Case<'_>) -> Value {
    let (check, requirement) = (case.check, case.requirement);
    json!({
        "id": check.id,
        "title": check.title,
        "role": check.role,
        "tier": check.tier,
        "level": check.level,
        "seconds": case.took.as_secs_f64(),
        "stimulus": check.stimulus,
        "requirement": {
            "id": requirement.id,
            "title": requirement.title,
            "level": requirement.level,
            "origin": requirement.origin,
            "sentence": requirement.sentence,
            "why": requirement.why,
        },
        "outcome": case.outcome.word(),
        "standing": case.standing.class(),
        "rounds": case.rounds.iter().map(|round| round.word()).collect::<Vec<_>>(),
        "note": case.note,
        "aside": case.aside,
        "transcript": case.transcript,
        "again": report.again(case),
        "failure": case.fault.as_ref().map(|fault| explain(fault, case)),
    })
}

fn explain(fault: &Fault, case: &Case<'_>) -> Value {
    let evidence = case.evidence;
    json!({
        "reason": fault.reason,
        "explanation": fault.explanation,
        "decoder": fault.decoder,
        "accepted": case.check.accepted,
        "stdout_offset": fault.stdout_offset,
        "sent": excerpts(&evidence.sent),
        "received": excerpts(&evidence.received),
        "stderr": excerpts(&evidence.stderr),
        "course": evidence.course,
    })
}

fn excerpts(excerpts: &[Excerpt]) -> Value {
    excerpts
        .iter()
        .map(|excerpt| json!({"offset": excerpt.offset, "text": excerpt.text, "caret": excerpt.caret}))
        .collect()
}
