use crate::limits::MAX_SAFE_INTEGER;

/// A point in time as Unix **seconds**, within ±(2^53 − 1) (PLG-404).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct UnixSeconds(i64);

impl UnixSeconds {
    /// The latest representable point.
    pub const MAX: Self = Self(MAX_SAFE_INTEGER);

    /// The earliest representable point.
    pub const MIN: Self = Self(-MAX_SAFE_INTEGER);

    /// The point this many seconds after the epoch, if JSON readers everywhere keep it exact.
    #[must_use]
    pub const fn new(seconds: i64) -> Option<Self> {
        if seconds >= Self::MIN.0 && seconds <= Self::MAX.0 {
            Some(Self(seconds))
        } else {
            None
        }
    }

    /// Seconds since the epoch.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }
}

/// A length of time in **milliseconds**, 0 to 2^53 − 1 (PLG-406).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Millis(u64);

impl Millis {
    /// The longest representable time.
    pub const MAX: Self = Self(MAX_SAFE_INTEGER.unsigned_abs());

    /// This many milliseconds, if JSON readers everywhere keep it exact.
    #[must_use]
    pub const fn new(millis: u64) -> Option<Self> {
        if millis <= Self::MAX.0 {
            Some(Self(millis))
        } else {
            None
        }
    }

    /// The number of milliseconds.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: i64 = 9_007_199_254_740_991;

    #[test]
    fn seconds_end_at_the_safe_integers() {
        assert_eq!(UnixSeconds::new(LIMIT), Some(UnixSeconds::MAX));
        assert_eq!(UnixSeconds::new(-LIMIT), Some(UnixSeconds::MIN));
        assert_eq!(UnixSeconds::new(LIMIT + 1), None);
        assert_eq!(UnixSeconds::new(-LIMIT - 1), None);
        assert_eq!(UnixSeconds::new(-5).map(UnixSeconds::get), Some(-5));
    }

    #[test]
    fn millis_end_at_the_safe_integers() {
        assert_eq!(Millis::new(LIMIT.unsigned_abs()), Some(Millis::MAX));
        assert_eq!(Millis::new(LIMIT.unsigned_abs() + 1), None);
        assert_eq!(Millis::new(10_007).map(Millis::get), Some(10_007));
    }
}
