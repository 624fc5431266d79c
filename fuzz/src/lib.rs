//! What fuzzing knows about the contract: oracles that say when a decoder is wrong.
//!
//! Each oracle is a plain function from bytes to a panic or nothing, in the module of its target.
//! libFuzzer calls it with bytes it makes up (`fuzz_targets/`), `tests/replay.rs` with the committed
//! seeds and past crashes. They call the protocol crate through `subject`, where a build can plant a
//! known bug to prove that an oracle finds its kind.

#![deny(unsafe_code)]

pub mod allocator;
mod json;
mod planted;
mod printer;
mod reference;
mod subject;
mod target;
mod verdict;

pub mod decode_command;
pub mod decode_event;
pub mod decode_vs_reference;
pub mod decode_vs_schema;
pub mod framer;
pub mod round_trip;
pub mod serde_value;

/// A fuzz target: the name of its seed folder and its oracle.
pub type Target = (&'static str, fn(&[u8]));

/// Every target with an oracle.
pub const TARGETS: [Target; 6] = [
    ("decode_command", decode_command::check),
    ("decode_event", decode_event::check),
    ("framer", framer::check),
    ("decode_vs_schema", decode_vs_schema::check),
    ("decode_vs_reference", decode_vs_reference::check),
    ("round_trip", round_trip::check),
];
