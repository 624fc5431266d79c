//! The bounds of the contract, each in one place.
//!
//! All sizes are bytes of UTF-8, never characters (PLG-104).

/// Version of the plugin contract that every line carries in `v` (PLG-301).
pub const PROTOCOL_VERSION: u32 = 3;

/// Longest line in bytes, inclusive, without its terminator (PLG-103, PLG-104).
pub const MAX_LINE_BYTES: usize = 65_536;

/// Longest decoded `send_input.data` in bytes, inclusive (PLG-407).
pub const MAX_INPUT_BYTES: usize = 8_192;

/// Longest pane token in bytes, inclusive (PLG-401).
pub const MAX_TOKEN_BYTES: usize = 128;

/// Containers that may be nested inside one member's value (PLG-207).
///
/// A receiver must accept this many; ours refuses one more.
pub const MAX_NESTING: u32 = 64;

/// Largest magnitude of a 64-bit member: 2^53 − 1, what every JSON reader keeps exact (PLG-404, PLG-406).
pub const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;
