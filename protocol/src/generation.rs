use std::fmt;
use std::num::NonZeroU32;

/// Which process a pane's slot holds: 1 at the first spawn, one more at every relaunch (PLG-402).
///
/// A command names the generation its decision was made about, so that a decision about a process
/// that was replaced cannot reach its successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct PaneGeneration(NonZeroU32);

impl PaneGeneration {
    /// The first spawn.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// The last one there is: a slot that reached it is not relaunched.
    pub const LAST: Self = Self(NonZeroU32::MAX);

    /// The generation with this number; none has the number 0.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// Its number, from 1.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// The generation of the next spawn in this slot; none after [`LAST`](Self::LAST).
    #[must_use]
    pub fn next(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }
}

impl fmt::Display for PaneGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_one_to_the_last_and_never_wraps() {
        assert_eq!(PaneGeneration::new(0), None);
        assert_eq!(PaneGeneration::new(1), Some(PaneGeneration::FIRST));
        assert_eq!(
            PaneGeneration::FIRST.next().map(PaneGeneration::get),
            Some(2)
        );
        assert_eq!(PaneGeneration::LAST.get(), u32::MAX);
        assert_eq!(PaneGeneration::LAST.next(), None);
        assert_eq!(PaneGeneration::LAST.to_string(), "4294967295");
    }
}
