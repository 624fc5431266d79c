use nightcrow_protocol::{
    Event, Millis, PaneClosed, PaneExited, PaneGeneration, PaneIdle, PaneOpened, PaneOutput,
    PaneToken, Shutdown, UserInput, Version,
};

use super::EventLine;

/// The host that the runner plays. Its panes have random tokens, as a real host's have.
#[derive(Debug, Default)]
pub struct PlayedHost;

/// A pane of the played host. Its events are always what a host could have sent next: whoever builds
/// an impossible history is stopped by a panic.
#[derive(Debug)]
pub struct Pane {
    token: PaneToken,
    generation: PaneGeneration,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Unannounced,
    Live,
    Exited,
    Closed,
}

impl PlayedHost {
    /// A host without panes.
    #[must_use]
    pub const fn new() -> Self {
        Self
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
        Pane {
            token,
            generation: PaneGeneration::FIRST,
            phase: Phase::Unannounced,
        }
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

    /// A process was spawned in it: the first one, or the next one after an exit.
    pub fn opened(&mut self) -> EventLine {
        match self.phase {
            Phase::Unannounced => {}
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
            title: Some(format!("assistant {}", self.token.short()).into()),
            command: Some("assistant --interactive".into()),
            cwd: format!("/srv/{}", self.token.short()).into(),
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

    /// Its slot is gone.
    pub fn closed(&mut self) -> EventLine {
        assert!(
            matches!(self.phase, Phase::Live | Phase::Exited),
            "a {:?} pane cannot close",
            self.phase
        );
        self.phase = Phase::Closed;
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
