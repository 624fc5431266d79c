use std::sync::Arc;

use memchr::{memchr_iter, memmem};
use nightcrow_protocol::limits::MAX_LINE_BYTES;
use nightcrow_protocol::{
    Event, EventKind, PaneGeneration, PaneToken, RefusalCode, decode_event, encode_event,
};

use crate::profile::PaneRef;
use crate::schema;

/// One line for the subject's stdin.
#[derive(Debug, Clone)]
pub struct EventLine {
    bytes: Arc<[u8]>,
    kind: Option<EventKind>,
    pane: Option<(PaneToken, PaneGeneration)>,
    /// The requirement that the line breaks on purpose.
    breaks: Option<&'static str>,
}

impl EventLine {
    /// The event as a host writes it.
    ///
    /// # Panics
    /// If the event does not fit a line: stimuli are of our own making.
    #[must_use]
    pub fn new(event: &Event<'_>) -> Self {
        let line = encode_event(event).expect("a stimulus fits its line");
        Self {
            bytes: line.into_bytes().into(),
            kind: Some(event.kind()),
            pane: event.pane(),
            breaks: None,
        }
    }

    /// The line, with its terminator.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The line without its terminator.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        let line = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Which kind of event it is; `None` if it is none.
    #[must_use]
    pub const fn kind(&self) -> Option<EventKind> {
        self.kind
    }

    /// The pane it is about, and which process in it.
    #[must_use]
    pub const fn pane(&self) -> Option<(PaneToken, PaneGeneration)> {
        self.pane
    }

    /// The requirement that the line breaks on purpose.
    #[must_use]
    pub const fn breaks(&self) -> Option<&'static str> {
        self.breaks
    }

    /// Whether it tells the subject to end.
    #[must_use]
    pub const fn is_shutdown(&self) -> bool {
        matches!(self.kind, Some(EventKind::Shutdown)) && self.breaks.is_none()
    }

    /// The same line, ended by CR LF.
    #[must_use]
    pub fn with_cr_lf(self) -> Self {
        let mut bytes = self.bytes.to_vec();
        bytes.insert(bytes.len() - 1, b'\r');
        Self {
            bytes: bytes.into(),
            ..self
        }
    }

    /// A line of version 3 with a tag that names no event, about this pane, which breaks PLG-303.
    #[must_use]
    pub fn unknown(tag: &str, pane: PaneRef) -> Self {
        let PaneRef { token, generation } = pane;
        let (token, generation) = (token.as_str(), generation.get());
        let line = format!(
            "{{\"event\":\"{tag}\",\"v\":3,\"token\":\"{token}\",\"generation\":{generation},\"level\":2}}\n"
        );
        Self {
            bytes: line.into_bytes().into(),
            kind: None,
            pane: None,
            breaks: Some("PLG-303"),
        }
    }

    /// The same line with members that the contract does not know, at its end.
    #[must_use]
    pub fn with_unknown_members(self) -> Self {
        let Some(body) = self.bytes.strip_suffix(b"}\n") else {
            return self;
        };
        let unknown = r#","zz":{"a":[1,null]},"hint":"x","Token":"y"}"#;
        let bytes = [body, unknown.as_bytes(), b"\n"].concat();
        Self {
            bytes: bytes.into(),
            ..self
        }
    }

    /// The same line as a host of version 4 would write it, against PLG-301.
    #[must_use]
    pub fn of_version_4(self) -> Self {
        let text = String::from_utf8_lossy(&self.bytes);
        let bytes = text.replacen(r#""v":3"#, r#""v":4"#, 1).into_bytes();
        Self {
            bytes: bytes.into(),
            breaks: Some("PLG-301"),
            ..self
        }
    }

    /// The same `pane_output`, its text lengthened at the front until the line has this many bytes
    /// without its terminator. A line over the limit breaks PLG-103.
    ///
    /// # Panics
    /// If it is longer already or has no text.
    #[must_use]
    pub fn padded_to(self, length: usize) -> Self {
        const TEXT: &[u8] = b"\"text\":\"";
        let text = memmem::find(&self.bytes, TEXT).expect("a pane_output has a text") + TEXT.len();
        let missing = (length + 1)
            .checked_sub(self.bytes.len())
            .expect("the line is shorter");
        let (before, behind) = self.bytes.split_at(text);
        let bytes = [before, &b".".repeat(missing), behind].concat();
        let breaks = if length > MAX_LINE_BYTES {
            Some("PLG-103")
        } else {
            self.breaks
        };
        Self {
            bytes: bytes.into(),
            breaks,
            ..self
        }
    }

    /// Holds the line against decoder and schema: a line must be well formed unless it is tagged with
    /// the requirement that it breaks, and must break it then.
    ///
    /// # Errors
    /// What is wrong with the stimulus, as a sentence.
    pub fn self_check(&self) -> Result<(), String> {
        match (self.breaks, well_formed(&self.bytes)) {
            (None, Ok(())) | (Some(_), Err(_)) => Ok(()),
            (None, Err(fault)) => Err(format!(
                "a line of the stimulus is not well formed: {fault}"
            )),
            (Some(requirement), Ok(())) => Err(format!(
                "a line of the stimulus is tagged as breaking {requirement} but does not"
            )),
        }
    }
}

/// Checks one line, given with its terminator.
fn well_formed(line: &[u8]) -> Result<(), String> {
    let line = line.strip_suffix(b"\n").ok_or("it has no terminator")?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > MAX_LINE_BYTES {
        return Err(RefusalCode::LineTooLong.to_string());
    }
    match decode_event(line) {
        Ok(Some(_)) => schema::check_event(line),
        Ok(None) => Err("it is blank".to_owned()),
        Err(refusal) => Err(refusal.to_string()),
    }
}

/// Many lines: a cycle of them, sent several times over. All are well formed.
#[derive(Debug, Clone)]
pub struct Burst {
    cycle: Arc<[u8]>,
    cycle_events: usize,
    times: usize,
}

/// How many bytes one cycle of a burst may have, so that recordings can hold it whole.
pub const MAX_CYCLE_BYTES: usize = 16 << 20;

/// What a transcript keeps of a burst.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BurstSummary {
    /// How many lines were sent.
    pub events: usize,
    /// How many bytes.
    pub bytes: u64,
    /// After how many lines they repeat.
    pub cycle_events: usize,
    /// One cycle's bytes.
    pub cycle: Arc<[u8]>,
    /// The first line.
    pub first: Vec<u8>,
    /// The last line.
    pub last: Vec<u8>,
}

impl Burst {
    /// These lines, `times` over.
    ///
    /// # Panics
    /// If there are none, or more than [`MAX_CYCLE_BYTES`].
    #[must_use]
    pub fn new(lines: impl IntoIterator<Item = EventLine>, times: usize) -> Self {
        let (mut cycle, mut cycle_events) = (Vec::new(), 0);
        for line in lines {
            cycle.extend_from_slice(&line.bytes);
            cycle_events += 1;
        }
        assert!(cycle_events > 0 && times > 0, "a burst has lines");
        assert!(cycle.len() <= MAX_CYCLE_BYTES, "a cycle is recorded whole");
        Self {
            cycle: cycle.into(),
            cycle_events,
            times,
        }
    }

    /// One cycle's bytes.
    #[must_use]
    pub fn cycle(&self) -> &[u8] {
        &self.cycle
    }

    /// How many bytes all of it has.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.cycle.len() as u64 * self.times as u64
    }

    /// What a transcript keeps of it when `sent` bytes were taken.
    #[must_use]
    pub fn summary(&self, sent: u64) -> BurstSummary {
        let whole_cycles = usize::try_from(sent / self.cycle.len() as u64).unwrap_or(usize::MAX);
        let rest = usize::try_from(sent % self.cycle.len() as u64).unwrap_or(0);
        let rest_events = memchr_iter(b'\n', &self.cycle[..rest]).count();
        let mut lines = self.cycle.split_inclusive(|byte| *byte == b'\n');
        BurstSummary {
            events: whole_cycles * self.cycle_events + rest_events,
            bytes: sent,
            cycle_events: self.cycle_events,
            cycle: Arc::clone(&self.cycle),
            first: lines.next().unwrap_or_default().to_vec(),
            last: lines.next_back().unwrap_or_default().to_vec(),
        }
    }

    /// Holds each line of the cycle against decoder and schema.
    ///
    /// # Errors
    /// What is wrong with the first bad one, as a sentence.
    pub fn self_check(&self) -> Result<(), String> {
        let mut lines = self.cycle.split_inclusive(|byte| *byte == b'\n');
        lines
            .try_for_each(well_formed)
            .map_err(|fault| format!("a line of the stimulus is not well formed: {fault}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::PlayedHost;

    #[test]
    fn lines_reach_an_exact_length() {
        let mut pane = PlayedHost::new().pane();
        pane.opened();
        let line = pane.output("text").padded_to(MAX_LINE_BYTES);
        assert_eq!(line.bytes().len(), MAX_LINE_BYTES + 1);
        assert_eq!(line.self_check(), Ok(()));
        let line = line.with_cr_lf();
        assert!(line.bytes().ends_with(b"\"}\r\n"));
        assert_eq!(line.self_check(), Ok(()));
    }

    #[test]
    fn a_violation_must_be_tagged_and_real() {
        let mut pane = PlayedHost::new().pane();
        let opened = pane.opened();
        assert_eq!(opened.clone().of_version_4().self_check(), Ok(()));
        assert_eq!(
            pane.output("").padded_to(MAX_LINE_BYTES + 1).self_check(),
            Ok(())
        );

        let untagged = EventLine {
            breaks: None,
            ..opened.clone().of_version_4()
        };
        assert!(
            untagged
                .self_check()
                .unwrap_err()
                .contains("version_mismatch")
        );
        let unreal = EventLine {
            breaks: Some("PLG-301"),
            ..opened
        };
        assert!(unreal.self_check().unwrap_err().contains("PLG-301"));
    }

    #[test]
    fn a_burst_knows_what_was_sent_of_it() {
        let mut pane = PlayedHost::new().pane();
        pane.opened();
        let lines = [pane.output("a"), pane.output("b")];
        let burst = Burst::new(lines.clone(), 3);
        assert_eq!(burst.total_bytes(), 6 * lines[0].bytes().len() as u64);
        let whole = burst.summary(burst.total_bytes());
        assert_eq!((whole.events, whole.cycle_events), (6, 2));
        assert_eq!(
            (whole.first.as_slice(), whole.last.as_slice()),
            (lines[0].bytes(), lines[1].bytes())
        );
        assert_eq!(burst.summary(burst.total_bytes() - 1).events, 5);
        assert_eq!(burst.self_check(), Ok(()));
    }
}
