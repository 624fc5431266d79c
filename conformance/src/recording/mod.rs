//! Recordings: what was said between a host and a plugin, as a file that can be read, linted and
//! replayed.
//!
//! A recording is NDJSON. Its first line says what it is:
//!
//! ```json
//! {"format":"nightcrow-recording","version":1,"source":"proxy","check":null,"subject":["./plugin"],"redacted":true}
//! ```
//!
//! `source` is `check` (written by `conformance run`, which played the host), `exam` (by `conformance
//! decode`, which fed a decoder) or `proxy`; `check` is the id of the check, if it was one. `subject` is the command that started the plugin, as it was written: empty for the built-in
//! example, `null` if it cannot be said in UTF-8. In a `redacted` recording every token is a placeholder
//! and every text is masked.
//!
//! Each other line is one [`Entry`]. `t` is in seconds since the plugin was started; `dir` says what the
//! entry is about:
//!
//! * `in` – bytes to the plugin's stdin. With `repeated_to` they were sent over and over until that many
//!   bytes had been taken; where `bytes` is missing then, they are those of the last such entry.
//!   `breaks` names the requirement that they break on purpose.
//! * `out`, `err` – bytes of the plugin's stdout and stderr.
//! * `run` – something that happened otherwise, in `did`.
//!
//! `bytes` is base64. `text` repeats it for people where it is UTF-8 and not too long. `parse` says what
//! the decoder makes of lines: of those that begin in this entry (checks), or of those that end in it and
//! are no messages (proxy; redacted lines are refused for the reason that the original was refused for).
//!
//! `schema/recording.schema.json` in this crate says the same for programs ([`SCHEMA`]).

mod entry;
mod octets;
mod read;
mod redact;
mod stand_in;
mod wire;
mod write;

pub use entry::{Awaited, Did, Entry, Header, Parse, Source, Verdict, What};
pub use read::{BadRecording, Reader};
pub(crate) use redact::PLACEHOLDER;
pub use redact::Redactor;
pub(crate) use wire::seconds;
pub use write::{Writer, create, create_another};

/// The JSON Schema of a line of a recording.
pub const SCHEMA: &str = include_str!("../../schema/recording.schema.json");

/// What the first line calls the format.
pub const FORMAT: &str = "nightcrow-recording";

/// The version of the format.
pub const VERSION: u32 = 1;

/// The longest line that a reader takes: a burst's cycle of [`MAX_CYCLE_BYTES`], in base64, and more.
///
/// [`MAX_CYCLE_BYTES`]: crate::stimulus::MAX_CYCLE_BYTES
const MAX_ENTRY_BYTES: u64 = 64 << 20;

/// How many bytes a repeated entry may stand for. No check sends a hundredth of it.
const MAX_REPEATED_BYTES: u64 = 4 << 30;

#[cfg(test)]
mod tests;
