use std::fmt;
use std::io::Write;
use std::time::Duration;

use super::Report;
use super::tap::{Heard, Note};
use crate::lint::Linter;
use crate::recording::{Did, Entry, Parse, Redactor, Verdict, What, Writer};
use crate::traffic::{Direction, HeardLine, Lines};

/// Judges what goes by, and records it.
pub struct Observer {
    events: Lines,
    commands: Lines,
    linter: Linter,
    report: Option<Report>,
    recorder: Option<Recorder>,
}

/// Writes down what goes by.
struct Recorder {
    to: Writer<Box<dyn Write + Send>>,
    /// What makes lines fit to be kept; bytes are kept as they are if `None`.
    redactor: Option<Redactor>,
    /// The lines of one chunk, redacted.
    redacted: Vec<u8>,
}

impl Observer {
    /// An observer that reports violations to `report`, if there is one.
    #[must_use]
    pub fn new(report: Option<Report>) -> Self {
        Self {
            events: Lines::new(Direction::In),
            commands: Lines::new(Direction::Out),
            linter: Linter::new(),
            report,
            recorder: None,
        }
    }

    /// Also writes down what goes by: redacted, or as it is.
    #[must_use]
    pub fn recording(self, to: Writer<Box<dyn Write + Send>>, redacted: bool) -> Self {
        let recorder = Recorder {
            to,
            redactor: redacted.then(Redactor::new),
            redacted: Vec::new(),
        };
        Self {
            recorder: Some(recorder),
            ..self
        }
    }

    /// Something went by.
    pub(super) fn observe(&mut self, note: Note) {
        let Note { at, heard } = note;
        match heard {
            Heard::Bytes(direction, bytes) => self.bytes(at, direction, &bytes),
            Heard::Lost([r#in, out]) => self.lost(at, r#in, out),
            Heard::StdinClosed => {
                self.end_of(at, Direction::In);
                self.did(at, Did::StdinClosed);
            }
            Heard::StdinBroken => self.did(at, Did::StdinBroken),
            Heard::StdoutEnded => {
                self.end_of(at, Direction::Out);
                self.did(at, Did::StdoutEnded);
            }
            Heard::StdoutClosed => self.did(at, Did::StdoutClosed),
            Heard::Exited(exit) => {
                let unread = None;
                self.did(at, Did::Exited { exit, unread });
            }
        }
    }

    /// Nothing is waiting to be observed: what was written down is handed on.
    pub(super) fn pause(&mut self) {
        let flushed = self.recorder.as_mut().map_or(Ok(()), |r| r.to.flush());
        self.give_up_recording(flushed);
        if let Some(report) = &mut self.report {
            report.flush();
        }
    }

    /// Nothing will go by any more.
    pub(super) fn end(&mut self) {
        self.pause();
        if let Some(report) = &mut self.report {
            report.end();
        }
    }

    fn bytes(&mut self, at: Duration, direction: Direction, bytes: &[u8]) {
        let mut kept = Kept::new(self.recorder.as_mut());
        let (linter, report) = (&mut self.linter, &mut self.report);
        let lines = match direction {
            Direction::In => &mut self.events,
            Direction::Out => &mut self.commands,
        };
        lines.hear(bytes, |line| {
            judge(linter, report.as_mut(), at, line);
            kept.line(line);
        });
        let written = kept.end(at, direction, bytes);
        self.give_up_recording(written);
    }

    fn end_of(&mut self, at: Duration, direction: Direction) {
        let mut kept = Kept::new(self.recorder.as_mut());
        let (linter, report) = (&mut self.linter, &mut self.report);
        let lines = match direction {
            Direction::In => &mut self.events,
            Direction::Out => &mut self.commands,
        };
        lines.end(|line| {
            judge(linter, report.as_mut(), at, line);
            kept.line(line);
        });
        let written = kept.end(at, direction, b"");
        self.give_up_recording(written);
    }

    fn lost(&mut self, at: Duration, r#in: u64, out: u64) {
        self.linter.lose();
        for (lines, bytes) in [(&mut self.events, r#in), (&mut self.commands, out)] {
            if bytes > 0 {
                lines.lose(bytes);
            }
        }
        if let Some(report) = &mut self.report {
            report.say(&format_args!(
                "{in} bytes of the host and {out} of the plugin went by unjudged: this machine is too busy"
            ));
        }
        self.did(at, Did::Lost { r#in, out });
    }

    fn did(&mut self, at: Duration, did: Did) {
        let what = What::Run(did);
        let written = match &mut self.recorder {
            Some(recorder) => recorder.to.write(&Entry { at, what }),
            None => Ok(()),
        };
        self.give_up_recording(written);
    }

    /// The traffic goes on whether or not it can be written down.
    fn give_up_recording(&mut self, written: std::io::Result<()>) {
        let Err(error) = written else { return };
        self.recorder = None;
        if let Some(report) = &mut self.report {
            report.say(&format_args!("the recording ends here: {error}"));
        }
    }
}

fn judge(linter: &mut Linter, report: Option<&mut Report>, at: Duration, line: &HeardLine<'_>) {
    if let Some(report) = report {
        linter.judge(line, |finding| report.finding(at, &finding));
    }
}

/// What is kept of one chunk.
struct Kept<'a> {
    recorder: Option<&'a mut Recorder>,
    /// Those of its lines that are no messages.
    parse: Vec<Parse>,
}

impl<'a> Kept<'a> {
    const fn new(recorder: Option<&'a mut Recorder>) -> Self {
        Self {
            recorder,
            parse: Vec::new(),
        }
    }

    fn line(&mut self, line: &HeardLine<'_>) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        if let Some(redactor) = &mut recorder.redactor {
            redactor.line(line, &mut recorder.redacted);
        }
        if let Err(refusal) = line.message {
            self.parse.push(Parse {
                line: line.number,
                verdict: Verdict::Refused(refusal.to_string()),
            });
        }
    }

    fn end(self, at: Duration, direction: Direction, bytes: &[u8]) -> std::io::Result<()> {
        let Some(recorder) = self.recorder else {
            return Ok(());
        };
        let bytes = match recorder.redactor {
            Some(_) => recorder.redacted.as_slice().into(),
            None => bytes.into(),
        };
        recorder.redacted.clear();
        let parse = self.parse;
        let what = match direction {
            Direction::In => What::In {
                bytes,
                repeated_to: None,
                breaks: None,
                parse,
            },
            Direction::Out => What::Out { bytes, parse },
        };
        if what.is_empty() {
            return Ok(());
        }
        recorder.to.write(&Entry { at, what })
    }
}

impl What {
    /// Whether nothing is to be told.
    fn is_empty(&self) -> bool {
        match self {
            Self::In { bytes, parse, .. } | Self::Out { bytes, parse } => {
                bytes.is_empty() && parse.is_empty()
            }
            Self::Err(bytes) => bytes.is_empty(),
            Self::Run(_) => false,
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer")
            .field("report", &self.report)
            .field("records", &self.recorder.is_some())
            .finish_non_exhaustive()
    }
}
