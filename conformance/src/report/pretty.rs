use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

use anstyle::{AnsiColor, Style};

use super::evidence::{Evidence, Excerpt};
use super::{Counts, Report, escape};
use crate::checks;
use crate::outcome::{Failure, Outcome};
use crate::run::{CheckResult, Verdict};
use crate::subject::Subject;

/// The report for people, written as the results come in. The writer decides about colours.
#[derive(Debug)]
pub struct Pretty<W> {
    to: W,
    group: &'static str,
}

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default();

/// Where the text of a failure's parts begins.
const INDENT: usize = 15;

/// How wide running text is.
const WIDTH: usize = 100;

impl<W: Write> Pretty<W> {
    /// Begins a report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut to: W, subject: &Subject) -> io::Result<Self> {
        writeln!(
            to,
            "{STRONG}Plugin contract v3{STRONG:#} {FAINT}on{FAINT:#} {}",
            subject.name()
        )?;
        Ok(Self { to, group: "" })
    }

    /// Shows one result.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn result(&mut self, result: &CheckResult) -> io::Result<()> {
        let check = result.check;
        if self.group != check.group() {
            self.group = check.group();
            writeln!(self.to, "\n{STRONG}{}{STRONG:#}", self.group)?;
        }
        let (style, remark) = match &result.outcome {
            Outcome::Pass { note } => (GOOD, note.as_deref()),
            Outcome::Fail(failure) => (BAD, Some(failure.reason.as_str())),
            Outcome::NotApplicable(reason) | Outcome::NotExercised(reason) => {
                (OPEN, Some(reason.as_str()))
            }
            Outcome::Error(reason) => (BAD, Some(reason.as_str())),
        };
        let word = result.outcome.word();
        let width = checks::all()
            .map(|check| check.title.len())
            .max()
            .unwrap_or(0);
        let title = match remark {
            Some(_) => format!("{:width$}", check.title),
            None => check.title.to_owned(),
        };
        write!(
            self.to,
            "  {style}{word:<14}{style:#} {:<7}  {title}",
            check.id
        )?;
        if let Some(remark) = remark {
            write!(self.to, "  {FAINT}{remark}{FAINT:#}")?;
        }
        writeln!(self.to)?;
        self.to.flush()
    }

    /// Ends the report: each failure explained, then all of it in a line and a word.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self, report: &Report<'_>) -> io::Result<()> {
        for result in report.results {
            if let Outcome::Fail(failure) = &result.outcome {
                self.explain(failure, result, &report.again(result))?;
            }
        }
        let Counts {
            pass,
            fail,
            not_applicable,
            not_exercised,
            error,
        } = Counts::of(report.results);
        let style = match report.verdict {
            Verdict::Conformant => GOOD.bold(),
            Verdict::Unexercised => OPEN.bold(),
            Verdict::Nonconformant | Verdict::Faulty => BAD,
        };
        writeln!(
            self.to,
            "\n{style}{}{style:#}  {pass} passed, {fail} failed, {not_exercised} not exercised, \
             {not_applicable} not applicable, {error} errors",
            report.verdict.word()
        )?;
        if report.not_started > 0 {
            writeln!(
                self.to,
                "{} more checks were not started after the first failure",
                report.not_started
            )?;
        }
        writeln!(
            self.to,
            "{FAINT}transcripts: {}{FAINT:#}",
            escape(report.folder.as_os_str().as_bytes())
        )?;
        self.to.flush()
    }

    /// Explains a failure; `again` is the command that leads to it once more.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn explain(
        &mut self,
        failure: &Failure,
        result: &CheckResult,
        again: &str,
    ) -> io::Result<()> {
        let (check, requirement) = (result.check, result.check.requirement());
        let reason = failure.reason.as_str();
        writeln!(
            self.to,
            "\n{BAD}FAIL{BAD:#} {STRONG}{}{STRONG:#}  {}",
            check.id, check.title
        )?;
        self.text("what", &format!("{}  ({reason})", failure.explanation))?;
        self.text(
            "requirement",
            &format!(
                "{} ({}, origin: {})",
                requirement.id, requirement.level, requirement.origin
            ),
        )?;
        self.text("", &requirement.sentence)?;
        let evidence = Evidence::of(failure, &result.transcript);
        self.excerpts("sent", &evidence.sent, None)?;
        self.excerpts("received", &evidence.received, failure.decoder.as_deref())?;
        if !evidence.stderr.is_empty() {
            self.excerpts("stderr", &evidence.stderr, None)?;
        }
        for (index, line) in evidence.course.iter().enumerate() {
            self.part(if index == 0 { "course" } else { "" }, line)?;
        }
        self.text("accepted", check.accepted)?;
        self.part("again", again)?;
        let transcript = result.transcript_file.as_os_str().as_bytes();
        self.part("transcript", &escape(transcript))
    }

    fn excerpts(
        &mut self,
        label: &str,
        excerpts: &[Excerpt],
        decoder: Option<&str>,
    ) -> io::Result<()> {
        if excerpts.is_empty() {
            return self.part(label, "nothing");
        }
        for (index, excerpt) in excerpts.iter().enumerate() {
            let offset = format!("@{:<7}", excerpt.offset);
            let label = if index == 0 { label } else { "" };
            self.part(label, &format!("{FAINT}{offset}{FAINT:#} {}", excerpt.text))?;
            if let Some(caret) = excerpt.caret {
                let column = offset.len() + 1 + caret;
                let decoder = decoder.unwrap_or_default();
                self.part("", &format!("{:column$}{BAD}^{BAD:#} {decoder}", ""))?;
            }
        }
        Ok(())
    }

    /// A labelled line.
    fn part(&mut self, label: &str, text: &str) -> io::Result<()> {
        let width = INDENT - 3;
        writeln!(
            self.to,
            "  {FAINT}{label:<width$}{FAINT:#} {}",
            text.trim_end()
        )
    }

    /// A labelled text, broken into lines.
    fn text(&mut self, label: &str, text: &str) -> io::Result<()> {
        for (index, line) in wrap(text, WIDTH - INDENT).iter().enumerate() {
            self.part(if index == 0 { label } else { "" }, line)?;
        }
        Ok(())
    }
}

/// Breaks a text at spaces.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_at_spaces() {
        assert_eq!(wrap("a bb  ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(
            wrap("longer-than-the-line b", 6),
            ["longer-than-the-line", "b"]
        );
        assert!(wrap("", 6).is_empty());
    }
}
