use serde_json::{Value, json};

use super::evidence::{Evidence, Excerpt};
use super::{Counts, Report};
use crate::outcome::{Failure, Outcome};
use crate::run::CheckResult;

/// The report for programs.
///
/// ```json
/// {
///   "format": "nightcrow-conformance", "format_version": 1, "contract": "plugin-v3",
///   "subject": ["./my-plugin"],            // [] is the built-in example
///   "verdict": "nonconformant",            // conformant, nonconformant, unexercised, faulty
///   "exit_code": 1,
///   "counts": {"pass": 15, "fail": 1, "not_applicable": 0, "not_exercised": 1, "error": 0},
///   "not_started": 0,
///   "results": "/tmp/…",                   // folder of transcripts
///   "checks": [{
///     "id": "FRM-016", "title": "…", "role": "plugin", "level": "must", "seconds": 0.2,
///     "requirement": {"id": "PLG-701", "level": "MUST", "origin": "source", "sentence": "…"},
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
/// Members are only ever added. Texts from the subject are escaped to printable ASCII.
#[must_use]
pub fn json(report: &Report<'_>) -> Value {
    let subject: Vec<_> = report
        .subject
        .written
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    let checks: Vec<_> = report
        .results
        .iter()
        .map(|result| check(report, result))
        .collect();
    json!({
        "format": "nightcrow-conformance",
        "format_version": 1,
        "contract": "plugin-v3",
        "subject": subject,
        "verdict": report.verdict,
        "exit_code": report.verdict.exit_code(),
        "counts": Counts::of(report.results),
        "not_started": report.not_started,
        "results": report.folder,
        "checks": checks,
    })
}

fn check(report: &Report<'_>, result: &CheckResult) -> Value {
    let requirement = result.check.requirement();
    let (note, failure) = match &result.outcome {
        Outcome::Pass { note } => (note.clone(), None),
        Outcome::Fail(failure) => (None, Some(explain(failure, result))),
        Outcome::NotApplicable(reason) | Outcome::NotExercised(reason) | Outcome::Error(reason) => {
            (Some(reason.clone()), None)
        }
    };
    json!({
        "id": result.check.id,
        "title": result.check.title,
        "role": result.check.role,
        "level": result.check.level,
        "seconds": result.took.as_secs_f64(),
        "requirement": {
            "id": requirement.id,
            "level": requirement.level,
            "origin": requirement.origin,
            "sentence": requirement.sentence,
        },
        "outcome": result.outcome.word(),
        "note": note,
        "transcript": result.transcript_file,
        "again": report.again(result),
        "failure": failure,
    })
}

fn explain(failure: &Failure, result: &CheckResult) -> Value {
    let Evidence {
        sent,
        received,
        stderr,
        course,
    } = Evidence::of(failure, &result.transcript);
    json!({
        "reason": failure.reason.as_str(),
        "explanation": failure.explanation,
        "decoder": failure.decoder,
        "accepted": result.check.accepted,
        "stdout_offset": failure.stdout_offset,
        "sent": excerpts(&sent),
        "received": excerpts(&received),
        "stderr": excerpts(&stderr),
        "course": course,
    })
}

fn excerpts(excerpts: &[Excerpt]) -> Value {
    excerpts
        .iter()
        .map(|excerpt| json!({"offset": excerpt.offset, "text": excerpt.text, "caret": excerpt.caret}))
        .collect()
}
