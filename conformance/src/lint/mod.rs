//! Holds what was said against the contract: every line against the decoder, and all of them together
//! against the rules of the conversation.
//!
//! The [`Linter`] does no I/O and keeps no lines. It serves a file that was written long ago as well as
//! a stream that is just going by.

mod excerpt;
mod findings;
mod recorded;
mod requirement;
mod spelling;

use nightcrow_protocol::{Command, Event, Refusal};

use crate::monitor::{HostMonitor, Monitor};
use crate::traffic::{Ending, HeardLine, Message};
pub(crate) use excerpt::without_tokens;
pub use findings::{Finding, Severity};
pub use recorded::{Counts, lint};

/// Judges lines in the order in which they were heard.
#[derive(Debug, Default)]
pub struct Linter {
    conversation: Conversation,
    /// Whether matters of style are looked at too.
    looks_at_style: bool,
}

/// What is known of the panes.
#[derive(Debug)]
enum Conversation {
    /// Everything was heard from the beginning.
    Known(Box<Known>),
    /// Something was not heard, or there was too much of it: nothing is said about it any more.
    Unknown,
}

#[derive(Debug, Default)]
struct Known {
    plugin: Monitor,
    host: HostMonitor,
    /// Events about the state of panes.
    changes: u64,
}

/// After how many changes of panes the conversation is not judged any more. The monitor remembers what
/// a silent plugin may not have read yet, and that must have an end.
const MOST_CHANGES: u64 = 1 << 20;

impl Default for Conversation {
    fn default() -> Self {
        Self::Known(Box::default())
    }
}

impl Linter {
    /// A linter of both directions, at the beginning of a conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A linter of a single stream: there is no conversation to judge.
    #[must_use]
    pub const fn of_lines() -> Self {
        Self {
            conversation: Conversation::Unknown,
            looks_at_style: false,
        }
    }

    /// Also looks at what a sender SHOULD do.
    #[must_use]
    pub fn with_style(self) -> Self {
        Self {
            looks_at_style: true,
            ..self
        }
    }

    /// Something was not heard. What is said from now on is only judged line by line.
    pub fn lose(&mut self) {
        self.conversation = Conversation::Unknown;
    }

    /// The plugin has certainly read everything that was sent so far.
    pub fn plugin_has_read_all(&mut self) {
        if let Conversation::Known(known) = &mut self.conversation {
            known.plugin.plugin_has_read_all();
        }
    }

    /// Judges a line.
    pub fn judge(&mut self, line: &HeardLine<'_>, mut report: impl FnMut(Finding)) {
        match &line.message {
            Err(refusal) => report(refused(line, *refusal)),
            Ok(None) => {
                let words = "a blank line: receivers skip it, and no sender writes one";
                report(Finding::violation(line, "PLG-110", words));
            }
            Ok(Some(message)) => {
                self.judge_message(line, message, &mut report);
                if self.looks_at_style {
                    spelling::judge(line, message, &mut report);
                }
            }
        }
        judge_ending(line, &mut report);
    }

    fn judge_message(
        &mut self,
        line: &HeardLine<'_>,
        message: &Message<'_>,
        report: &mut impl FnMut(Finding),
    ) {
        if let Message::Event(Event::PaneOutput(output)) = message
            && is_unclean(&output.text)
        {
            let words = "`text` holds control characters other than CR, LF, TAB and BS";
            report(Finding::violation(line, "PLG-811", words));
        }
        let Conversation::Known(known) = &mut self.conversation else {
            return;
        };
        match message {
            Message::Event(event) => {
                if let Some(disorder) = known.host_sent(event) {
                    let requirement = disorder.rule.requirement();
                    report(Finding::violation(line, requirement, disorder.to_string()));
                }
            }
            Message::Command(command) => {
                if let Some(breach) = known.plugin.plugin_said(command) {
                    let requirement = breach.rule.requirement();
                    report(Finding::violation(line, requirement, breach.to_string()));
                }
                if reserves_cancelled(command) {
                    let words = "the state `cancelled` is the host's own";
                    report(Finding::violation(line, "PLG-806", words));
                }
            }
        }
        if known.changes > MOST_CHANGES {
            self.conversation = Conversation::Unknown;
        }
    }
}

impl Known {
    fn host_sent(&mut self, event: &Event<'_>) -> Option<crate::monitor::Disorder> {
        self.changes += u64::from(matches!(
            event,
            Event::PaneOpened(_) | Event::PaneExited(_) | Event::PaneClosed(_)
        ));
        self.plugin.host_sent(event);
        self.host.host_sent(event)
    }
}

fn refused(line: &HeardLine<'_>, refusal: Refusal) -> Finding {
    let requirement = requirement::of(refusal, line);
    let severity = match requirement {
        // A host may have extensions of its own.
        "PLG-711" => Severity::Note,
        _ => Severity::Violation,
    };
    Finding::at(line, refusal.offset(), severity, requirement, refusal)
}

fn judge_ending(line: &HeardLine<'_>, report: &mut impl FnMut(Finding)) {
    let words = match (line.ending, &line.message) {
        (Ending::CrLf, _) => "the line ends in CR LF: a sender writes LF alone",
        (Ending::EndOfStream, Ok(Some(_))) => "the stream ends without LF: so does no line",
        (Ending::Lf | Ending::Unknown | Ending::EndOfStream, _) => return,
    };
    report(Finding::at(
        line,
        line.bytes.len(),
        Severity::Violation,
        "PLG-110",
        words,
    ));
}

/// Whether a text holds what PLG-811 keeps out of it.
fn is_unclean(text: &str) -> bool {
    let is_allowed = |byte: u8| matches!(byte, b'\r' | b'\n' | b'\t' | 8);
    // 0xc2 is the first byte of U+0080 to U+009F, among others. Without an early exit this becomes vector
    // instructions, and most texts need no second look.
    let is_suspect =
        |byte: u8| ((byte < b' ') & !is_allowed(byte)) | (byte == 0x7f) | (byte == 0xc2);
    text.bytes().fold(false, |any, byte| any | is_suspect(byte))
        && text.contains(|c: char| c.is_control() && !"\r\n\t\u{8}".contains(c))
}

/// Whether it is a status that only the host may send (PLG-806).
fn reserves_cancelled(command: &Command<'_>) -> bool {
    let Command::Status(status) = command else {
        return false;
    };
    let shown = status.state.chars().filter(|c| !c.is_control());
    shown.eq("cancelled".chars())
}

#[cfg(test)]
mod tests;
