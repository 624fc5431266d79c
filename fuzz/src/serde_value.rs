//! No oracle: the same bytes through `serde_json`, to measure our decoder against.

/// Reads `data` into a general-purpose tree.
pub fn check(data: &[u8]) {
    let _ = std::hint::black_box(serde_json::from_slice::<serde_json::Value>(data));
}
