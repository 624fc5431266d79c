use std::collections::HashMap;
use std::fmt;

/// What a host does, move by move, to a few panes of its own.
///
/// Every list of moves is a history: a move that no host could make where it stands is passed over.
/// So whatever is taken out of a history, what is left is one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct History {
    /// The moves, in order.
    pub moves: Vec<Move>,
}

/// One thing that a host does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// It does something to one of its panes, which are counted from 0.
    At {
        /// The pane.
        pane: usize,
        /// What is done.
        deed: Deed,
        /// How the line is written.
        form: Form,
    },
    /// It waits until the plugin has nothing more to do.
    Pause,
}

/// What can be done to a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// It is announced: a new one, one that ended and was started again, or one that comes back.
    Open,
    /// A pane without a launch command is announced.
    OpenByHand,
    /// Its program prints something.
    Print(Words),
    /// Its program has been quiet for a while. In one quiet time it is said once only.
    Idle,
    /// A person types into it.
    Type,
    /// Its program ends.
    Exit,
    /// Its slot is gone if its program had ended, and else no longer the plugin's.
    Close,
    /// The host says something about it that the contract does not know.
    Extension,
    /// The profile's reason to act.
    Arm,
    /// The profile's occasion to act.
    Fire,
    /// Its program ends with all that makes the plugin relaunch it.
    Leave,
}

/// What a program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Words {
    /// A dot.
    Dot,
    /// Nothing at all.
    Empty,
    /// A lone CR, as progress bars print it.
    Carriage,
    /// Every control character that a text may hold, and what naive readers take for line ends.
    Controls,
    /// Characters of two, three and four bytes.
    Multibyte,
    /// What looks like a line of the contract.
    Lookalike,
    /// Some thousand characters.
    Long,
    /// As much as a line can hold.
    Longest,
    /// The same in characters of three bytes.
    LongestMultibyte,
}

/// How a line is written. All of these mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// As hosts usually do.
    Plain,
    /// Ended by CR LF.
    CrLf,
    /// With members that the contract does not know.
    Extended,
}

/// What a slot of a history is at some moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Slot {
    /// There is no pane in it.
    #[default]
    Vacant,
    /// The pane's program is alive.
    Live(Origin),
    /// The pane's program ended.
    Ended(Origin),
    /// The pane is not the plugin's for the time being.
    Away(Origin),
}

/// Where a pane comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Configured,
    ByHand,
}

impl Slot {
    /// What it is after a deed; `None` if no host could do that.
    pub(super) const fn after(self, deed: Deed) -> Option<Self> {
        use Deed::{Arm, Close, Exit, Extension, Fire, Idle, Leave, Open, OpenByHand, Print, Type};
        match (self, deed) {
            (Self::Vacant | Self::Ended(Origin::Configured), Open) => {
                Some(Self::Live(Origin::Configured))
            }
            (Self::Vacant, OpenByHand) => Some(Self::Live(Origin::ByHand)),
            (Self::Away(origin), Open) => Some(Self::Live(origin)),
            (Self::Live(_), Print(_) | Idle | Type | Extension | Arm | Fire) => Some(self),
            (Self::Live(origin), Exit | Leave) => Some(Self::Ended(origin)),
            (Self::Live(origin), Close) => Some(Self::Away(origin)),
            (Self::Ended(_), Close) => Some(Self::Vacant),
            // What was opened by hand can never be started again.
            (Self::Ended(Origin::ByHand) | Self::Live(_), Open)
            | (Self::Live(_) | Self::Ended(_) | Self::Away(_), OpenByHand)
            | (
                Self::Vacant | Self::Ended(_) | Self::Away(_),
                Print(_) | Idle | Type | Extension | Arm | Fire | Exit | Leave,
            )
            | (Self::Vacant | Self::Away(_), Close) => None,
        }
    }
}

/// The slots of a history, as many as it has.
#[derive(Debug, Default)]
pub(super) struct Slots(Vec<Slot>);

impl Slots {
    /// What this one is now.
    pub(super) fn get(&self, pane: usize) -> Slot {
        self.0.get(pane).copied().unwrap_or_default()
    }

    /// Does something to one of them; says whether that was possible.
    pub(super) fn take(&mut self, pane: usize, deed: Deed) -> bool {
        let Some(after) = self.get(pane).after(deed) else {
            return false;
        };
        if self.0.len() <= pane {
            self.0.resize(pane + 1, Slot::default());
        }
        self.0[pane] = after;
        true
    }
}

impl History {
    /// The same history without the moves that no host could make, without pauses that wait for
    /// nothing, and with its panes counted in the order in which they are announced first.
    #[must_use]
    pub fn tidied(&self) -> Self {
        let (mut slots, mut panes) = (Slots::default(), HashMap::new());
        let mut announced = 0;
        let mut moves = Vec::with_capacity(self.moves.len());
        for step in &self.moves {
            match *step {
                Move::At { pane, deed, form } => {
                    let is_new = slots.get(pane) == Slot::Vacant;
                    if !slots.take(pane, deed) {
                        continue;
                    }
                    if is_new {
                        panes.insert(pane, announced);
                        announced += 1;
                    }
                    let pane = panes[&pane];
                    moves.push(Move::At { pane, deed, form });
                }
                Move::Pause if matches!(moves.last(), None | Some(Move::Pause)) => {}
                Move::Pause => moves.push(Move::Pause),
            }
        }
        // The end of every history is a pause.
        moves.truncate(moves.len() - usize::from(moves.last() == Some(&Move::Pause)));
        Self { moves }
    }

    /// Several histories as one: they take turns, and pause together.
    #[must_use]
    pub fn merged(histories: &[Self]) -> Self {
        let mut offsets = histories.iter().scan(0, |panes, history| {
            let offset = *panes;
            *panes += history.panes();
            Some(offset)
        });
        let mut acts: Vec<_> = histories
            .iter()
            .map(|history| {
                let offset = offsets.next().unwrap_or(0);
                let acts = history.moves.split(|step| *step == Move::Pause);
                acts.map(move |act| (offset, act))
            })
            .collect();
        let mut moves = Vec::new();
        loop {
            let act: Vec<_> = acts.iter_mut().filter_map(Iterator::next).collect();
            if act.is_empty() {
                return Self { moves };
            }
            let turns = act.iter().map(|(_, moves)| moves.len()).max().unwrap_or(0);
            for turn in 0..turns {
                let now = act
                    .iter()
                    .filter_map(|(offset, moves)| Some((offset, moves.get(turn)?)));
                moves.extend(now.map(|(offset, step)| step.moved_by(*offset)));
            }
            moves.push(Move::Pause);
        }
    }

    /// How many panes it has.
    #[must_use]
    pub fn panes(&self) -> usize {
        let panes = self.moves.iter().filter_map(|step| match step {
            Move::At { pane, .. } => Some(pane + 1),
            Move::Pause => None,
        });
        panes.max().unwrap_or(0)
    }
}

impl Move {
    fn moved_by(self, offset: usize) -> Self {
        match self {
            Self::At { pane, deed, form } => Self::At {
                pane: pane + offset,
                deed,
                form,
            },
            Self::Pause => Self::Pause,
        }
    }
}

/// How many moves of a long history are told, at its beginning and at its end.
const TOLD: [usize; 2] = [4, 8];

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.moves.is_empty() {
            return f.write_str("no pane at all");
        }
        let [head, tail] = TOLD;
        let untold = self.moves.len().saturating_sub(head + tail);
        for (index, step) in self.moves.iter().enumerate() {
            match index {
                0 => write!(f, "{step}")?,
                _ if untold < 2 || index < head || index >= head + untold => {
                    write!(f, "; {step}")?;
                }
                _ if index == head => write!(f, "; {untold} more")?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::At { pane, deed, form } = self else {
            return f.write_str("a pause");
        };
        let pane = pane + 1;
        match deed {
            Deed::Open => write!(f, "pane {pane} opens")?,
            Deed::OpenByHand => write!(f, "pane {pane} opens, by hand")?,
            Deed::Print(words) => write!(f, "pane {pane} prints {words}")?,
            Deed::Idle => write!(f, "pane {pane} is idle")?,
            Deed::Type => write!(f, "a person types into pane {pane}")?,
            Deed::Exit => write!(f, "the program of pane {pane} ends")?,
            Deed::Close => write!(f, "pane {pane} closes")?,
            Deed::Extension => write!(f, "an unknown event about pane {pane}")?,
            Deed::Arm => write!(f, "input.arm of the profile in pane {pane}")?,
            Deed::Fire => write!(f, "input.fire of the profile in pane {pane}")?,
            Deed::Leave => write!(f, "an exit as in the profile's [relaunch] in pane {pane}")?,
        }
        f.write_str(match form {
            Form::Plain => "",
            Form::CrLf => " (with CR LF)",
            Form::Extended => " (with unknown members)",
        })
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dot => "a dot",
            Self::Empty => "an empty text",
            Self::Carriage => "a lone CR",
            Self::Controls => "control characters",
            Self::Multibyte => "multibyte characters",
            Self::Lookalike => "what looks like the protocol",
            Self::Long => "2,000 characters",
            Self::Longest => "a line of 65,536 bytes",
            Self::LongestMultibyte => "a line of 65,536 bytes in multibyte characters",
        })
    }
}
