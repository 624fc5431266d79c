use super::finding::{Certainty, Finding, Occurrence};
use super::shrink::{fewest, shrink};
use super::{History, Seeds};

/// What came of playing a history again.
#[derive(Debug)]
pub(super) enum Again {
    /// The contract was broken in the same way.
    Same(Box<Occurrence>),
    /// It was kept, or broken in another way: that would be another finding.
    Other,
    /// There was no time to find out.
    NoTime,
}

/// How often it is asked which histories are guilty. One among fifty takes a dozen questions; where so
/// many are guilty that this is not enough, their moves are better looked at all together.
const BISECTIONS: usize = 24;

/// Finds out what of these histories, played together, it takes to break the contract as it was.
///
/// # Errors
/// What `again` returns.
pub(super) fn pin_down<E>(
    seeds: Seeds,
    occurrence: Occurrence,
    again: impl FnMut(&History) -> Result<Again, E>,
) -> Result<Finding, E> {
    let all = seeds.histories();
    let mut pin = Pin {
        again,
        finding: Finding {
            history: History::merged(&all),
            occurrence,
            seeds,
            certainty: Certainty::Least,
        },
    };
    if !pin.fails(&History::merged(&all))? {
        pin.finding.certainty = match pin.finding.certainty {
            Certainty::Least => Certainty::Once,
            certainty @ (Certainty::AtMost | Certainty::Once) => certainty,
        };
        return Ok(pin.finding);
    }
    let mut asked = 0;
    let guilty = fewest((0..).zip(all).collect(), |some: &[(u64, History)]| {
        asked += 1;
        let histories: Vec<_> = some.iter().map(|(_, history)| history.clone()).collect();
        Ok(asked <= BISECTIONS && pin.fails(&History::merged(&histories))?)
    })?;
    if let [(offset, _)] = guilty[..] {
        pin.finding.seeds = Seeds {
            first: seeds.first.wrapping_add(offset),
            count: 1,
        };
    }
    let history = pin.finding.history.clone();
    pin.finding.history = shrink(&history, |history| pin.fails(history))?;
    Ok(pin.finding)
}

/// A finding that gets smaller.
struct Pin<F> {
    again: F,
    finding: Finding,
}

impl<F> Pin<F> {
    fn fails<E>(&mut self, history: &History) -> Result<bool, E>
    where
        F: FnMut(&History) -> Result<Again, E>,
    {
        match (self.again)(history)? {
            Again::Same(occurrence) => {
                self.finding.history = history.clone();
                self.finding.occurrence = *occurrence;
                Ok(true)
            }
            Again::Other => Ok(false),
            Again::NoTime => {
                self.finding.certainty = Certainty::AtMost;
                Ok(false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::{Deed, Move, Words};
    use super::*;
    use crate::outcome::{Failure, Reason};
    use crate::transcript::Transcript;

    const SEEDS: Seeds = Seeds {
        first: 1,
        count: 50,
    };

    fn occurrence() -> Occurrence {
        Occurrence {
            failure: Failure::new(Reason::Crashed, "it crashed"),
            transcript: Transcript::default(),
        }
    }

    fn pinned(mut again: impl FnMut(&History) -> Again) -> Finding {
        let finding = pin_down(SEEDS, occurrence(), |history| {
            Ok::<_, Infallible>(again(history))
        });
        let Ok(finding) = finding;
        finding
    }

    fn prints_nothing(history: &History) -> bool {
        let nothing = Deed::Print(Words::Empty);
        let mut moves = history.moves.iter();
        moves.any(|step| matches!(step, Move::At { deed, .. } if *deed == nothing))
    }

    fn by(fault: bool) -> Again {
        if fault {
            Again::Same(Box::new(occurrence()))
        } else {
            Again::Other
        }
    }

    #[test]
    fn one_guilty_history_is_found_and_named_by_its_seed() {
        let finding = pinned(|history| by(prints_nothing(history)));
        assert_eq!(finding.certainty, Certainty::Least);
        assert_eq!(
            finding.history.to_string(),
            "pane 1 opens; pane 1 prints an empty text"
        );
        assert_eq!(finding.seeds.count, 1);
        assert!(prints_nothing(&History::of_seed(finding.seeds.first)));
        let told = finding.told().explanation;
        let seeds = format!(
            "`conformance fuzz --seed {} --histories 1`",
            finding.seeds.first
        );
        assert!(
            told.starts_with("it crashed. All that it takes: pane 1") && told.ends_with(&seeds)
        );
    }

    #[test]
    fn several_that_are_only_guilty_together_are_named_together() {
        let finding = pinned(|history| by(history.panes() >= 60));
        assert_eq!(finding.certainty, Certainty::Least);
        assert_eq!(finding.history.moves.len(), 60);
        assert_eq!(finding.seeds, SEEDS);
        let told = finding.told().explanation;
        assert!(
            told.contains("pane 4 opens; 48 more; pane 53 opens"),
            "{told}"
        );
    }

    #[test]
    fn what_does_not_happen_again_is_told_as_it_was() {
        let finding = pinned(|_| Again::Other);
        assert_eq!(finding.certainty, Certainty::Once);
        assert_eq!(finding.history, History::merged(&SEEDS.histories()));
        assert!(finding.told().explanation.contains("once in 50 histories"));
    }

    #[test]
    fn when_the_time_is_over_what_is_known_is_told() {
        let mut left = 8;
        let finding = pinned(|history| {
            if left == 0 {
                return Again::NoTime;
            }
            left -= 1;
            by(prints_nothing(history))
        });
        assert_eq!(finding.certainty, Certainty::AtMost);
        assert!(prints_nothing(&finding.history));
        assert!(finding.told().explanation.contains("more than it takes"));
    }
}
