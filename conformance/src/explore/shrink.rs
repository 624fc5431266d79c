use std::collections::HashMap;

use super::history::{Deed, Form, History, Move, Words};

/// From how many moves on it pays to leave out all of a kind.
const MANY: usize = 40;

/// The smallest history that can be reached from one that fails, a step at a time.
///
/// Each question costs a process, so what can be much goes first: all pauses, all moves of a kind if
/// there are many, then halves of the moves, then quarters, down to single ones; then each move is made plainer. `fails` is asked about
/// each history once, and is right to say no when it has no more patience.
///
/// # Errors
/// What `fails` returns.
pub(super) fn shrink<E>(
    history: &History,
    mut fails: impl FnMut(&History) -> Result<bool, E>,
) -> Result<History, E> {
    let mut known = HashMap::from([(history.tidied(), true)]);
    let mut fails = |moves: &[Move]| {
        let moves = moves.to_vec();
        let history = History { moves }.tidied();
        if let Some(failed) = known.get(&history) {
            return Ok(*failed);
        }
        let failed = fails(&history)?;
        known.insert(history, failed);
        Ok(failed)
    };
    if fails(&[])? {
        return Ok(History::default());
    }
    let mut moves = history.tidied().moves;
    for kind in kinds(&moves) {
        let rest: Vec<_> = moves
            .iter()
            .copied()
            .filter(|step| step.deed() != kind)
            .collect();
        if fails(&rest)? {
            moves = rest;
        }
    }
    loop {
        let before = moves.clone();
        moves = fewest(moves, &mut fails)?;
        plainest(&mut moves, &mut fails)?;
        if moves == before {
            return Ok(History { moves }.tidied());
        }
    }
}

/// What can be left out all at once: pauses, and of many moves each deed.
fn kinds(moves: &[Move]) -> Vec<Option<Deed>> {
    let mut kinds = vec![None];
    if moves.len() >= MANY {
        for step in moves {
            if !kinds.contains(&step.deed()) {
                kinds.push(step.deed());
            }
        }
    }
    kinds
}

/// Leaves out what can be left out: halves, then quarters, down to single items.
///
/// # Errors
/// What `fails` returns.
pub(super) fn fewest<T: Clone, E>(
    mut items: Vec<T>,
    mut fails: impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Vec<T>, E> {
    let mut size = items.len() / 2;
    while size > 0 {
        // From the end: what came after the fault is gone first.
        let mut end = items.len();
        while end > 0 && items.len() > 1 {
            let start = end.saturating_sub(size);
            let rest = [&items[..start], &items[end..]].concat();
            if fails(&rest)? {
                items = rest;
            }
            end = start;
        }
        size /= 2;
    }
    Ok(items)
}

/// Makes each move as plain as it can be.
fn plainest<E>(
    moves: &mut [Move],
    mut fails: impl FnMut(&[Move]) -> Result<bool, E>,
) -> Result<(), E> {
    for place in 0..moves.len() {
        let mut candidates = moves[place].plainer();
        while let Some(plainer) = candidates.pop() {
            let was = std::mem::replace(&mut moves[place], plainer);
            if fails(moves)? {
                candidates = plainer.plainer();
            } else {
                moves[place] = was;
            }
        }
    }
    Ok(())
}

impl Move {
    const fn deed(self) -> Option<Deed> {
        match self {
            Self::At { deed, .. } => Some(deed),
            Self::Pause => None,
        }
    }

    /// Moves that do less in its place, the plainest last.
    fn plainer(self) -> Vec<Self> {
        let Self::At { pane, deed, form } = self else {
            return Vec::new();
        };
        let deeds = deed.plainer().into_iter();
        let mut plainer: Vec<_> = deeds.map(|deed| Self::At { pane, deed, form }).collect();
        if form != Form::Plain {
            let form = Form::Plain;
            plainer.push(Self::At { pane, deed, form });
        }
        plainer
    }
}

impl Deed {
    fn plainer(self) -> Vec<Self> {
        match self {
            Self::OpenByHand => vec![Self::Open],
            Self::Print(words) => words.plainer().iter().copied().map(Self::Print).collect(),
            Self::Arm => vec![Self::Print(Words::Dot)],
            Self::Fire => vec![Self::Idle],
            Self::Leave => vec![Self::Exit],
            Self::Open | Self::Idle | Self::Type | Self::Exit | Self::Close | Self::Extension => {
                Vec::new()
            }
        }
    }
}

impl Words {
    const fn plainer(self) -> &'static [Self] {
        match self {
            Self::Dot => &[],
            Self::Empty | Self::Carriage | Self::Multibyte | Self::Lookalike | Self::Long => {
                &[Self::Dot]
            }
            Self::Controls => &[Self::Carriage, Self::Dot],
            Self::Longest => &[Self::Long, Self::Dot],
            Self::LongestMultibyte => &[Self::Longest, Self::Multibyte, Self::Dot],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn at(pane: usize, deed: Deed) -> Move {
        let form = Form::Plain;
        Move::At { pane, deed, form }
    }

    /// Shrinks by a fault that is known; returns what is left and how many questions that took.
    fn shrunk(seed: u64, fault: impl Fn(&History) -> bool) -> Option<(History, usize)> {
        let history = History::merged(&[seed, seed + 1, seed + 2].map(History::of_seed));
        if !fault(&history.tidied()) {
            return None;
        }
        let mut asked = 0;
        let least = shrink(&history, |history| {
            asked += 1;
            Ok::<_, Infallible>(fault(history))
        });
        let Ok(least) = least;
        Some((least, asked))
    }

    fn has(history: &History, deed: Deed) -> bool {
        let mut moves = history.moves.iter();
        moves.any(|step| matches!(step, Move::At { deed: done, .. } if *done == deed))
    }

    #[test]
    fn what_remains_is_the_fault_and_what_it_needs() {
        let empty = Deed::Print(Words::Empty);
        let mut found = 0;
        for seed in 0..40 {
            let Some((least, asked)) = shrunk(seed, |history| has(history, empty)) else {
                continue;
            };
            found += 1;
            assert_eq!(least.moves, [at(0, Deed::Open), at(0, empty)]);
            assert!(asked < 60, "{asked} questions");
        }
        assert!(found > 5);
    }

    #[test]
    fn a_fault_that_needs_nothing_is_told_by_nothing() {
        let (least, asked) = shrunk(1, |_| true).unwrap();
        assert_eq!((least, asked), (History::default(), 1));
    }

    #[test]
    fn much_of_the_same_is_left_out_at_once() {
        let histories: Vec<_> = (0..50).map(History::of_seed).collect();
        let mut asked = 0;
        let least = shrink(&History::merged(&histories), |history| {
            asked += 1;
            Ok::<_, Infallible>(history.panes() >= 60)
        });
        let Ok(least) = least;
        assert_eq!(
            least.moves,
            Vec::from_iter((0..60).map(|pane| at(pane, Deed::Open)))
        );
        assert!(asked < 300, "{asked} questions");
    }

    proptest! {
        #[test]
        fn shrinking_ends_with_a_history_that_fails_and_has_nothing_to_spare(seed in 0..10_000_u64) {
            let fault = |history: &History| has(history, Deed::Type) && history.panes() > 1;
            if let Some((least, _)) = shrunk(seed, fault) {
                prop_assert!(fault(&least));
                prop_assert_eq!(least.tidied(), least.clone());
                prop_assert_eq!(least.moves.len(), 3);
            }
        }

        #[test]
        fn the_guilty_ones_are_found_among_many(
            guilty in prop::collection::btree_set(0..50_usize, 1..4),
        ) {
            let fails = |items: &[usize]| Ok::<_, Infallible>(guilty.iter().all(|one| items.contains(one)));
            let Ok(left) = fewest((0..50).collect(), fails);
            prop_assert!(left.into_iter().eq(guilty.iter().copied()));
        }
    }
}
