//! The messages of plugin contract v3: what a host tells a plugin ([`Event`]) and what a plugin asks
//! of its host ([`Command`]).
//!
//! Decoding borrows from the line; [`Command::into_owned`] and [`Event::into_owned`] let go of it.
//! The types write themselves with serde but do not read themselves: the only way in is
//! [`decode_command`] and [`decode_event`], because a
//! derived reader accepts lines that the contract refuses.

use std::borrow::Cow;

/// Makes each message convertible into the enum that wraps it.
macro_rules! wraps {
    ($outer:ident: $($variant:ident($message:ty)),+ $(,)?) => {
        $(impl<'a> From<$message> for $outer<'a> {
            fn from(message: $message) -> Self {
                Self::$variant(message)
            }
        })+
    };
}

mod command;
mod decode;
mod encode;
mod event;
mod input;
mod name;
mod object;

pub use command::{
    Attention, Command, CommandKind, Level, Log, Relaunch, SendInput, Status, WatchPane,
};
pub use decode::{decode_command, decode_event};
pub use encode::{EncodeError, encode_command, encode_event};
pub use event::{
    Event, EventKind, PaneClosed, PaneExited, PaneIdle, PaneOpened, PaneOutput, Shutdown, UserInput,
};
pub use input::{InputTooLarge, PaneInput};

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}
