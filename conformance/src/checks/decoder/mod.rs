//! The checks of decoders: bytes in, one verdict per line out (section 18 of the specification).
//!
//! A check is a table of [`Case`]s that go to one process as one stream. Nothing depends on when a
//! decoder says something: the end of its output is the only barrier.

mod case;
mod codes;
mod framing;
mod grammar;
mod judge;
mod limits;
mod measure;
mod members;
mod sample;
mod shape;
mod stream;
mod vectors;
mod verdict;

use std::sync::LazyLock;

pub use case::{Case, Expected, Look};
pub use codes::{BadCodes, Codes};
pub use measure::Measure;
pub use stream::Stream;

use super::{Check, Level, Role, Test, Tier};
use crate::outcome::Judgement;
use crate::transcript::Transcript;

/// Which messages a decoder reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Direction {
    /// Those of plugins: it is the decoder of a host.
    Commands,
    /// Those of hosts: it is the decoder of a plugin.
    Events,
}

/// What is done to a decoder, and what is measured meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Exam {
    direction: Direction,
    cases: fn(Direction) -> Vec<Case>,
    /// The requirements whose vectors are cases too.
    vectors: &'static [&'static str],
    measure: Measure,
}

/// A rule of the catalogue, for one direction or both.
#[derive(Debug, Clone, Copy)]
struct Rule {
    id: &'static str,
    title: &'static str,
    level: Level,
    tier: Tier,
    directions: &'static [Direction],
    proves: &'static str,
    stimulus: &'static str,
    accepted: &'static str,
    cases: fn(Direction) -> Vec<Case>,
    vectors: &'static [&'static str],
    measure: Measure,
}

const COMMANDS: &[Direction] = &[Direction::Commands];
const EVENTS: &[Direction] = &[Direction::Events];
const BOTH: &[Direction] = &[Direction::Commands, Direction::Events];

impl Rule {
    /// What most rules are.
    const USUAL: Self = Self {
        id: "",
        title: "",
        level: Level::Must,
        tier: Tier::Core,
        directions: COMMANDS,
        proves: "",
        stimulus: "",
        accepted: "",
        cases: |_| Vec::new(),
        vectors: &[],
        measure: Measure::Nothing,
    };

    fn check(&self, direction: Direction) -> Check {
        Check {
            id: self.id,
            title: self.title,
            level: self.level,
            tier: self.tier,
            role: direction.role(),
            proves: self.proves,
            stimulus: self.stimulus,
            accepted: self.accepted,
            needs: self.measure.needs(),
            test: Test::Decoder(Exam {
                direction,
                cases: self.cases,
                vectors: self.vectors,
                measure: self.measure,
            }),
        }
    }
}

/// Every check of decoders, in the order of the catalogue.
static CHECKS: LazyLock<Vec<Check>> = LazyLock::new(|| {
    let rules = [
        framing::RULES,
        limits::RULES,
        grammar::RULES,
        shape::RULES,
        members::RULES,
    ];
    let checks = rules.into_iter().flatten().flat_map(|rule| {
        let directions = rule.directions.iter();
        directions.map(|direction| rule.check(*direction))
    });
    checks.collect()
});

static OF_COMMANDS: LazyLock<Vec<&'static Check>> = LazyLock::new(|| of_role(Role::CommandDecoder));
static OF_EVENTS: LazyLock<Vec<&'static Check>> = LazyLock::new(|| of_role(Role::EventDecoder));

fn of_role(role: Role) -> Vec<&'static Check> {
    CHECKS.iter().filter(|check| check.role == role).collect()
}

/// The checks of decoders of one direction.
pub(super) fn of(direction: Direction) -> &'static [&'static Check] {
    match direction {
        Direction::Commands => &OF_COMMANDS,
        Direction::Events => &OF_EVENTS,
    }
}

impl Exam {
    /// What the decoder is given; another stream each time, as its canaries are random.
    #[must_use]
    pub fn stream(&self) -> Stream {
        let mut cases = self.own_cases();
        cases.extend(self.vector_cases(self.vectors));
        // Only the last line can be left open.
        cases.sort_by_key(|case| !case.is_terminated());
        Stream::new(self.direction, cases)
    }

    /// Its cases without the vectors.
    #[must_use]
    pub fn own_cases(&self) -> Vec<Case> {
        (self.cases)(self.direction)
    }

    /// The requirements whose vectors are cases too.
    #[must_use]
    pub const fn vectors(&self) -> &'static [&'static str] {
        self.vectors
    }

    /// The vectors of these requirements.
    #[must_use]
    pub fn vector_cases(&self, requirements: &[&str]) -> Vec<Case> {
        vectors::of(self.direction, requirements)
    }

    /// What is measured meanwhile.
    #[must_use]
    pub const fn measure(&self) -> Measure {
        self.measure
    }

    /// What the decoder reads.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// The verdict on a decoder that was given this stream.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn judge(&self, stream: &Stream, codes: &Codes, transcript: &Transcript) -> Judgement {
        judge::judge(stream, codes, self.measure, transcript)
    }
}

impl Direction {
    /// The argument with which a decoder of this direction is started.
    #[must_use]
    pub const fn argument(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Events => "events",
        }
    }

    /// The member that names the kind of a message.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Commands => "cmd",
            Self::Events => "event",
        }
    }

    /// What a decoder of this direction is.
    #[must_use]
    pub const fn role(self) -> Role {
        match self {
            Self::Commands => Role::CommandDecoder,
            Self::Events => Role::EventDecoder,
        }
    }

    /// A line that every decoder of this direction takes for a message.
    #[must_use]
    pub fn greeting(self) -> Vec<u8> {
        let mut line = sample::text(self, "hello").line().into_bytes();
        line.push(b'\n');
        line
    }
}

#[cfg(test)]
mod tests;
