use nightcrow_protocol::{
    Attention, Event, PaneClosed, PaneExited, PaneInput, PaneOpened, Relaunch, SendInput, Shutdown,
    Version, WatchPane,
};
use proptest::prelude::*;

use super::*;

fn token(name: &str) -> PaneToken {
    PaneToken::new(name).unwrap()
}

fn generation(number: u32) -> PaneGeneration {
    PaneGeneration::new(number).unwrap()
}

fn opened(name: &str, number: u32) -> Event<'static> {
    PaneOpened {
        v: Version,
        token: token(name),
        generation: generation(number),
        title: None,
        command: Some("tool".into()),
        cwd: "/".into(),
    }
    .into()
}

fn exited(name: &str, number: u32) -> Event<'static> {
    PaneExited {
        v: Version,
        token: token(name),
        generation: generation(number),
    }
    .into()
}

fn closed(name: &str, number: u32) -> Event<'static> {
    PaneClosed {
        v: Version,
        token: token(name),
        generation: generation(number),
    }
    .into()
}

fn input(name: &str, number: u32) -> Command<'static> {
    let data = PaneInput::new("\r").unwrap();
    SendInput::new(token(name), generation(number), data).into()
}

fn relaunch(name: &str, number: u32) -> Command<'static> {
    Relaunch::new(token(name), generation(number), Vec::new()).into()
}

fn attention(name: &str, number: u32) -> Command<'static> {
    Attention::new(token(name), generation(number)).into()
}

/// A monitor of a plugin that has read these events.
fn after(events: &[Event<'_>]) -> Monitor {
    let mut monitor = Monitor::new();
    for event in events {
        monitor.host_sent(event);
    }
    monitor.plugin_has_read_all();
    monitor
}

fn rule(monitor: &mut Monitor, command: impl Into<Command<'static>>) -> Option<Rule> {
    monitor
        .plugin_said(&command.into())
        .map(|breach| breach.rule)
}

#[test]
fn each_rule_is_broken_by_what_it_forbids() {
    let mut live = after(&[opened("a", 1)]);
    assert_eq!(rule(&mut live, input("a", 1)), None);
    assert_eq!(rule(&mut live, attention("a", 1)), None);
    assert_eq!(rule(&mut live, input("b", 1)), Some(Rule::KnownPane));
    assert_eq!(rule(&mut live, input("a", 2)), Some(Rule::NewestGeneration));
    assert_eq!(
        rule(&mut live, relaunch("a", 1)),
        Some(Rule::RelaunchOfTheEnded)
    );
    let mut ended = after(&[opened("a", 1), exited("a", 1)]);
    assert_eq!(rule(&mut ended, relaunch("a", 1)), None);
    assert_eq!(rule(&mut ended, attention("a", 1)), None);
    assert_eq!(
        rule(&mut ended, input("a", 1)),
        Some(Rule::InputToTheLiving)
    );
    let mut again = after(&[opened("a", 1), exited("a", 1), opened("a", 2)]);
    assert_eq!(rule(&mut again, input("a", 2)), None);
    assert_eq!(
        rule(&mut again, input("a", 1)),
        Some(Rule::NewestGeneration)
    );
    let mut gone = after(&[opened("a", 1), closed("a", 1)]);
    assert_eq!(rule(&mut gone, attention("a", 1)), Some(Rule::OpenPane));
}

#[test]
fn watching_and_logging_are_free_until_shutdown() {
    let watch = || WatchPane::new(token("z"));
    let mut monitor = after(&[]);
    assert_eq!(rule(&mut monitor, watch()), None);
    let mut over = after(&[opened("a", 1), Shutdown::default().into()]);
    assert_eq!(rule(&mut over, watch()), Some(Rule::NothingAfterShutdown));
    let log = nightcrow_protocol::Log::new(nightcrow_protocol::Level::Info, "bye");
    assert_eq!(rule(&mut over, log), None);
}

#[test]
fn what_crossed_on_the_way_is_no_breach() {
    let mut monitor = after(&[opened("a", 1)]);
    for event in [exited("a", 1), opened("a", 2), closed("a", 2)] {
        monitor.host_sent(&event);
    }
    monitor.host_sent(&Shutdown::default().into());
    for command in [input("a", 1), relaunch("a", 1), input("a", 2)] {
        assert_eq!(rule(&mut monitor, command), None);
    }
}

#[test]
fn a_named_process_proves_what_was_read() {
    let mut monitor = after(&[opened("a", 1)]);
    monitor.host_sent(&closed("a", 1));
    monitor.host_sent(&opened("b", 1));
    assert_eq!(rule(&mut monitor, input("a", 1)), None);
    assert_eq!(rule(&mut monitor, attention("b", 1)), None);
    assert_eq!(rule(&mut monitor, input("a", 1)), Some(Rule::OpenPane));
}

/// One step of two sides that do not wait for each other.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// The host does the next thing that it can do to this pane.
    Host(usize, u8),
    /// The plugin reads one event.
    Read,
    /// The plugin asks for something that is right by what it has read.
    Act(usize),
    /// A barrier, if the plugin has read everything.
    Barrier,
}

fn turn() -> impl Strategy<Value = Turn> {
    prop_oneof![
        4 => (0..3_usize, any::<u8>()).prop_map(|(pane, choice)| Turn::Host(pane, choice)),
        4 => Just(Turn::Read),
        4 => (0..3_usize).prop_map(Turn::Act),
        1 => Just(Turn::Barrier),
    ]
}

proptest! {
    #[test]
    fn an_honest_plugin_breaks_nothing_however_late_it_reads(turns in prop::collection::vec(turn(), 1..200)) {
        let names = ["a", "b", "c"];
        let mut monitor = Monitor::new();
        // What the host last did to each pane, what is on its way, and what the plugin knows.
        let mut host: [(u32, Option<Phase>); 3] = [(0, None); 3];
        let mut plugin = host;
        let mut on_its_way = std::collections::VecDeque::new();
        for turn in turns {
            match turn {
                Turn::Host(pane, choice) => {
                    let (number, phase) = host[pane];
                    let name = names[pane];
                    let (event, state) = match (phase, choice % 2) {
                        (None | Some(Phase::Exited), 0) | (None | Some(Phase::Closed), _) => {
                            (opened(name, number + 1), (number + 1, Some(Phase::Live)))
                        }
                        (Some(Phase::Live), 0) => (exited(name, number), (number, Some(Phase::Exited))),
                        (Some(Phase::Live | Phase::Exited), _) => {
                            (closed(name, number), (number, Some(Phase::Closed)))
                        }
                    };
                    monitor.host_sent(&event);
                    host[pane] = state;
                    on_its_way.push_back((pane, state));
                }
                Turn::Read => {
                    if let Some((pane, state)) = on_its_way.pop_front() {
                        plugin[pane] = state;
                    }
                }
                Turn::Act(pane) => {
                    let (number, phase) = plugin[pane];
                    let command = match phase {
                        None | Some(Phase::Closed) => Command::from(WatchPane::new(token(names[pane]))),
                        Some(Phase::Live) => input(names[pane], number),
                        Some(Phase::Exited) => relaunch(names[pane], number),
                    };
                    prop_assert_eq!(monitor.plugin_said(&command), None);
                }
                Turn::Barrier => {
                    if on_its_way.is_empty() {
                        monitor.plugin_has_read_all();
                    }
                }
            }
        }
    }
}
