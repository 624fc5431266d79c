//! Tells whether a plugin, or a decoder, keeps the plugin contract, version 3, and explains each
//! failure so well that its author needs no other document.
//!
//! For a plugin the runner plays the host; for a decoder it is the other end of the pipe. For each check it starts the plugin afresh in a private home, sends it
//! what a host might send, and writes down everything that happens. A check is therefore three plain
//! things, kept apart:
//!
//! * a **stimulus** ([`stimulus`]): a straight list of steps, always a history that a real host could
//!   have produced, except where a line is tagged with the requirement that it breaks on purpose;
//! * a **transcript** ([`transcript`]): what the [`drive`]r recorded while it performed the steps;
//! * a **judge** ([`checks`]): a pure function from the transcript to an [`Outcome`].
//!
//! Nothing is judged by sleeping. The barriers are end of stream, exit, an emptied pipe and a subject
//! that asks for no CPU; deadlines are upper bounds, and time that the subject spent waiting for a CPU
//! does not count towards them.
//!
//! The requirements themselves live in `spec/plugin-v3.md` alone, which this crate embeds and reads
//! ([`spec`]).

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod baseline;
pub mod catalogue;
pub mod checks;
pub mod cli;
pub mod drive;
pub mod duration;
pub mod evidence;
pub mod explore;
pub mod faulty;
pub mod lint;
pub mod monitor;
#[path = "../examples/rust/nudge.rs"]
pub mod nudge;
pub mod outcome;
pub mod profile;
pub mod proxy;
pub mod recording;
pub mod replay;
pub mod report;
pub mod run;
pub mod schema;
pub mod select;
pub mod selftest;
pub mod spec;
pub mod stage;
pub mod stimulus;
pub mod subject;
pub mod suite;
pub mod traffic;
pub mod transcript;
pub mod vectors;

pub use outcome::Outcome;
pub use suite::{CannotRun, Suite, Summary};
