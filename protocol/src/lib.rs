//! The contract between a terminal host and its plugins, version 3, as Rust types.
//!
//! A host tells a plugin about the panes it watches with [`Event`]s; a plugin asks its host for a few
//! things with [`Command`]s. Each is one JSON object on one line. The specification is
//! `spec/plugin-v3.md`; the `PLG-…` numbers in these pages are its requirements.
//!
//! This crate holds types and codec only: no process, no clock, no runtime, no I/O.
//!
//! * [`LineFramer`] cuts what you read into lines, with bounded memory.
//! * [`decode_command`] (for hosts) and [`decode_event`] (for plugins) read a line strictly; what they
//!   refuse they explain with a [`Refusal`].
//! * [`encode_command`] and [`encode_event`] write a line.
//!
//! # A complete plugin
//!
//! This one raises attention whenever a pane it watches goes quiet. It is also the example `bell`:
//! `cargo run -p nightcrow-protocol --example bell`.
//!
//! ```no_run
#![doc = include_str!("../examples/bell.rs")]
//! ```
//!
//! # Features
//!
//! * `schema`: `schemars::JsonSchema` for the types.
//! * `arbitrary`: `arbitrary::Arbitrary` for the types.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod framer;
mod generation;
mod json;
pub mod limits;
pub mod plugin;
mod refusal;
mod time;
mod token;
mod version;

#[cfg(feature = "arbitrary")]
mod arbitrary;
#[cfg(feature = "schema")]
pub mod schema;

pub use framer::{Line, LineFramer};
pub use generation::PaneGeneration;
pub use plugin::{
    Attention, Command, CommandKind, EncodeError, Event, EventKind, InputTooLarge, Level, Log,
    PaneClosed, PaneExited, PaneIdle, PaneInput, PaneOpened, PaneOutput, Relaunch, SendInput,
    Shutdown, Status, UserInput, WatchPane, decode_command, decode_event, encode_command,
    encode_event,
};
pub use refusal::{Refusal, RefusalCode};
pub use time::{Millis, UnixSeconds};
pub use token::{InvalidToken, PaneToken};
pub use version::Version;

/// Keeps the code in the README compiling.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
