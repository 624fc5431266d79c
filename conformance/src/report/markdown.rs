use std::fmt::{self, Write};

use super::case::{Case, Fault};
use super::{Counts, Report, Standing, pretty};

/// The report as GitHub-flavoured Markdown: a summary, a table of all checks, failures folded.
pub(super) fn markdown(report: &Report<'_>) -> String {
    let mut text = String::new();
    write(&mut text, report).expect("memory takes every byte");
    text
}

fn write(to: &mut String, report: &Report<'_>) -> fmt::Result {
    let standing = Standing::of_verdict(report.verdict);
    let (symbol, word) = (standing.symbol(), report.word());
    writeln!(to, "## {symbol} {word}: plugin contract v3\n")?;
    writeln!(to, "Subject: {}\n", code(&report.subject.name()))?;
    let seconds = report.took.as_secs_f64();
    writeln!(to, "{} in {seconds:.1} s\n", Counts::of(report.results))?;
    if let Some(caveat) = report.caveat() {
        writeln!(to, "**{}**\n", prose(&caveat))?;
    }
    for case in report.cases() {
        if let Some(fault) = &case.fault {
            write_failure(to, report, &case, fault)?;
        }
    }
    writeln!(to, "| | check | | requirement | level | seconds | |")?;
    writeln!(to, "|:-:|:--|:--|:--|:--|--:|:--|")?;
    for case in report.cases() {
        write_row(to, &case)?;
    }
    Ok(())
}

fn write_row(to: &mut String, case: &Case<'_>) -> fmt::Result {
    let mut remark = match (&case.fault, &case.note) {
        (Some(fault), _) => code(fault.reason),
        (None, Some(note)) => prose(note),
        (None, None) => String::new(),
    };
    if let Some(aside) = &case.aside {
        remark = format!("{remark} {}", prose(aside));
    }
    writeln!(
        to,
        "| {} | {} | {} | {} | {} | {:.1} | {remark} |",
        case.standing.symbol(),
        case.check.id,
        prose(case.check.title),
        case.requirement.id,
        case.check.level,
        case.took.as_secs_f64(),
    )
}

fn write_failure(
    to: &mut String,
    report: &Report<'_>,
    case: &Case<'_>,
    fault: &Fault,
) -> fmt::Result {
    let (symbol, id) = (case.standing.symbol(), case.check.id);
    let title = prose(case.check.title);
    writeln!(
        to,
        "<details><summary>{symbol} <b>{id}</b> {title}</summary>\n"
    )?;
    writeln!(to, "{}\n", prose(&fault.explanation))?;
    let text = pretty::plain(case, fault, report);
    let fence = fence(&text);
    writeln!(to, "{fence}text\n{text}{fence}\n\n</details>\n")
}

/// A fence that the text cannot close.
fn fence(text: &str) -> String {
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Running text in which nothing is markup.
fn prose(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // GitHub looks for names to notify in the finished page.
            '@' => escaped.push_str("<span>&#64;</span>"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '#' | '$' => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Text shown letter by letter.
fn code(text: &str) -> String {
    format!("<code>{}</code>", prose(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            prose("<b>|`*_[x](y) @all"),
            "&#60;b&#62;&#124;&#96;&#42;&#95;&#91;x&#93;(y) <span>&#64;</span>all"
        );
        assert_eq!(fence("a ``` b ```` c"), "`````");
        assert_eq!(fence("plain"), "```");
    }
}
