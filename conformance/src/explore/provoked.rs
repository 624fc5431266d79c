use std::collections::{BTreeMap, HashMap, HashSet};

use nightcrow_protocol::PaneToken;

use super::History;
use crate::outcome::Outcome;
use crate::transcript::Transcript;

/// What histories made a plugin do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provoked {
    /// How many histories were played.
    pub histories: u64,
    /// How many of them made it send a command about one of their panes.
    pub answered: u64,
    /// How many commands of each kind it sent.
    pub commands: BTreeMap<&'static str, u64>,
}

impl Provoked {
    /// What these histories, played together, made a plugin do.
    pub(super) fn by(
        histories: &[History],
        transcript: &Transcript,
        panes: &HashMap<PaneToken, usize>,
    ) -> Self {
        // To which history each pane of all belongs.
        let owners = histories.iter().enumerate();
        let owners: Vec<_> = owners
            .flat_map(|(owner, history)| std::iter::repeat_n(owner, history.panes()))
            .collect();
        let (mut answered, mut commands) = (HashSet::new(), BTreeMap::new());
        for (_, command) in transcript.commands() {
            *commands.entry(command.kind().as_str()).or_default() += 1;
            let pane = command.token().and_then(|token| panes.get(&token));
            answered.extend(pane.map(|pane| owners[*pane]));
        }
        Self {
            histories: histories.len() as u64,
            answered: answered.len() as u64,
            commands,
        }
    }

    /// Adds what other histories did.
    pub fn add(&mut self, other: &Self) {
        self.histories += other.histories;
        self.answered += other.answered;
        for (kind, count) in &other.commands {
            *self.commands.entry(kind).or_default() += count;
        }
    }

    /// What it comes to when nothing was broken.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.commands.is_empty() {
            return Outcome::NotExercised(format!(
                "it sent no command in {} histories",
                self.histories
            ));
        }
        let (histories, commands) = (self.histories, self.told());
        Outcome::pass_with(format!("{histories} histories: {commands}"))
    }

    /// The commands and how many of each.
    #[must_use]
    pub fn told(&self) -> String {
        let commands = self
            .commands
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"));
        commands.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::PlayedHost;
    use crate::transcript::script::{LOG, Script};

    #[test]
    fn answers_are_counted_by_history() {
        let histories = [1, 2, 3].map(History::of_seed);
        let first_of_second = histories[0].panes();
        let pane = PlayedHost::new().pane();
        let transcript = Script::new().says(LOG).answers(&pane).answers(&pane).done();
        let panes = HashMap::from([(pane.token(), first_of_second)]);
        let mut provoked = Provoked::by(&histories, &transcript, &panes);
        assert_eq!((provoked.histories, provoked.answered), (3, 1));
        assert_eq!(provoked.told(), "1 log, 2 status");
        provoked.add(&provoked.clone());
        assert_eq!(provoked.told(), "2 log, 4 status");
        assert!(provoked.outcome().was_exercised());
        assert!(!Provoked::default().outcome().was_exercised());
    }
}
