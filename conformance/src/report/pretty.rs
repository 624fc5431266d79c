use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use anstream::StripStream;
use anstyle::Style;

use super::case::{Case, Fault};
use super::{Counts, Report, Standing, escape};
use crate::checks::Role;
use crate::evidence::Excerpt;
use crate::run::CheckResult;
use crate::subject::Subject;

/// The report for people, written as the results come in. The writer decides about colours.
#[derive(Debug)]
pub struct Pretty<W> {
    to: W,
    role: Option<Role>,
    group: &'static str,
}

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Where the text of a failure's parts begins.
const INDENT: usize = 15;

/// How wide the column of titles is.
const TITLE: usize = 60;

/// How wide running text is.
const WIDTH: usize = 100;

/// From when on it is worth saying which checks took long.
const LONG: Duration = Duration::from_secs(2);

/// How many of them are named.
const SLOWEST: usize = 3;

impl Pretty<StripStream<Vec<u8>>> {
    /// The whole report, without colours.
    pub(super) fn whole(report: &Report<'_>) -> Vec<u8> {
        let written = Pretty::new(StripStream::new(Vec::new()), report.roles, report.subject)
            .and_then(|mut to| {
                report
                    .results
                    .iter()
                    .try_for_each(|result| to.result(result))?;
                to.end(report)?;
                Ok(to.to.into_inner())
            });
        written.expect("memory takes every byte")
    }
}

/// A failure as people read it, line by line, without colours.
pub(super) fn plain(case: &Case<'_>, fault: &Fault, report: &Report<'_>) -> String {
    let mut pretty = Pretty {
        to: StripStream::new(Vec::new()),
        role: None,
        group: "",
    };
    let written = pretty.parts(case, fault, &report.again(case));
    written.expect("memory takes every byte");
    let bytes = pretty.to.into_inner();
    String::from_utf8(bytes).expect("it is made of strings")
}

impl<W: Write> Pretty<W> {
    /// Begins a report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut to: W, roles: &[Role], subject: &Subject) -> io::Result<Self> {
        let contract = match roles {
            [Role::Plugin] => "Plugin contract v3",
            _ => "Decoder contract v3",
        };
        writeln!(
            to,
            "{STRONG}{contract}{STRONG:#} {FAINT}on{FAINT:#} {}",
            subject.name()
        )?;
        Ok(Self {
            to,
            role: None,
            group: "",
        })
    }

    /// Shows one result.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn result(&mut self, result: &CheckResult) -> io::Result<()> {
        let case = Case::of(result);
        let check = case.check;
        if (self.role, self.group) != (Some(check.role), check.group()) {
            (self.role, self.group) = (Some(check.role), check.group());
            let read = check.role.direction().map_or(String::new(), |direction| {
                format!(" {FAINT}of {}{FAINT:#}", direction.argument())
            });
            writeln!(self.to, "\n{STRONG}{}{STRONG:#}{read}", self.group)?;
        }
        let (style, word) = (case.standing.style(), case.standing.word());
        let title = match case.remark() {
            Some(_) => format!("{:TITLE$}", check.title),
            None => check.title.to_owned(),
        };
        write!(
            self.to,
            "  {style}{word:<14}{style:#} {:<7} {FAINT}{:>6.1} s{FAINT:#}  {title}",
            check.id,
            case.took.as_secs_f64()
        )?;
        if let Some(remark) = case.remark() {
            write!(self.to, "  {FAINT}{remark}{FAINT:#}")?;
        }
        writeln!(self.to)?;
        self.to.flush()
    }

    /// Ends the report: each failure explained, then all of it in a line and a word, and where to find
    /// the rest.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(&mut self, report: &Report<'_>) -> io::Result<()> {
        // What is known was explained before it was.
        let news = |case: &Case<'_>| case.standing != Standing::Known;
        for case in report.cases().filter(news) {
            if let Some(fault) = &case.fault {
                self.failure(&case, fault, &report.again(&case))?;
            }
        }
        let style = Standing::of_verdict(report.verdict).style().bold();
        writeln!(
            self.to,
            "\n{style}{}{style:#}  {}  {FAINT}in {:.1} s{FAINT:#}",
            report.word(),
            Counts::of(report.results),
            report.took.as_secs_f64()
        )?;
        if report.is_only_stale() {
            writeln!(self.to, "{}", report.sentence())?;
        }
        if let Some(caveat) = report.caveat() {
            writeln!(self.to, "{caveat}")?;
        }
        if let Some(rounds) = report.rounds() {
            self.footnote("rounds", &rounds)?;
        }
        self.slowest(report)?;
        let folder = report.folder();
        self.footnote("results", &format!("{folder} (report.json, transcripts)"))?;
        for wanted in report.wanted {
            if let Some(path) = &wanted.path {
                let path = escape(path.as_os_str().as_bytes());
                self.footnote(wanted.kind.as_str(), &path)?;
            }
        }
        self.to.flush()
    }

    fn slowest(&mut self, report: &Report<'_>) -> io::Result<()> {
        let mut slow: Vec<_> = report
            .results
            .iter()
            .filter(|result| result.took > LONG)
            .collect();
        if slow.is_empty() {
            return Ok(());
        }
        slow.sort_by_key(|result| std::cmp::Reverse(result.took));
        let told: Vec<_> = slow
            .iter()
            .take(SLOWEST)
            .map(|result| format!("{} {:.1} s", result.check.id, result.took.as_secs_f64()))
            .collect();
        self.footnote("slowest", &told.join(", "))
    }

    fn footnote(&mut self, label: &str, text: &str) -> io::Result<()> {
        writeln!(self.to, "{FAINT}{:<9}{text}{FAINT:#}", format!("{label}:"))
    }

    /// Explains a failure on its own; `again` is the command that leads to it once more.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn explain(&mut self, result: &CheckResult, again: &str) -> io::Result<()> {
        let case = Case::of(result);
        match &case.fault {
            Some(fault) => self.failure(&case, fault, again),
            None => Ok(()),
        }
    }

    fn failure(&mut self, case: &Case<'_>, fault: &Fault, again: &str) -> io::Result<()> {
        let (style, word) = (case.standing.style(), case.standing.word());
        let (id, title) = (case.check.id, case.check.title);
        writeln!(
            self.to,
            "\n{style}{word}{style:#} {STRONG}{id}{STRONG:#}  {title}"
        )?;
        self.parts(case, fault, again)
    }

    fn parts(&mut self, case: &Case<'_>, fault: &Fault, again: &str) -> io::Result<()> {
        self.text(
            "what",
            &format!("{}  ({})", fault.explanation, fault.reason),
        )?;
        if let Some(aside) = &case.aside {
            self.text("", aside)?;
        }
        self.text("requirement", &case.citation())?;
        self.text("", &case.requirement.sentence)?;
        let evidence = case.evidence;
        let words = fault.decoder.as_deref();
        let (of_sent, of_received) = match fault.is_about_sent {
            true => (words, None),
            false => (None, words),
        };
        self.excerpts("sent", &evidence.sent, of_sent)?;
        self.excerpts("received", &evidence.received, of_received)?;
        if !evidence.stderr.is_empty() {
            self.excerpts("stderr", &evidence.stderr, None)?;
        }
        for (index, line) in evidence.course.iter().enumerate() {
            self.part(if index == 0 { "course" } else { "" }, line)?;
        }
        self.text("accepted", case.check.accepted)?;
        self.part("again", again)?;
        self.part("transcript", &case.transcript)
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
                let style = Standing::Fail.style();
                self.part("", &format!("{:column$}{style}^{style:#} {decoder}", ""))?;
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
    fn every_title_fits_its_column() {
        for check in crate::checks::all() {
            assert!(check.title.chars().count() <= TITLE, "{}", check.id);
        }
    }

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
