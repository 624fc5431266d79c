use std::fmt::{self, Write};

use serde_json::json;

use super::case::Case;
use super::{Counts, Report, Standing, pretty};

/// The report as a TAP 14 stream. What was not put to the test is skipped, a failure that is only
/// recorded is a TODO, and an interrupted run bails out.
pub(super) fn tap(report: &Report<'_>) -> String {
    let mut text = String::new();
    write(&mut text, report).expect("memory takes every byte");
    text
}

fn write(to: &mut String, report: &Report<'_>) -> fmt::Result {
    writeln!(to, "TAP version 14\n1..{}", report.results.len())?;
    for (index, case) in report.cases().enumerate() {
        write_case(to, report, index + 1, &case)?;
    }
    let (word, counts) = (report.word(), Counts::of(report.results));
    writeln!(to, "# {word}: {counts}")?;
    match report.caveat() {
        Some(caveat) if report.interrupted => writeln!(to, "Bail out! {caveat}"),
        Some(caveat) => writeln!(to, "# {caveat}"),
        None => Ok(()),
    }
}

fn write_case(to: &mut String, report: &Report<'_>, number: usize, case: &Case<'_>) -> fmt::Result {
    let ok = match case.standing {
        Standing::Pass | Standing::NotApplicable | Standing::NotExercised => "ok",
        Standing::Fail | Standing::Stale | Standing::Known | Standing::Error => "not ok",
    };
    let directive = match case.standing {
        Standing::NotApplicable | Standing::NotExercised => {
            let note = case.note.as_deref().unwrap_or_default();
            format!(" # SKIP {}", description(note))
        }
        Standing::Fail if !case.counts_as_failure => " # TODO recorded only".to_owned(),
        Standing::Known => {
            let aside = case.aside.as_deref().unwrap_or_default();
            format!(" # TODO {}", description(aside))
        }
        Standing::Pass | Standing::Fail | Standing::Stale | Standing::Error => String::new(),
    };
    let check = case.check;
    let title = description(check.title);
    writeln!(to, "{ok} {number} - {} {title}{directive}", check.id)?;
    writeln!(to, "  ---")?;
    let milliseconds = case.took.as_secs_f64() * 1000.0;
    writeln!(to, "  duration_ms: {milliseconds:.3}")?;
    writeln!(to, "  outcome: {}", case.standing.word())?;
    if let Some(note) = &case.note {
        writeln!(to, "  message: {}", json!(note))?;
    }
    if let Some(aside) = &case.aside {
        writeln!(to, "  aside: {}", json!(aside))?;
    }
    if let Some(fault) = &case.fault {
        writeln!(to, "  message: {}", json!(fault.explanation))?;
        writeln!(to, "  reason: {}", fault.reason)?;
        writeln!(to, "  requirement: {}", case.requirement.id)?;
        writeln!(to, "  explanation: |2")?;
        for line in pretty::plain(case, fault, report).lines() {
            writeln!(to, "    {line}")?;
        }
    }
    writeln!(to, "  ...")
}

/// A text in which nothing begins a directive.
fn description(text: &str) -> String {
    text.replace('\\', r"\\").replace('#', r"\#")
}
