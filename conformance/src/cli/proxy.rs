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
    let report = match &arguments.report {
        Some(path) => Some(Report::of_all(file("the report", path)?)),
        None if arguments.quiet => None,
        None => Some(Report::in_moderation(Box::new(io::stderr()))),
    };
    let observer = Observer::new(report);
    let Some(path) = &arguments.record else {
        return Ok((!arguments.quiet).then_some(observer));
    };
    let header = Header {
        source: Source::Proxy,
        subject: subject.words(),
        redacted: !arguments.no_redact,
    };
    let recording = Writer::new(file("the recording", path)?, &header)
        .map_err(|error| format!("the recording `{}`: {error}", shown(path)))?;
    Ok(Some(observer.recording(recording, header.redacted)))
}

fn file(what: &str, path: &Path) -> Result<Box<dyn Write + Send>, String> {
    const BUFFER_BYTES: usize = 1 << 16;
    match recording::create(path) {
        Ok(file) => Ok(Box::new(BufWriter::with_capacity(BUFFER_BYTES, file))),
        Err(error) => Err(format!("{what} `{}`: {error}", shown(path))),
    }
}

/// The plugin's status, as a shell would report it.
fn status(exit: Exit) -> u8 {
    let status = match exit {
        Exit::Status(status) => status,
        Exit::Signal(signal) => 128 + signal,
    };
    u8::try_from(status).unwrap_or(u8::MAX)
}
