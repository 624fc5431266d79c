//! Judges the order of a host's events, on the stream of events alone.
//!
//! Here nothing crosses on the way: a host is its own witness. What a host that joins a conversation
//! late cannot have broken is not judged: the first generation that is announced may be any.

use std::collections::HashMap;
use std::fmt;

use nightcrow_protocol::{Event, EventKind, PaneGeneration, PaneToken};

/// What a host has said of its panes, and what it may therefore say next.
#[derive(Debug, Default)]
pub struct HostMonitor {
    panes: HashMap<PaneToken, State>,
    over: bool,
    /// More panes were open than are watched: who is missing may be one of those.
    overflowed: bool,
}

#[derive(Debug, Clone, Copy)]
struct State {
    generation: PaneGeneration,
    live: bool,
}

/// How many open panes are watched at most.
const MOST_PANES: usize = 1 << 16;

/// A rule about the order of events that a host can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderRule {
    /// PLG-810: `pane_opened` comes first, and again after `pane_closed`.
    OpenedFirst,
    /// PLG-810: the end of a program is never left out.
    ExitedBeforeNext,
    /// PLG-604: a program ends once.
    ExitedOnce,
    /// PLG-808: a relaunch gets the next generation.
    NextGeneration,
    /// PLG-810: `shutdown` is the last line.
    ShutdownLast,
}

impl OrderRule {
    /// The number of the requirement.
    #[must_use]
    pub const fn requirement(self) -> &'static str {
        match self {
            Self::OpenedFirst | Self::ExitedBeforeNext | Self::ShutdownLast => "PLG-810",
            Self::ExitedOnce => "PLG-604",
            Self::NextGeneration => "PLG-808",
        }
    }
}

/// An event that no host may send at this point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disorder {
    /// The rule.
    pub rule: OrderRule,
    /// The pane; `shutdown` is about none.
    pub token: Option<PaneToken>,
    /// The event.
    pub event: EventKind,
}

impl fmt::Display for Disorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.event.as_str())?;
        if let Some(token) = self.token {
            write!(f, " of pane {}…", token.short())?;
        }
        f.write_str(match self.rule {
            OrderRule::OpenedFirst => ", for which no pane_opened stands",
            OrderRule::ExitedBeforeNext => ", but the end of its last program was never told",
            OrderRule::ExitedOnce => ", whose program has ended already",
            OrderRule::NextGeneration => " with another generation than the next",
            OrderRule::ShutdownLast => " after shutdown",
        })
    }
}

impl HostMonitor {
    /// Nothing was said yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The host sent an event. Returns the rule that it broke with it.
    ///
    /// Whatever it broke, its word is taken: one mistake is reported once.
    pub fn host_sent(&mut self, event: &Event<'_>) -> Option<Disorder> {
        let rule = if self.over {
            Some(OrderRule::ShutdownLast)
        } else {
            self.fault(event)
        };
        self.believe(event);
        rule.map(|rule| Disorder {
            rule,
            token: event.pane().map(|(token, _)| token),
            event: event.kind(),
        })
    }

    fn fault(&self, event: &Event<'_>) -> Option<OrderRule> {
        let (token, generation) = event.pane()?;
        let Some(pane) = self.panes.get(&token) else {
            let is_new = event.kind() == EventKind::PaneOpened;
            return (!is_new && !self.overflowed).then_some(OrderRule::OpenedFirst);
        };
        let is_newer = generation > pane.generation;
        match event.kind() {
            // The answer to a `watch_pane` for a pane that is watched already.
            EventKind::PaneOpened if pane.live && generation == pane.generation => None,
            EventKind::PaneOpened if pane.live && is_newer => Some(OrderRule::ExitedBeforeNext),
            EventKind::PaneOpened if Some(generation) == pane.generation.next() => None,
            EventKind::PaneOpened => Some(OrderRule::NextGeneration),
            _ if is_newer => Some(OrderRule::OpenedFirst),
            EventKind::PaneExited if !pane.live && generation == pane.generation => {
                Some(OrderRule::ExitedOnce)
            }
            // What is late is late: events of an older process are ignored (PLG-707).
            EventKind::PaneExited
            | EventKind::PaneOutput
            | EventKind::PaneIdle
            | EventKind::PaneClosed
            | EventKind::UserInput
            | EventKind::Shutdown => None,
        }
    }

    fn believe(&mut self, event: &Event<'_>) {
        let Some((token, generation)) = event.pane() else {
            self.over = true;
            return;
        };
        match event.kind() {
            EventKind::PaneOpened => {
                if self.panes.len() < MOST_PANES || self.panes.contains_key(&token) {
                    let live = true;
                    self.panes.insert(token, State { generation, live });
                } else {
                    self.overflowed = true;
                }
            }
            EventKind::PaneExited => {
                if let Some(pane) = self.panes.get_mut(&token)
                    && generation >= pane.generation
                {
                    let live = false;
                    *pane = State { generation, live };
                }
            }
            EventKind::PaneClosed => {
                self.panes.remove(&token);
            }
            EventKind::PaneOutput
            | EventKind::PaneIdle
            | EventKind::UserInput
            | EventKind::Shutdown => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use nightcrow_protocol::{
        PaneClosed, PaneExited, PaneOpened, PaneOutput, Shutdown, UserInput, Version,
    };
    use proptest::prelude::*;

    use super::*;

    fn event(kind: EventKind, name: &str, number: u32) -> Event<'static> {
        let v = Version;
        let token = PaneToken::new(name).unwrap();
        let generation = PaneGeneration::new(number).unwrap();
        match kind {
            EventKind::PaneOpened => Event::from(PaneOpened {
                v,
                token,
                generation,
                title: None,
                command: None,
                cwd: "/".into(),
            }),
            EventKind::PaneExited => PaneExited {
                v,
                token,
                generation,
            }
            .into(),
            EventKind::PaneClosed => PaneClosed {
                v,
                token,
                generation,
            }
            .into(),
            EventKind::UserInput => UserInput {
                v,
                token,
                generation,
            }
            .into(),
            EventKind::PaneOutput | EventKind::PaneIdle => {
                let text = "text".into();
                PaneOutput {
                    v,
                    token,
                    generation,
                    text,
                }
                .into()
            }
            EventKind::Shutdown => Shutdown::default().into(),
        }
    }

    use EventKind::{PaneClosed as Closed, PaneExited as Exited, PaneOpened as Opened};
    use EventKind::{PaneOutput as Output, Shutdown as Over};

    /// What the last of these events breaks; those before it must break nothing.
    fn last(events: &[(EventKind, u32)]) -> Option<OrderRule> {
        let mut monitor = HostMonitor::new();
        let mut broken = None;
        for (index, (kind, number)) in events.iter().enumerate() {
            broken = monitor.host_sent(&event(*kind, "a", *number));
            assert!(broken.is_none() || index + 1 == events.len(), "{broken:?}");
        }
        broken.map(|disorder| disorder.rule)
    }

    #[test]
    fn each_rule_is_broken_by_what_it_forbids() {
        assert_eq!(last(&[(Output, 1)]), Some(OrderRule::OpenedFirst));
        assert_eq!(
            last(&[(Opened, 1), (Closed, 1), (Exited, 1)]),
            Some(OrderRule::OpenedFirst)
        );
        assert_eq!(
            last(&[(Opened, 1), (Output, 2)]),
            Some(OrderRule::OpenedFirst)
        );
        assert_eq!(
            last(&[(Opened, 1), (Opened, 2)]),
            Some(OrderRule::ExitedBeforeNext)
        );
        assert_eq!(
            last(&[(Opened, 1), (Exited, 1), (Exited, 1)]),
            Some(OrderRule::ExitedOnce)
        );
        for number in [1, 3] {
            assert_eq!(
                last(&[(Opened, 1), (Exited, 1), (Opened, number)]),
                Some(OrderRule::NextGeneration)
            );
        }
        assert_eq!(last(&[(Over, 1), (Over, 1)]), Some(OrderRule::ShutdownLast));
        assert_eq!(
            last(&[(Over, 1), (Opened, 1)]),
            Some(OrderRule::ShutdownLast)
        );
    }

    #[test]
    fn what_hosts_may_do_is_no_disorder() {
        // Watched late; announced twice; old output; closed without an exit; opened again.
        let history = [
            (Opened, 7),
            (Opened, 7),
            (Exited, 7),
            (Opened, 8),
            (Output, 7),
            (Closed, 8),
            (Opened, 8),
            (Over, 1),
        ];
        assert_eq!(last(&history), None);
    }

    #[test]
    fn says_what_is_wrong_without_the_whole_token() {
        let mut monitor = HostMonitor::new();
        let disorder = monitor
            .host_sent(&event(Output, "00112233445566", 1))
            .unwrap();
        assert_eq!(
            disorder.to_string(),
            "pane_output of pane 001122…, for which no pane_opened stands"
        );
    }

    proptest! {
        #[test]
        fn lives_of_panes_in_any_mixture_are_in_order(
            lives in prop::collection::vec((0..3_usize, 0..4_u32, any::<bool>()), 1..20),
        ) {
            let names = ["a", "b", "c"];
            let mut monitor = HostMonitor::new();
            for (pane, relaunches, ends_by_exit) in lives {
                let name = names[pane];
                for number in 1..=relaunches {
                    for kind in [Opened, Output, Exited] {
                        prop_assert_eq!(monitor.host_sent(&event(kind, name, number)), None);
                    }
                }
                if !ends_by_exit {
                    prop_assert_eq!(monitor.host_sent(&event(Opened, name, relaunches + 1)), None);
                }
                let last = relaunches + u32::from(!ends_by_exit);
                if last > 0 {
                    prop_assert_eq!(monitor.host_sent(&event(Closed, name, last)), None);
                }
            }
            prop_assert_eq!(monitor.host_sent(&event(Over, "a", 1)), None);
        }
    }
}
