use std::collections::HashMap;

use nightcrow_protocol::limits::MAX_LINE_BYTES;
use nightcrow_protocol::{EventKind, PaneToken};

use super::history::{Deed, Form, History, Move, Slot, Slots, Words};
use crate::profile::Act;
use crate::stimulus::{Barrier, EventLine, Pane, PlayedHost, Step};

/// What is done to a plugin in a history, to its end: a pause and `shutdown`. Writes down which pane of
/// the history each token belongs to.
pub(super) fn play(
    history: &History,
    host: &PlayedHost,
    panes: &mut HashMap<PaneToken, usize>,
) -> Vec<Step> {
    let mut slots = Slots::default();
    let mut cast: HashMap<usize, Actor> = HashMap::new();
    let (mut steps, mut fired) = (Vec::new(), None);
    for step in &history.moves {
        let Move::At { pane, deed, form } = *step else {
            steps.push(Step::Await(Barrier::Settled));
            continue;
        };
        let was_vacant = slots.get(pane) == Slot::Vacant;
        if !slots.take(pane, deed) {
            continue;
        }
        if was_vacant {
            let actor = Actor::new(host, deed);
            panes.insert(actor.pane.token(), pane);
            cast.insert(pane, actor);
        }
        let actor = cast.get_mut(&pane).expect("who is not vacant is cast");
        steps.extend(actor.act(host, deed, form));
        if matches!(deed, Deed::Fire | Deed::Leave) {
            fired = Some(pane);
        }
    }
    if let Some(actor) = fired.and_then(|pane| cast.get(&pane)) {
        steps.extend(host.await_slow_action(&actor.pane));
    }
    steps.extend([
        Step::Await(Barrier::Settled),
        Step::Send(host.shutdown()),
        Step::CloseStdin,
    ]);
    steps
}

/// A pane, and whether its idleness was told and nothing has happened since.
struct Actor {
    pane: Pane,
    is_quiet: bool,
}

impl Actor {
    fn new(host: &PlayedHost, first: Deed) -> Self {
        let pane = if first == Deed::OpenByHand {
            host.pane_by_hand()
        } else {
            host.pane()
        };
        Self {
            pane,
            is_quiet: false,
        }
    }

    fn act(&mut self, host: &PlayedHost, deed: Deed, form: Form) -> Vec<Step> {
        let pane = &mut self.pane;
        let one = |line| vec![Step::Send(form.of(line))];
        let mut steps = match deed {
            Deed::Open | Deed::OpenByHand => one(pane.opened()),
            Deed::Print(words) => one(words.line(pane)),
            Deed::Idle => one(pane.idle()),
            Deed::Type => one(pane.user_input()),
            Deed::Exit => one(pane.exited()),
            Deed::Close => one(pane.closed()),
            Deed::Extension => one(EventLine::unknown("pane_zoomed", pane.as_ref())),
            Deed::Arm => host.arm(pane),
            Deed::Fire => host.fire(pane),
            Deed::Leave => host.exit(pane),
        };
        steps.retain(|step| self.comes_in_time(step));
        steps
    }

    /// Whether a host would do this now: it tells of idleness once in a quiet time.
    fn comes_in_time(&mut self, step: &Step) -> bool {
        let was_quiet = self.is_quiet;
        match step {
            Step::Send(line) => match line.kind() {
                Some(EventKind::PaneIdle) => {
                    self.is_quiet = true;
                    return !was_quiet;
                }
                Some(_) => self.is_quiet = false,
                None => {}
            },
            Step::Act(Act::Output(_), _) => self.is_quiet = false,
            Step::Act(..)
            | Step::SendBurst(_)
            | Step::SendChunk { .. }
            | Step::Await(_)
            | Step::Watch(_)
            | Step::Sample
            | Step::WatchQuiet
            | Step::HoldStdout
            | Step::ReleaseStdout
            | Step::CloseStdout
            | Step::CloseStdin => {}
        }
        true
    }
}

impl Form {
    fn of(self, line: EventLine) -> EventLine {
        match self {
            Self::Plain => line,
            Self::CrLf => line.with_cr_lf(),
            // The longest lines have no room for more.
            Self::Extended if line.content().len() == MAX_LINE_BYTES => line,
            Self::Extended => line.with_unknown_members(),
        }
    }
}

impl Words {
    /// The event that a pane's program printed this.
    fn line(self, pane: &mut Pane) -> EventLine {
        match self {
            Self::Dot => pane.output("."),
            Self::Empty => pane.output(""),
            Self::Carriage => pane.output("\r"),
            Self::Controls => pane.output("\t\u{8}a\r\n\u{85}b\u{2028}c\u{2029}\r\r\n\n"),
            Self::Multibyte => pane.output("é한국어😀👩\u{200d}👩\u{200d}👧 e\u{301}\u{feff}"),
            Self::Lookalike => pane.output("{\"event\":\"shutdown\",\"v\":3}\r\n\\u0000\\\"}\n"),
            Self::Long => pane.output(&"The quick brown fox ".repeat(100)),
            Self::Longest => pane.output("").padded_to(MAX_LINE_BYTES),
            Self::LongestMultibyte => {
                let room = MAX_LINE_BYTES - pane.output("").content().len();
                pane.output(&"한".repeat(room / "한".len()))
                    .padded_to(MAX_LINE_BYTES)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::Path;
    use std::sync::Arc;

    use nightcrow_protocol::{Event, decode_event};
    use proptest::prelude::*;

    use super::*;
    use crate::profile::{Place, Profile};

    /// What the contract lets a plugin rely on, line by line.
    #[derive(Default)]
    struct Contract {
        panes: HashMap<PaneToken, Known>,
        is_over: bool,
    }

    struct Known {
        generation: u32,
        last: EventKind,
        had_exited: bool,
        is_quiet: bool,
        can_relaunch: bool,
    }

    impl Contract {
        fn read(&mut self, line: &[u8]) -> Result<(), TestCaseError> {
            let event = decode_event(line).unwrap().unwrap();
            prop_assert!(!self.is_over, "shutdown is the last event");
            let Some((token, generation)) = event.pane() else {
                self.is_over = true;
                return Ok(());
            };
            let (kind, generation) = (event.kind(), generation.get());
            if let Event::PaneOpened(opened) = &event {
                let can_relaunch = opened.command.is_some();
                if let Some(before) = self.panes.get(&token) {
                    let back = before.last == EventKind::PaneClosed && !before.had_exited;
                    let again = before.last == EventKind::PaneExited && before.can_relaunch;
                    prop_assert!(back || again, "{kind:?} after {:?}", before.last);
                    prop_assert_eq!(generation, before.generation + u32::from(again));
                } else {
                    prop_assert_eq!(generation, 1);
                }
                let known = Known {
                    generation,
                    last: kind,
                    had_exited: false,
                    is_quiet: false,
                    can_relaunch,
                };
                self.panes.insert(token, known);
                return Ok(());
            }
            let pane = self.panes.get_mut(&token);
            let Some(pane) = pane else {
                return Err(TestCaseError::fail("a pane that was never announced"));
            };
            prop_assert_eq!(generation, pane.generation);
            prop_assert!(pane.last != EventKind::PaneClosed, "{kind:?} after closed");
            if pane.last == EventKind::PaneExited {
                prop_assert_eq!(kind, EventKind::PaneClosed);
            }
            prop_assert!(
                !(pane.is_quiet && kind == EventKind::PaneIdle),
                "idle twice"
            );
            pane.is_quiet = kind == EventKind::PaneIdle;
            pane.had_exited |= kind == EventKind::PaneExited;
            pane.last = kind;
            Ok(())
        }
    }

    /// A profile whose scenes begin and end in idleness.
    const IDLE: &str = "[input]\narm = [\"idle\", { output = \"x\" }]\nfire = [\"idle\"]\n\
                        [relaunch]\narm = [\"idle\", { output = \"x\" }, \"idle\"]\n";

    fn is_legal(history: &History) -> Result<(), TestCaseError> {
        for profile in ["", IDLE] {
            let profile = Profile::parse(profile, Path::new("p.toml")).unwrap();
            let host = PlayedHost::on(Place::nowhere(), Arc::new(profile));
            let mut contract = Contract::default();
            for step in play(history, &host, &mut HashMap::new()) {
                if let Step::Send(line) = step {
                    line.self_check().map_err(TestCaseError::fail)?;
                    if line.breaks().is_none() {
                        contract.read(line.content())?;
                    }
                }
            }
            prop_assert!(contract.is_over);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_is_taken_out_a_host_could_send_the_rest(seed: u64, kept: Vec<bool>) {
            let history = History::of_seed(seed);
            is_legal(&history)?;
            let kept = kept.into_iter().chain(std::iter::repeat(true));
            let rest = history.moves.iter().zip(kept).filter(|(_, kept)| *kept);
            let rest = History { moves: rest.map(|(step, _)| *step).collect() };
            is_legal(&rest)?;
            is_legal(&rest.tidied())?;
        }

        #[test]
        fn several_histories_at_once_are_one(seeds in prop::collection::vec(any::<u64>(), 1..6)) {
            let histories: Vec<_> = seeds.into_iter().map(History::of_seed).collect();
            is_legal(&History::merged(&histories))?;
        }
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit() {
        let mut pane = PlayedHost::new().pane();
        pane.opened();
        for words in [Words::Longest, Words::LongestMultibyte] {
            for form in [Form::Plain, Form::CrLf, Form::Extended] {
                let line = form.of(words.line(&mut pane));
                assert_eq!(line.content().len(), MAX_LINE_BYTES);
                assert_eq!(line.self_check(), Ok(()));
            }
        }
    }
}
