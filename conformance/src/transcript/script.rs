//! Transcripts made by hand, for the tests of judges.

use std::time::Duration;

use super::{Exit, Figures, Happening, QuietWindow, Sample, Terms, Transcript};
use crate::stimulus::{Barrier, Burst, EventLine, Pane, PlayedHost};

/// Builds a transcript step by step.
pub(crate) struct Script {
    transcript: Transcript,
    now: Duration,
}

impl Script {
    pub(crate) fn new() -> Self {
        Self {
            transcript: Transcript::default(),
            now: Duration::ZERO,
        }
    }

    pub(crate) fn on(terms: Terms) -> Self {
        Self {
            transcript: Transcript::on(terms),
            now: Duration::ZERO,
        }
    }

    pub(crate) fn done(self) -> Transcript {
        self.transcript
    }

    pub(crate) fn happens(mut self, what: Happening) -> Self {
        self.transcript.record(self.now, what);
        self
    }

    pub(crate) fn sends(self, line: EventLine) -> Self {
        self.happens(Happening::SentLine(line))
    }

    /// A pane of no further interest opens.
    pub(crate) fn opened(self) -> Self {
        self.sends(PlayedHost::new().pane().opened())
    }

    pub(crate) fn shutdown(self) -> Self {
        self.sends(PlayedHost::new().shutdown())
    }

    pub(crate) fn burst(self, events: usize) -> Self {
        let mut pane = PlayedHost::new().pane();
        pane.opened();
        let burst = Burst::new([pane.output("text")], events);
        self.happens(Happening::SentBurst(burst.summary(burst.total_bytes())))
    }

    pub(crate) fn says(mut self, text: impl AsRef<[u8]>) -> Self {
        self.transcript.record_stdout(self.now, text.as_ref());
        self
    }

    /// The subject asks for input to the pane's present process.
    pub(crate) fn types_into(self, pane: &Pane) -> Self {
        self.asks(pane, "send_input", ",\"data\":\"\\r\"")
    }

    /// The subject asks for a relaunch of the pane.
    pub(crate) fn relaunches(self, pane: &Pane) -> Self {
        self.asks(pane, "relaunch", ",\"resume_args\":[]")
    }

    /// The subject asks for a person to look at the pane.
    pub(crate) fn calls_for(self, pane: &Pane) -> Self {
        self.asks(pane, "attention", "")
    }

    /// The subject asks for the pane.
    pub(crate) fn watches(self, pane: &Pane) -> Self {
        let token = pane.token();
        let token = token.as_str();
        self.says(format!(
            "{{\"cmd\":\"watch_pane\",\"v\":3,\"token\":\"{token}\"}}\n"
        ))
    }

    fn asks(self, pane: &Pane, command: &str, members: &str) -> Self {
        let pane = pane.as_ref();
        let (token, generation) = (pane.token.as_str(), pane.generation.get());
        self.says(format!(
            "{{\"cmd\":\"{command}\",\"v\":3,\"token\":\"{token}\",\"generation\":{generation}{members}}}\n"
        ))
    }

    /// From here on this much time has passed.
    pub(crate) fn after(mut self, seconds: u64) -> Self {
        self.now = Duration::from_secs(seconds);
        self
    }

    /// The subject answers with a status of the pane's first process.
    pub(crate) fn answers(self, pane: &Pane) -> Self {
        let token = pane.token();
        self.says(status(token.as_str()))
    }

    pub(crate) fn complains(mut self, text: &str) -> Self {
        self.transcript.record_stderr(self.now, text.as_bytes());
        self
    }

    pub(crate) fn awaited(self, barrier: Barrier, met: bool) -> Self {
        self.happens(Happening::Awaited { barrier, met })
    }

    pub(crate) fn stalled(self) -> Self {
        self.happens(Happening::Stalled { unsent: 1 })
    }

    pub(crate) fn stdin_closed(self) -> Self {
        self.happens(Happening::StdinClosed)
    }

    pub(crate) fn waiting_output(self, stdout_waiting: u64) -> Self {
        self.happens(Happening::Sampled(Sample {
            stdout_waiting,
            stdin_unread: Some(0),
            figures: None,
        }))
    }

    pub(crate) fn resident(self, resident: u64) -> Self {
        let figures = Some(Figures {
            resident,
            ..Figures::default()
        });
        self.happens(Happening::Sampled(Sample {
            stdout_waiting: 0,
            stdin_unread: Some(0),
            figures,
        }))
    }

    pub(crate) fn window(self, cpu_ms: u64, waited_ms: u64) -> Self {
        self.happens(Happening::QuietWindow(QuietWindow {
            length: Duration::from_secs(1),
            cpu: Duration::from_millis(cpu_ms),
            waited: Duration::from_millis(waited_ms),
        }))
    }

    pub(crate) fn exits(self, status: i32) -> Self {
        self.happens(Happening::Exited {
            exit: Exit::Status(status),
            unread: Some(0),
        })
    }

    pub(crate) fn dies(self, signal: i32) -> Self {
        self.happens(Happening::Exited {
            exit: Exit::Signal(signal),
            unread: Some(0),
        })
    }

    pub(crate) fn killed(self) -> Self {
        self.happens(Happening::Killed)
    }
}

/// A `status` line about this pane.
pub(crate) fn status(token: &str) -> String {
    format!(
        "{{\"cmd\":\"status\",\"v\":3,\"token\":\"{token}\",\"generation\":1,\"state\":\"watching\",\
         \"detail\":null,\"deadline_epoch\":null,\"attempt\":0}}\n"
    )
}

/// A `log` line.
pub(crate) const LOG: &str = "{\"cmd\":\"log\",\"v\":3,\"level\":\"info\",\"message\":\"hi\"}\n";
