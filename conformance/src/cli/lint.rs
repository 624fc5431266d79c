use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde_json::json;

use super::{LintArguments, USAGE, complain, open, shown};
use crate::lint::{self, Counts, Finding, Linter, Severity};
use crate::recording::{Reader, Source};
use crate::traffic::{Direction, Lines};

pub(super) fn lint(arguments: &LintArguments) -> io::Result<ExitCode> {
    let (from, name) = match open(&arguments.file) {
        Ok(opened) => opened,
        Err(error) => {
            let what = format!("`{}` cannot be read: {error}", shown(&arguments.file));
            return Ok(complain(USAGE, what));
        }
    };
    let mut shown = Shown::new(arguments.json, anstream::stdout().lock());
    let linted = match (arguments.commands, arguments.events) {
        (true, _) => lint_stream(from, Direction::Out, &mut shown).map_err(|e| e.to_string()),
        (_, true) => lint_stream(from, Direction::In, &mut shown).map_err(|e| e.to_string()),
        (false, false) => lint_recording(from, &name, &mut shown),
    };
    match linted {
        Ok(counts) => shown.end(&name, counts),
        Err(what) => {
            shown.written?;
            Ok(complain(USAGE, what))
        }
    }
}

fn lint_recording(
    from: Box<dyn BufRead>,
    name: &str,
    shown: &mut Shown<impl Write>,
) -> Result<Counts, String> {
    let recording = Reader::new(from, name).map_err(|bad| {
        format!("{bad}; what only one side wrote is read with --commands or --events")
    })?;
    if let Source::Exam { .. } = recording.header().source {
        return Err(format!(
            "{name} is about a decoder: nothing in it is the contract's"
        ));
    }
    // A redacted line was written anew: how it was spelled is not known.
    let linter = match recording.header().redacted {
        true => Linter::new(),
        false => Linter::new().with_style(),
    };
    lint::lint(recording, linter, |finding| shown.finding(&finding)).map_err(|bad| bad.to_string())
}

fn lint_stream(
    mut from: Box<dyn BufRead>,
    direction: Direction,
    shown: &mut Shown<impl Write>,
) -> io::Result<Counts> {
    let mut linter = Linter::of_lines().with_style();
    let mut lines = Lines::new(direction);
    loop {
        let chunk = from.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        lines.hear(chunk, |line| {
            linter.judge(line, |finding| shown.finding(&finding));
        });
        let length = chunk.len();
        from.consume(length);
    }
    lines.end(|line| linter.judge(line, |finding| shown.finding(&finding)));
    let count = lines.count();
    Ok(match direction {
        Direction::In => Counts {
            events: count,
            commands: 0,
        },
        Direction::Out => Counts {
            events: 0,
            commands: count,
        },
    })
}

/// Findings as they are shown: all violations, and the first of each kind of note.
struct Shown<W> {
    json: bool,
    to: W,
    written: io::Result<()>,
    violations: u64,
    notes: HashMap<(&'static str, Direction), u64>,
}

impl<W: Write> Shown<W> {
    fn new(json: bool, to: W) -> Self {
        Self {
            json,
            to,
            written: Ok(()),
            violations: 0,
            notes: HashMap::new(),
        }
    }

    fn finding(&mut self, finding: &Finding) {
        let is_first = match finding.severity {
            Severity::Violation => {
                self.violations += 1;
                true
            }
            Severity::Note => {
                let kind = (finding.requirement, finding.direction);
                let count = self.notes.entry(kind).or_default();
                *count += 1;
                *count == 1
            }
        };
        if is_first && self.written.is_ok() {
            self.written = self.write(finding);
        }
    }

    fn write(&mut self, finding: &Finding) -> io::Result<()> {
        if self.json {
            return writeln!(self.to, "{}", json!(finding));
        }
        writeln!(self.to, "{finding}")?;
        writeln!(self.to, "    {}", finding.excerpt)
    }

    fn end(mut self, name: &str, counts: Counts) -> io::Result<ExitCode> {
        self.written?;
        let (violations, notes) = (self.violations, self.notes.values().sum::<u64>());
        let Counts { events, commands } = counts;
        if self.json {
            let sum = json!({"events": events, "commands": commands, "violations": violations, "notes": notes});
            writeln!(self.to, "{}", json!({"sum": sum}))?;
        } else {
            writeln!(
                self.to,
                "{name}: {violations} violations and {notes} notes in {events} lines of the host and {commands} \
                 of the plugin"
            )?;
            let unseen = notes - self.notes.len() as u64;
            if unseen > 0 {
                writeln!(self.to, "{unseen} notes like those above are not shown")?;
            }
        }
        self.to.flush()?;
        Ok(ExitCode::from(u8::from(violations > 0)))
    }
}
