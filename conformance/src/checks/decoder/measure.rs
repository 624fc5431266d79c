//! What a check measures beside the verdicts.

use std::fmt;
use std::time::Duration;

use crate::checks::Needs;
use crate::outcome::{Failure, Reason};
use crate::transcript::{Figures, Transcript};

/// What a check measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Nothing.
    Nothing,
    /// Resident memory. The least that was seen in the second half of the looks counts: a collector
    /// of garbage may come late, but it comes, while whoever keeps what it was sent never holds less.
    Memory {
        /// By how many bytes it may grow from the first look on.
        most: u64,
        /// Whether a decoder that keeps its verdicts until the end is let off.
        spares_the_silent: bool,
    },
    /// CPU time: wide lines may not cost much more than narrow ones of as many bytes. There are three
    /// looks: at the start, after the narrow lines, and after the wide ones.
    CpuTime,
}

/// How many times the CPU time of the narrow lines the wide ones may take. They are a hundred times
/// as wide, so whoever compares each member with each other takes some hundred times as long.
const MOST_TIMES: u32 = 8;

/// What is forgiven: the clock that tells CPU time ticks a hundred times a second, and the fastest
/// decoders need less than a tick.
const FORGIVEN: Duration = Duration::from_millis(250);

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::CpuTime => f.write_str("CPU time"),
            Self::Memory {
                most,
                spares_the_silent,
            } => {
                let silent = match spares_the_silent {
                    true => ", unless it keeps its verdicts until the end",
                    false => "",
                };
                write!(f, "memory, which may grow by {} MiB{silent}", most >> 20)
            }
        }
    }
}

impl Measure {
    /// What has to be there for it.
    #[must_use]
    pub const fn needs(self) -> Needs {
        match self {
            Self::Nothing => Needs::Nothing,
            Self::Memory { .. } | Self::CpuTime => Needs::Figures,
        }
    }

    /// What was seen, in words.
    pub(super) fn judge(self, transcript: &Transcript) -> Result<Option<String>, Failure> {
        let figures: Vec<Figures> = transcript
            .samples()
            .filter_map(|sample| sample.figures)
            .collect();
        match self {
            Self::Nothing => Ok(None),
            Self::Memory {
                most,
                spares_the_silent,
            } => {
                if spares_the_silent && was_silent(transcript) {
                    return Ok(Some(
                        "memory not judged: it kept its verdicts until the end".to_owned(),
                    ));
                }
                memory(&figures, most)
            }
            Self::CpuTime if was_silent(transcript) => {
                Ok(Some("time not judged: it decoded at the end".to_owned()))
            }
            Self::CpuTime => cpu_time(&figures),
        }
    }
}

/// Whether the subject said nothing before the end of its stdin.
fn was_silent(transcript: &Transcript) -> bool {
    let end = transcript.told_to_end().unwrap_or(usize::MAX);
    transcript
        .lines()
        .next()
        .is_none_or(|line| line.entry > end)
}

fn memory(figures: &[Figures], most: u64) -> Result<Option<String>, Failure> {
    let resident: Vec<u64> = figures.iter().map(|figures| figures.resident).collect();
    let (Some(first), Some(least)) = (
        resident.first(),
        resident[resident.len() / 2..].iter().min(),
    ) else {
        return Ok(None);
    };
    let grown = least.saturating_sub(*first);
    if grown > most {
        let what = format!(
            "its memory grew by {} MiB at least while it was sent all this, and {} MiB are allowed",
            grown >> 20,
            most >> 20
        );
        return Err(Failure::new(Reason::MemoryGrew, what));
    }
    Ok(Some(format!("memory grew by {} MiB", grown >> 20)))
}

fn cpu_time(figures: &[Figures]) -> Result<Option<String>, Failure> {
    let [start, narrow, wide] = figures else {
        return Ok(None);
    };
    let narrow_time = narrow.cpu.saturating_sub(start.cpu);
    let wide_time = wide.cpu.saturating_sub(narrow.cpu);
    let told = format!(
        "{} ms for narrow lines, {} ms for wide ones",
        narrow_time.as_millis(),
        wide_time.as_millis()
    );
    if wide_time > narrow_time * MOST_TIMES + FORGIVEN {
        let what =
            format!("its CPU time is not linear in the width of a line: {told} of as many bytes");
        return Err(Failure::new(Reason::SlowOnWideLines, what));
    }
    Ok(Some(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident(mib: &[u64]) -> Vec<Figures> {
        let figures = mib.iter().map(|mib| Figures {
            resident: mib << 20,
            ..Figures::default()
        });
        figures.collect()
    }

    fn used(ms: &[u64]) -> Vec<Figures> {
        let figures = ms.iter().map(|ms| Figures {
            cpu: Duration::from_millis(*ms),
            ..Figures::default()
        });
        figures.collect()
    }

    #[test]
    fn late_collections_are_no_growth() {
        let most = 48 << 20;
        assert!(memory(&resident(&[40, 70, 100, 130, 60, 90]), most).is_ok());
        assert!(memory(&resident(&[40, 41, 41, 41]), most).is_ok());
        let hoards = memory(&resident(&[10, 30, 50, 70, 90, 110]), most).unwrap_err();
        assert_eq!(hoards.reason, Reason::MemoryGrew);
    }

    #[test]
    fn times_are_compared_with_the_subjects_own() {
        assert!(cpu_time(&used(&[30, 40, 50])).is_ok());
        assert!(cpu_time(&used(&[30, 230, 1_800])).is_ok());
        assert!(cpu_time(&used(&[30, 30, 270])).is_ok());
        let quadratic = cpu_time(&used(&[30, 130, 1_400])).unwrap_err();
        assert_eq!(quadratic.reason, Reason::SlowOnWideLines);
    }
}
