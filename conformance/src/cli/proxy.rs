use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use super::{NO_START, ProxyArguments, USAGE, complain, shown};
use crate::proxy::{self, Observer, Report};
use crate::recording::{self, Header, Source, Writer};
use crate::subject::Subject;
use crate::transcript::Exit;

pub(super) fn proxy(arguments: &ProxyArguments) -> io::Result<ExitCode> {
    let subject = match Subject::new(arguments.subject.clone()) {
        Ok(subject) => subject,
        Err(error) => {
            return Ok(complain(
                NO_START,
                format!("the plugin cannot be started: {error}"),
            ));
        }
    };
    let observer = match observer(arguments, &subject) {
        Ok(observer) => observer,
        Err(what) => return Ok(complain(USAGE, what)),
    };
    match proxy::run(&subject, observer) {
        Ok(exit) => Ok(ExitCode::from(status(exit))),
        Err(fault) => Ok(complain(NO_START, fault)),
    }
}

/// Whoever looks at what goes by; nobody if nobody would learn of it.
fn observer(arguments: &ProxyArguments, subject: &Subject) -> Result<Option<Observer>, String> {
    let mut report = match &arguments.report {
        Some(path) => Some(Report::of_all(file("the report", path)?)),
        None if arguments.quiet => None,
        None => Some(Report::in_moderation(Box::new(io::stderr()))),
    };
    let Some(path) = &arguments.record else {
        return Ok((!arguments.quiet).then(|| Observer::new(report)));
    };
    // A host starts its plugin again with the same words: what was recorded before is kept.
    let (recording, place) =
        recording::create_another(path).map_err(|error| cannot("the recording", path, &error))?;
    if let (Some(report), true) = (&mut report, place != *path) {
        let (path, place) = (shown(path), shown(&place));
        report.say(&format_args!(
            "there is a recording `{path}` already: this one goes to `{place}`"
        ));
    }
    let header = Header {
        source: Source::Proxy,
        subject: subject.words(),
        redacted: !arguments.no_redact,
    };
    let recording = Writer::new(buffered(recording), &header)
        .map_err(|error| cannot("the recording", &place, &error))?;
    let observer = Observer::new(report).recording(recording, header.redacted);
    Ok(Some(observer))
}

fn file(what: &str, path: &Path) -> Result<Box<dyn Write + Send>, String> {
    recording::create(path)
        .map(buffered)
        .map_err(|error| cannot(what, path, &error))
}

fn buffered(file: File) -> Box<dyn Write + Send> {
    const BUFFER_BYTES: usize = 1 << 16;
    Box::new(BufWriter::with_capacity(BUFFER_BYTES, file))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> String {
    format!("{what} `{}`: {error}", shown(path))
}

/// The plugin's status, as a shell would report it.
fn status(exit: Exit) -> u8 {
    let status = match exit {
        Exit::Status(status) => status,
        Exit::Signal(signal) => 128 + signal,
    };
    u8::try_from(status).unwrap_or(u8::MAX)
}
