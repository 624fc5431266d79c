//! How a plugin treats its panes, judged over a whole transcript.
//!
//! Most breaches are certain (see [`crate::monitor`]). The rest is settled by experiment: the same is
//! done to two panes and left undone to a third. Whoever then does what it must not to both of them,
//! and not to the third, does it because of what was done.

use nightcrow_protocol::{Command, CommandKind, EventKind, PaneToken, decode_event};

use super::cut_short;
use crate::monitor::{Breach, Monitor, Rule};
use crate::outcome::{Failure, Outcome, Reason};
use crate::transcript::{Happening, StdoutLine, Transcript};

/// The panes that were announced, each once, in the order of their first announcement.
pub(super) fn panes(transcript: &Transcript) -> Vec<PaneToken> {
    let mut panes = Vec::new();
    for (_, line) in transcript.sent_lines() {
        if let (Some(EventKind::PaneOpened), Some((token, _))) = (line.kind(), line.pane())
            && !panes.contains(&token)
        {
            panes.push(token);
        }
    }
    panes
}

/// Every certain breach of a rule about panes.
pub(super) fn breaches(transcript: &Transcript) -> Vec<(StdoutLine<'_>, Breach)> {
    let mut commands = transcript.commands().peekable();
    let mut monitor = Monitor::new();
    let mut breaches = Vec::new();
    for (index, entry) in transcript.entries().iter().enumerate() {
        if let Happening::SentLine(line) = &entry.what
            && let Ok(Some(event)) = decode_event(line.content())
        {
            monitor.host_sent(&event);
        }
        while let Some((line, command)) = commands.next_if(|(line, _)| line.entry == index) {
            breaches.extend(monitor.plugin_said(&command).map(|breach| (line, breach)));
        }
    }
    breaches
}

/// The failure that the first certain breach of one of these rules is.
pub(super) fn broken(transcript: &Transcript, rules: &[Rule]) -> Result<(), Failure> {
    let mut breaches = breaches(transcript).into_iter();
    match breaches.find(|(_, breach)| rules.contains(&breach.rule)) {
        Some((line, breach)) => {
            Err(Failure::new(reason(breach.rule), format!("it sent {breach}")).at(line.offset))
        }
        None => Ok(()),
    }
}

/// The reason that stands for a broken rule.
pub(super) const fn reason(rule: Rule) -> Reason {
    match rule {
        Rule::KnownPane => Reason::UnknownPane,
        Rule::OpenPane => Reason::ClosedPane,
        Rule::InputToTheLiving => Reason::InputToExited,
        Rule::RelaunchOfTheEnded => Reason::RelaunchOfLive,
        Rule::NewestGeneration => Reason::StaleGeneration,
        Rule::NothingAfterShutdown => Reason::CommandAfterShutdown,
    }
}

/// An experiment: what was done to two panes from some entry on, and not to a third.
pub(super) struct Experiment<'t> {
    pub(super) transcript: &'t Transcript,
    pub(super) treated: [PaneToken; 2],
    pub(super) control: PaneToken,
    /// The event that was the treatment.
    pub(super) treatment: EventKind,
}

impl<'t> Experiment<'t> {
    /// The first forbidden command that the treatment provoked, if it did.
    pub(super) fn provoked(
        &self,
        is_forbidden: fn(CommandKind) -> bool,
    ) -> Option<(StdoutLine<'t>, Command<'t>)> {
        let [first, second] = self.treated.map(|pane| {
            let since = self.treated_at(pane)?;
            self.first(pane, since, is_forbidden)
        });
        let since = self.treated_at(self.treated[0])?;
        match self.first(self.control, since, is_forbidden) {
            None => first.filter(|_| second.is_some()),
            Some(_) => None,
        }
    }

    /// The entry at which a pane was treated.
    fn treated_at(&self, pane: PaneToken) -> Option<usize> {
        let mut lines = self.transcript.sent_lines();
        lines
            .find(|(_, line)| {
                line.kind() == Some(self.treatment)
                    && line.pane().is_some_and(|(token, _)| token == pane)
            })
            .map(|(entry, _)| entry)
    }

    fn first(
        &self,
        pane: PaneToken,
        since: usize,
        is_forbidden: fn(CommandKind) -> bool,
    ) -> Option<(StdoutLine<'t>, Command<'t>)> {
        let mut commands = self.transcript.commands();
        commands.find(|(line, command)| {
            line.entry > since && command.token() == Some(pane) && is_forbidden(command.kind())
        })
    }
}

/// Whether a command acts on a program.
pub(super) const fn is_action(command: CommandKind) -> bool {
    matches!(command, CommandKind::SendInput | CommandKind::Relaunch)
}

/// Whether a command is about a process in a pane.
pub(super) const fn is_about_a_process(command: CommandKind) -> bool {
    !matches!(command, CommandKind::Log | CommandKind::WatchPane)
}

/// What it comes to when nothing was broken: a pass if the subject did `what` it takes to tell.
pub(super) fn unless_idle(transcript: &Transcript, did: bool, what: &str) -> Outcome {
    match cut_short(transcript) {
        Some(outcome) => outcome,
        None if did => Outcome::pass(),
        None => Outcome::NotExercised(what.to_owned()),
    }
}

/// What it comes to when the stimulus ended before every pane was announced.
pub(super) fn unannounced(transcript: &Transcript) -> Outcome {
    unless_idle(transcript, false, "not every pane was announced")
}
