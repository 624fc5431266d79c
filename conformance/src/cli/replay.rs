use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::args::DEFAULT_DEADLINES;
use super::{NO_START, ReplayArguments, USAGE, complain, interruption, open, shown};
use crate::drive::{self, Deadlines, Fault, Replayed};
use crate::recording::{Header, Reader, Redactor, Source};
use crate::replay::{Score, difference};
use crate::run::INTERRUPTED;
use crate::subject::{CannotStart, Subject};
use crate::traffic::{Direction, Lines};

pub(super) fn replay(arguments: &ReplayArguments) -> io::Result<ExitCode> {
    let (header, score) = match read(arguments) {
        Ok(read) => read,
        Err(what) => return Ok(complain(USAGE, what)),
    };
    let subject = match subject(arguments, &header) {
        Ok(subject) => subject,
        Err(what) => return Ok(what),
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    interruption::watch(&interrupted)?;
    let deadlines = Deadlines {
        timeout: arguments.timeout,
        grace: arguments.close_grace,
        ..DEFAULT_DEADLINES
    };
    match drive::replay(&subject, &score.cues, deadlines, &interrupted) {
        Ok(replayed) => compare(&header, &score, &replayed),
        Err(Fault::Interrupted) => Ok(complain(INTERRUPTED, Fault::Interrupted)),
        Err(fault) => Ok(complain(NO_START, fault)),
    }
}

fn read(arguments: &ReplayArguments) -> Result<(Header, Score), String> {
    let (from, name) = open(&arguments.file)
        .map_err(|error| format!("`{}` cannot be read: {error}", shown(&arguments.file)))?;
    let reader = Reader::new(from, &name).map_err(|bad| bad.to_string())?;
    let header = reader.header().clone();
    if let Source::Exam { .. } = header.source {
        return Err(format!(
            "{name} is about a decoder: `conformance decode --only` tests it again"
        ));
    }
    let score = Score::read(reader).map_err(|bad| bad.to_string())?;
    Ok((header, score))
}

fn subject(arguments: &ReplayArguments, header: &Header) -> Result<Subject, ExitCode> {
    let subject = match (&arguments.subject[..], &header.subject) {
        (words @ [_, ..], _) => Subject::new(words.to_vec()),
        ([], Some(words)) if words.is_empty() => Subject::built_in(),
        ([], Some(words)) => Subject::new(words.iter().map(OsString::from).collect()),
        ([], None) => {
            let what =
                "the recording does not say how its plugin was started: name one behind the file";
            return Err(complain(USAGE, what));
        }
    };
    let refused =
        |error: CannotStart| complain(NO_START, format!("the plugin cannot be started: {error}"));
    Ok(Subject {
        keep_home: arguments.keep_home,
        ..subject.map_err(refused)?
    })
}

fn compare(header: &Header, score: &Score, replayed: &Replayed) -> io::Result<ExitCode> {
    let redacted = header.redacted.then(|| redact(score, &replayed.stdout));
    let stdout = redacted.as_ref().unwrap_or(&replayed.stdout);
    let Some(diff) = difference(&score.stdout, stdout) else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut to = anstream::stdout().lock();
    to.write_all(diff.as_bytes())?;
    to.flush()?;
    if header.redacted {
        note(
            "the recording is redacted: a plugin that reads texts rightly answers otherwise; record with --no-redact",
        );
    }
    if score.is_incomplete {
        note("the recording is incomplete: not all of the traffic was kept");
    }
    if score.was_acted {
        note(
            "more was done then than to send events, such as a signal of a program, and is not done again: \
             `conformance run` does it with the profile",
        );
    }
    if replayed.is_cut {
        note("the plugin said more than is compared");
    }
    if replayed.was_unanswered && !score.was_acted {
        note("the plugin did not say in time what it had said then; --timeout gives it longer");
    }
    Ok(ExitCode::FAILURE)
}

fn note(what: &str) {
    let _ = writeln!(anstream::stderr(), "conformance: {what}");
}

/// What came back, redacted as what was recorded is. The tokens that were sent are placeholders already.
fn redact(score: &Score, stdout: &[u8]) -> Vec<u8> {
    let mut redactor = Redactor::new();
    let mut sent = Lines::new(Direction::In);
    for cue in &score.cues {
        if let drive::Cue::Send { cycle, .. } = cue {
            sent.hear(cycle, |line| redactor.line(line, &mut Vec::new()));
        }
    }
    let mut said = Lines::new(Direction::Out);
    let mut redacted = Vec::new();
    said.hear(stdout, |line| redactor.line(line, &mut redacted));
    said.end(|line| redactor.line(line, &mut redacted));
    redacted
}
