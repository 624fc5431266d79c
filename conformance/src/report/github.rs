use std::fmt::{self, Write};

use super::case::Case;
use super::{Counts, Report, Standing, pretty};

/// The report for the log of GitHub Actions: an annotation for each result that somebody should see,
/// and each failure in a group that unfolds.
pub(super) fn github(report: &Report<'_>) -> String {
    let mut text = String::new();
    write(&mut text, report).expect("memory takes every byte");
    text
}

fn write(to: &mut String, report: &Report<'_>) -> fmt::Result {
    for case in report.cases() {
        write_case(to, report, &case)?;
    }
    let (word, counts) = (report.word(), Counts::of(report.results));
    let caveat = report.caveat().map(|caveat| format!("; {caveat}"));
    let message = format!("{word}: {counts}{}", caveat.unwrap_or_default());
    let severity = match Standing::of_verdict(report.verdict) {
        Standing::Pass => "notice",
        Standing::Fail
        | Standing::Stale
        | Standing::Error
        | Standing::Known
        | Standing::NotExercised
        | Standing::NotApplicable => "error",
    };
    let title = property("Plugin contract v3");
    writeln!(
        to,
        "::{severity} title={title}::{}",
        self::message(&message)
    )
}

fn write_case(to: &mut String, report: &Report<'_>, case: &Case<'_>) -> fmt::Result {
    let severity = match case.standing {
        Standing::Fail if !case.counts_as_failure => "notice",
        Standing::Fail | Standing::Stale | Standing::Error => "error",
        Standing::Known | Standing::Pass | Standing::NotExercised | Standing::NotApplicable => {
            return Ok(());
        }
    };
    let title = format!("{} {}", case.check.id, case.check.title);
    let Some(fault) = &case.fault else {
        let note = case.remark().unwrap_or_default();
        return writeln!(
            to,
            "::{severity} title={}::{}",
            property(&title),
            message(&note)
        );
    };
    let text = format!("{}\n{}", fault.explanation, case.citation());
    writeln!(
        to,
        "::{severity} title={}::{}",
        property(&title),
        message(&text)
    )?;
    writeln!(to, "::group::{}", message(&title))?;
    for line in pretty::plain(case, fault, report).lines() {
        writeln!(to, "{}", inert(line))?;
    }
    writeln!(to, "::endgroup::")
}

/// The message of a workflow command.
fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
        .replace(OLD_NOTATION, INERT_NOTATION)
}

/// How commands were written once: it is still obeyed wherever it stands in a line.
const OLD_NOTATION: &str = "##[";
const INERT_NOTATION: &str = r"#\x23[";

/// A property of a workflow command.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line of the log that is no workflow command, in neither of the two notations.
fn inert(line: &str) -> String {
    let line = line.replace(OLD_NOTATION, INERT_NOTATION);
    let text = line.trim_start();
    match text.strip_prefix("::") {
        Some(rest) => format!("{}:\\x3a{rest}", &line[..line.len() - text.len()]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_never_obeyed() {
        assert_eq!(inert("  ::set-env name=A::b"), r"  :\x3aset-env name=A::b");
        assert_eq!(inert("x ##[add-mask]y"), r"x #\x23[add-mask]y");
        assert_eq!(inert("  what  ::error::"), "  what  ::error::");
        assert_eq!(message("100%\r\n::"), "100%25%0D%0A::");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
