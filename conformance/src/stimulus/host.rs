use nightcrow_protocol::{
    Event, Millis, PaneClosed, PaneExited, PaneGeneration, PaneIdle, PaneOpened, PaneOutput,
    PaneToken, Shutdown, UserInput, Version,
};

use std::sync::{Arc, LazyLock};

use super::{Barrier, EventLine, Step};
use crate::profile::{Act, PaneRef, Place, Profile, Signal};

/// The host that the runner plays. Its panes have random tokens, as a real host's have, and look and
/// behave as a profile says.
#[derive(Debug)]
pub struct PlayedHost {
    place: Place,
    profile: Arc<Profile>,
}

/// A pane of the played host. Its events are always what a host could have sent next: whoever builds
/// an impossible history is stopped by a panic.
#[derive(Debug)]
pub struct Pane {
    token: PaneToken,
    generation: PaneGeneration,
    phase: Phase,
    title: String,
    /// `None` for a pane that was opened by hand.
    command: Option<String>,
    cwd: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Unannounced,
    Live,
    Exited,
    /// Closed to the plugin while its program lived: a later `pane_opened` may name it again.
    Away,
    Closed,
}

impl Default for PlayedHost {
    fn default() -> Self {
        static DEFAULT: LazyLock<Arc<Profile>> = LazyLock::new(Arc::default);
        Self::on(Place::nowhere(), Arc::clone(&DEFAULT))
    }
}

impl PlayedHost {
    /// A host without panes, for stimuli that are only looked at.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A host without panes.
    #[must_use]
    pub const fn on(place: Place, profile: Arc<Profile>) -> Self {
        Self { place, profile }
    }

    /// How the plugin is made to act.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// A word that must never come back.
    #[must_use]
    pub fn marker(&self) -> &str {
        &self.place.marker
    }

    /// A new pane, not announced yet.
    ///
    /// # Panics
    /// If the system has no random bytes.
    #[must_use]
    pub fn pane(&self) -> Pane {
        let mut random = [0; 16];
        getrandom::fill(&mut random).expect("the system has random bytes");
        let token = format!("{:032x}", u128::from_be_bytes(random));
        let token = PaneToken::new(&token).expect("hex digits make a token");
        let generation = PaneGeneration::FIRST;
        let look = &self.profile.pane;
        let fill = |text: &crate::profile::Text| {
            text.fill(&self.place, Some(PaneRef { token, generation }))
        };
        Pane {
            token,
            generation,
            phase: Phase::Unannounced,
            title: fill(&look.title),
            command: Some(fill(&look.command)),
            cwd: fill(&look.cwd),
        }
    }

    /// A new pane that was opened by hand: it has no launch command.
    #[must_use]
    pub fn pane_by_hand(&self) -> Pane {
        Pane {
            command: None,
            ..self.pane()
        }
    }

    /// Gives the plugin a reason to type into a live pane.
    #[must_use]
    pub fn arm(&self, pane: &mut Pane) -> Vec<Step> {
        let acts = self.profile.input.iter().flat_map(|scene| &scene.arm);
        self.perform(acts, pane)
    }

    /// Gives it the occasion.
    #[must_use]
    pub fn fire(&self, pane: &mut Pane) -> Vec<Step> {
        let acts = self.profile.input.iter().flat_map(|scene| &scene.fire);
        self.perform(acts, pane)
    }

    /// Lets the program of a pane end, with all that makes the plugin relaunch it.
    #[must_use]
    pub fn exit(&self, pane: &mut Pane) -> Vec<Step> {
        let acts = |fire: bool| {
            let scene = self.profile.relaunch.iter();
            scene.flat_map(move |scene| if fire { &scene.fire } else { &scene.arm })
        };
        let mut steps = self.perform(acts(false), pane);
        steps.push(Step::Send(pane.exited()));
        steps.extend(self.perform(acts(true), pane));
        steps
    }

    /// A program in the pane asks the plugin to watch it.
    #[must_use]
    pub fn signal(&self, signal: &Signal, pane: &mut Pane) -> Vec<Step> {
        self.perform(&signal.send, pane)
    }

    /// Waits for the plugin to act on a pane.
    #[must_use]
    pub fn await_action(&self, pane: &Pane) -> Step {
        Step::Await(Barrier::Action {
            token: pane.token,
            within: self.profile.timing.within,
        })
    }

    /// The same where the profile says how long that takes; elsewhere the plugin is not waited for.
    #[must_use]
    pub fn await_slow_action(&self, pane: &Pane) -> Option<Step> {
        let takes_time = self.profile.timing.within.is_some();
        takes_time.then(|| self.await_action(pane))
    }

    /// Does these things in and around a pane.
    #[must_use]
    pub fn perform<'a>(
        &self,
        acts: impl IntoIterator<Item = &'a Act>,
        pane: &mut Pane,
    ) -> Vec<Step> {
        let mut step = |act: &Act| match act {
            Act::Idle => Step::Send(pane.idle()),
            Act::Output(text) if !text.tells_the_time() => {
                let text = text.fill(&self.place, Some(pane.as_ref()));
                Step::Send(pane.output(&text))
            }
            Act::Output(_) => {
                pane.expect(Phase::Live);
                Step::Act(act.clone(), pane.as_ref())
            }
            Act::Write(_) | Act::Append(_) | Act::Send(_) | Act::Run(_) | Act::Answer(_) => {
                Step::Act(act.clone(), pane.as_ref())
            }
        };
        acts.into_iter().map(&mut step).collect()
    }

    /// Tells the plugin to end.
    #[must_use]
    pub fn shutdown(&self) -> EventLine {
        EventLine::new(&Shutdown::default().into())
    }
}

impl Pane {
    /// Its token.
    #[must_use]
    pub const fn token(&self) -> PaneToken {
        self.token
    }

    /// The program in it.
    #[must_use]
    pub const fn as_ref(&self) -> PaneRef {
        PaneRef {
            token: self.token,
            generation: self.generation,
        }
    }

    /// A process was spawned in it: the first one, or the next one after an exit. Or it was closed to
    /// the plugin with its program alive, and is the plugin's again.
    pub fn opened(&mut self) -> EventLine {
        match self.phase {
            Phase::Unannounced | Phase::Away => {}
            Phase::Exited => {
                self.generation = self
                    .generation
                    .next()
                    .expect("a check relaunches a few times");
            }
            phase @ (Phase::Live | Phase::Closed) => panic!("a {phase:?} pane cannot open"),
        }
        self.phase = Phase::Live;
        EventLine::new(&Event::from(PaneOpened {
            v: Version,
            token: self.token,
            generation: self.generation,
            title: Some(self.title.as_str().into()),
            command: self.command.as_deref().map(Into::into),
            cwd: self.cwd.as_str().into(),
        }))
    }

    /// Its program printed something.
    pub fn output(&mut self, text: &str) -> EventLine {
        self.expect(Phase::Live);
        let (token, generation) = (self.token, self.generation);
        EventLine::new(
            &PaneOutput {
                v: Version,
                token,
                generation,
                text: text.into(),
            }
            .into(),
        )
    }

    /// Its program has been quiet for a while.
    pub fn idle(&mut self) -> EventLine {
        self.expect(Phase::Live);
        let idle_ms = Millis::new(10_007).expect("ten seconds are few");
        let (token, generation) = (self.token, self.generation);
        EventLine::new(
            &PaneIdle {
                v: Version,
                token,
                generation,
                idle_ms,
            }
            .into(),
        )
    }

    /// A person typed into it.
    pub fn user_input(&mut self) -> EventLine {
        self.expect(Phase::Live);
        let (token, generation) = (self.token, self.generation);
        EventLine::new(
            &UserInput {
                v: Version,
                token,
                generation,
            }
            .into(),
        )
    }

    /// Its program ended.
    pub fn exited(&mut self) -> EventLine {
        self.expect(Phase::Live);
        self.phase = Phase::Exited;
        let (token, generation) = (self.token, self.generation);
        EventLine::new(
            &PaneExited {
                v: Version,
                token,
                generation,
            }
            .into(),
        )
    }

    /// Its slot is gone, or no longer the plugin's.
    pub fn closed(&mut self) -> EventLine {
        self.phase = match self.phase {
            Phase::Live => Phase::Away,
            Phase::Exited => Phase::Closed,
            phase @ (Phase::Unannounced | Phase::Away | Phase::Closed) => {
                panic!("a {phase:?} pane cannot close")
            }
        };
        let (token, generation) = (self.token, self.generation);
        EventLine::new(
            &PaneClosed {
                v: Version,
                token,
                generation,
            }
            .into(),
        )
    }

    fn expect(&self, phase: Phase) {
        assert_eq!(self.phase, phase, "no host could send this");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relaunches_raise_the_generation() {
        let mut pane = PlayedHost::new().pane();
        let first = pane.opened();
        pane.exited();
        let second = pane.opened();
        let generations = [first, second].map(|line| line.pane().unwrap().1.get());
        assert_eq!(generations, [1, 2]);
    }

    #[test]
    fn a_pane_that_comes_back_is_the_same() {
        let mut pane = PlayedHost::new().pane();
        let first = pane.opened();
        pane.closed();
        assert_eq!(pane.opened().pane(), first.pane());
    }

    #[test]
    fn tokens_differ() {
        let host = PlayedHost::new();
        assert_ne!(host.pane().token(), host.pane().token());
    }

    #[test]
    #[should_panic(expected = "no host could send this")]
    fn an_exited_pane_prints_nothing() {
        let mut pane = PlayedHost::new().pane();
        pane.opened();
        pane.exited();
        pane.output("text");
    }
}
