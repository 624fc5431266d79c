//! Judges a conversation between a host and a plugin by the rules about panes.
//!
//! The two pipes are asynchronous: when a command arrives, nobody outside can say how many of the
//! events sent so far its sender had read. So a command is only held against a plugin if it was wrong
//! in *every* state that the plugin can have known of: from what it has certainly read up to what was
//! sent last. A plugin has certainly read what a barrier says, and everything before the `pane_opened`
//! that taught it a token and generation which it names.

mod host;

use std::collections::HashMap;
use std::fmt;

use nightcrow_protocol::{Command, CommandKind, Event, EventKind, PaneGeneration, PaneToken};

pub use host::{Disorder, HostMonitor, OrderRule};

/// What a plugin can know of its panes, and what it may therefore ask for.
#[derive(Debug, Default)]
pub struct Monitor {
    panes: HashMap<PaneToken, Vec<Spell>>,
    /// How many events were sent.
    sent: u64,
    /// How many of them the plugin has certainly read.
    read: u64,
    /// When `shutdown` was sent.
    shutdown: Option<u64>,
}

/// A time during which a pane was in one state.
#[derive(Debug, Clone, Copy)]
struct Spell {
    /// The event that began it, counted from 1.
    since: u64,
    generation: PaneGeneration,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Live,
    Exited,
    Closed,
}

/// A rule about panes that a command can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// PLG-704: only panes it was shown.
    KnownPane,
    /// PLG-705: nothing for a closed pane.
    OpenPane,
    /// PLG-706: input only to the living.
    InputToTheLiving,
    /// PLG-706: a relaunch only of the ended.
    RelaunchOfTheEnded,
    /// PLG-707: the newest generation.
    NewestGeneration,
    /// PLG-702: no pane command after `shutdown`.
    NothingAfterShutdown,
}

impl Rule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::KnownPane,
        Self::OpenPane,
        Self::InputToTheLiving,
        Self::RelaunchOfTheEnded,
        Self::NewestGeneration,
        Self::NothingAfterShutdown,
    ];

    /// The number of the requirement.
    #[must_use]
    pub const fn requirement(self) -> &'static str {
        match self {
            Self::KnownPane => "PLG-704",
            Self::OpenPane => "PLG-705",
            Self::InputToTheLiving | Self::RelaunchOfTheEnded => "PLG-706",
            Self::NewestGeneration => "PLG-707",
            Self::NothingAfterShutdown => "PLG-702",
        }
    }
}

/// A command that breaks a rule, whatever its sender had read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The rule.
    pub rule: Rule,
    /// The pane.
    pub token: PaneToken,
    /// What was asked for.
    pub command: CommandKind,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (command, pane) = (self.command.as_str(), self.token.short());
        match self.rule {
            Rule::KnownPane => write!(f, "{command} for pane {pane}…, which was never announced"),
            Rule::OpenPane => write!(f, "{command} for pane {pane}…, which is closed"),
            Rule::InputToTheLiving => {
                write!(f, "{command} for pane {pane}…, whose program has ended")
            }
            Rule::RelaunchOfTheEnded => {
                write!(f, "{command} of pane {pane}…, whose program is alive")
            }
            Rule::NewestGeneration => {
                write!(
                    f,
                    "{command} for pane {pane}… with another generation than its newest"
                )
            }
            Rule::NothingAfterShutdown => write!(f, "{command} after shutdown"),
        }
    }
}

impl Monitor {
    /// Nothing was said yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The host sent an event.
    pub fn host_sent(&mut self, event: &Event<'_>) {
        self.sent += 1;
        let Some((token, generation)) = event.pane() else {
            self.shutdown.get_or_insert(self.sent);
            return;
        };
        let phase = match event.kind() {
            EventKind::PaneOpened => Phase::Live,
            EventKind::PaneExited => Phase::Exited,
            EventKind::PaneClosed => Phase::Closed,
            EventKind::PaneOutput
            | EventKind::PaneIdle
            | EventKind::UserInput
            | EventKind::Shutdown => return,
        };
        let spells = self.panes.entry(token).or_default();
        spells.push(Spell {
            since: self.sent,
            generation,
            phase,
        });
        forget_before(spells, self.read);
    }

    /// The plugin has certainly read everything that was sent so far.
    pub fn plugin_has_read_all(&mut self) {
        self.read = self.sent;
    }

    /// The plugin said something. Returns the rule that it broke with it.
    pub fn plugin_said(&mut self, command: &Command<'_>) -> Option<Breach> {
        let token = command.token()?;
        let breach = |rule| Breach {
            rule,
            token,
            command: command.kind(),
        };
        self.learn_from(token, command.generation());
        if self.shutdown.is_some_and(|sent| sent <= self.read) {
            return Some(breach(Rule::NothingAfterShutdown));
        }
        let generation = command.generation()?;
        let Some(spells) = self.panes.get_mut(&token) else {
            return Some(breach(Rule::KnownPane));
        };
        forget_before(spells, self.read);
        let mut faults = spells
            .iter()
            .map(|spell| spell.fault(command.kind(), generation));
        // The newest state says best what is wrong.
        match faults.next_back()? {
            Some(rule) if faults.all(|fault| fault.is_some()) => Some(breach(rule)),
            _ => None,
        }
    }

    /// Whoever names a process has read the `pane_opened` that announced it.
    fn learn_from(&mut self, token: PaneToken, generation: Option<PaneGeneration>) {
        let spells = self.panes.get(&token).into_iter().flatten();
        let opened = spells
            .filter(|spell| spell.phase == Phase::Live && Some(spell.generation) == generation)
            .map(|spell| spell.since);
        self.read = self.read.max(opened.min().unwrap_or(0));
    }
}

impl Spell {
    /// What is wrong with a command while the pane is in this state.
    fn fault(&self, command: CommandKind, generation: PaneGeneration) -> Option<Rule> {
        match (self.phase, command) {
            (Phase::Closed, _) => Some(Rule::OpenPane),
            _ if self.generation != generation => Some(Rule::NewestGeneration),
            (Phase::Exited, CommandKind::SendInput) => Some(Rule::InputToTheLiving),
            (Phase::Live, CommandKind::Relaunch) => Some(Rule::RelaunchOfTheEnded),
            (Phase::Live | Phase::Exited, _) => None,
        }
    }
}

/// Forgets the states that were over when the plugin had read this many events.
fn forget_before(spells: &mut Vec<Spell>, read: u64) {
    let over = spells.iter().skip(1).take_while(|next| next.since <= read);
    let over = over.count();
    spells.drain(..over);
}

#[cfg(test)]
mod tests;
