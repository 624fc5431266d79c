use std::sync::Arc;

/// Bytes for the subject's stdin that need not be lines: some bytes, several times over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    unit: Arc<[u8]>,
    times: usize,
}

impl Chunk {
    /// These bytes, `times` over.
    #[must_use]
    pub fn new(unit: impl Into<Arc<[u8]>>, times: usize) -> Self {
        Self {
            unit: unit.into(),
            times,
        }
    }

    /// The bytes that are repeated.
    #[must_use]
    pub fn unit(&self) -> &[u8] {
        &self.unit
    }

    /// How often they come.
    #[must_use]
    pub const fn times(&self) -> usize {
        self.times
    }

    /// How many bytes all of it has.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.unit.len() as u64 * self.times as u64
    }
}
