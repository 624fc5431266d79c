//! The protocol crate as the oracles see it.
//!
//! Every oracle goes through here, so that a build with `--cfg planted="…"` can put a known bug in
//! the way. Without one, this is the crate itself.

use std::fmt::Debug;

use nightcrow_protocol::{
    Command, EncodeError, Event, LineFramer, Refusal, decode_command, decode_event, encode_command,
    encode_event, schema,
};

use crate::planted;
use crate::reference::{self, Table};

/// One direction of the contract, so that an oracle written once judges both.
pub(crate) trait Direction {
    /// Its messages as the reference decoder knows them.
    const TABLE: Table;

    /// What travels in it.
    type Message<'a>: Debug + serde::Serialize;

    /// Reads a line.
    fn decode(line: &[u8]) -> Result<Option<Self::Message<'_>>, Refusal>;

    /// Writes a line.
    fn encode(message: &Self::Message<'_>) -> Result<String, EncodeError>;

    /// Whether both say the same. A method, because no compiler shortens `Message<'_>` by itself.
    fn same(one: &Self::Message<'_>, other: &Self::Message<'_>) -> bool;

    /// The published schema of its lines.
    fn schema() -> serde_json::Value;
}

/// From a plugin to its host.
#[derive(Debug)]
pub(crate) enum Commands {}

/// From a host to its plugin.
#[derive(Debug)]
pub(crate) enum Events {}

impl Direction for Commands {
    const TABLE: Table = reference::COMMANDS;

    type Message<'a> = Command<'a>;

    fn decode(line: &[u8]) -> Result<Option<Command<'_>>, Refusal> {
        match planted::misread(line) {
            None => decode_command(line),
            Some(line) => decode_command(&line).map(|command| command.map(Command::into_owned)),
        }
    }

    fn encode(command: &Command<'_>) -> Result<String, EncodeError> {
        encode_command(command).map(planted::miswrite)
    }

    fn same(one: &Command<'_>, other: &Command<'_>) -> bool {
        one == other
    }

    fn schema() -> serde_json::Value {
        schema::command().into()
    }
}

impl Direction for Events {
    const TABLE: Table = reference::EVENTS;

    type Message<'a> = Event<'a>;

    fn decode(line: &[u8]) -> Result<Option<Event<'_>>, Refusal> {
        match planted::misread(line) {
            None => decode_event(line),
            Some(line) => decode_event(&line).map(|event| event.map(Event::into_owned)),
        }
    }

    fn encode(event: &Event<'_>) -> Result<String, EncodeError> {
        encode_event(event).map(planted::miswrite)
    }

    fn same(one: &Event<'_>, other: &Event<'_>) -> bool {
        one == other
    }

    fn schema() -> serde_json::Value {
        schema::event().into()
    }
}

/// A line as the framer cut it: its bytes unless it was too long, and whether it had a terminator.
pub(crate) type Framed = (Option<Vec<u8>>, bool);

/// The next line that ends in `input`, or is known to be too long.
pub(crate) fn next_line(framer: &mut LineFramer, input: &mut &[u8]) -> Option<Framed> {
    planted::misread_chunk(input);
    let line = framer.next_line(input)?;
    let framed = (line.bytes().ok().map(<[u8]>::to_vec), line.is_terminated());
    planted::misframe(framer, &framed);
    Some(framed)
}
