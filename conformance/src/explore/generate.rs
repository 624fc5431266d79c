use fastrand::Rng;

use super::history::{Deed, Form, History, Move, Slots, Words};

/// How many panes a history has at most.
const PANES: usize = 3;

/// How many moves it has, without those that turn out to be impossible.
const MOVES: std::ops::RangeInclusive<usize> = 3..=20;

/// How often it pauses at most: pauses are what takes time.
const PAUSES: usize = 2;

/// How likely each deed is where it is possible. Wherever a pane stands, some deed is.
const DEEDS: [(Deed, u32); 19] = [
    (Deed::Open, 12),
    (Deed::OpenByHand, 3),
    (Deed::Print(Words::Dot), 3),
    (Deed::Print(Words::Empty), 2),
    (Deed::Print(Words::Carriage), 2),
    (Deed::Print(Words::Controls), 2),
    (Deed::Print(Words::Multibyte), 2),
    (Deed::Print(Words::Lookalike), 2),
    (Deed::Print(Words::Long), 2),
    (Deed::Print(Words::Longest), 1),
    (Deed::Print(Words::LongestMultibyte), 1),
    (Deed::Idle, 8),
    (Deed::Type, 5),
    (Deed::Exit, 4),
    (Deed::Close, 5),
    (Deed::Extension, 1),
    (Deed::Arm, 6),
    (Deed::Fire, 6),
    (Deed::Leave, 3),
];

const FORMS: [(Form, u32); 3] = [(Form::Plain, 8), (Form::CrLf, 1), (Form::Extended, 1)];

impl History {
    /// The history of this seed: for the same version of the runner always the same.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let panes = random.usize(1..=PANES);
        let mut slots = Slots::default();
        let mut moves = Vec::new();
        let mut pauses = 0;
        for _ in 0..random.usize(MOVES) {
            if pauses < PAUSES && random.u8(..10) == 0 {
                pauses += 1;
                moves.push(Move::Pause);
                continue;
            }
            let pane = random.usize(..panes);
            let now = slots.get(pane);
            let possible = DEEDS.iter().filter(|(deed, _)| now.after(*deed).is_some());
            let deed = pick(&mut random, possible);
            slots.take(pane, deed);
            let form = pick(&mut random, FORMS.iter());
            moves.push(Move::At { pane, deed, form });
        }
        Self { moves }.tidied()
    }
}

/// One of several things, each as likely as its weight says.
fn pick<'a, T: Copy + 'a>(
    random: &mut Rng,
    mut from: impl Iterator<Item = &'a (T, u32)> + Clone,
) -> T {
    let total: u32 = from.clone().map(|(_, weight)| weight).sum();
    let mut left = random.u32(..total);
    let picked = from.find(|(_, weight)| match left.checked_sub(*weight) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    picked.expect("less is left than there is in all").0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_history_and_another_one_another() {
        for seed in [0, 1, 28, u64::MAX] {
            assert_eq!(History::of_seed(seed), History::of_seed(seed));
        }
        let histories: std::collections::HashSet<_> = (0..1000).map(History::of_seed).collect();
        assert!(histories.len() > 950, "{}", histories.len());
    }

    #[test]
    fn two_hundred_histories_hold_every_deed_in_every_form_and_every_turn() {
        let histories: Vec<_> = (0..200).map(History::of_seed).collect();
        let moves = || histories.iter().flat_map(|history| &history.moves);
        for (deed, _) in DEEDS {
            let mut done =
                moves().filter(|step| matches!(step, Move::At { deed: it, .. } if *it == deed));
            assert!(done.nth(2).is_some(), "{deed:?} is rare");
        }
        for (form, _) in FORMS {
            let mut written =
                moves().filter(|step| matches!(step, Move::At { form: it, .. } if *it == form));
            assert!(written.nth(2).is_some(), "{form:?} is rare");
        }
        assert!(moves().any(|step| *step == Move::Pause));
        assert!(histories.iter().all(|history| *history == history.tidied()));
    }
}
