use std::borrow::Cow;

use super::name::Name;
use super::object::Object;
use super::{
    Attention, Command, CommandKind, Event, EventKind, InputTooLarge, Level, Log, PaneClosed,
    PaneExited, PaneIdle, PaneInput, PaneOpened, PaneOutput, Relaunch, SendInput, Shutdown, Status,
    UserInput, WatchPane,
};
use crate::json::Value;
use crate::refusal::{Reason, Refusal};
use crate::{Millis, PaneGeneration, PaneToken, UnixSeconds, Version};

/// Reads a plugin's line, given without its terminator; `None` for a blank one (PLG-106).
///
/// Looks at shape and size only and decides no authority. Nothing is allocated unless the line has
/// `resume_args`, escapes or members that the contract does not know.
///
/// ```
/// use nightcrow_protocol::{Command, decode_command};
///
/// let line = br#"{"cmd":"send_input","v":3,"token":"00112233","generation":1,"data":"continue\r"}"#;
/// let Some(Command::SendInput(input)) = decode_command(line)? else { panic!("not a send_input") };
/// assert_eq!(input.data.as_str(), "continue\r");
///
/// let refusal = decode_command(br#"{"cmd":"log","v":2,"level":"info"}"#).unwrap_err();
/// assert_eq!(
///     refusal.to_string(),
///     "version_mismatch at byte 17: this side speaks version 3, the line says 2"
/// );
/// # Ok::<(), nightcrow_protocol::Refusal>(())
/// ```
///
/// # Errors
/// The first rule that the line breaks, in the order of PLG-305.
pub fn decode_command(line: &[u8]) -> Result<Option<Command<'_>>, Refusal> {
    let Some(object) = Object::read(line)? else {
        return Ok(None);
    };
    let command = match object.kind(Name::Cmd, CommandKind::from_tag)? {
        CommandKind::SendInput => Command::SendInput(SendInput {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
            data: object.input(Name::Data)?,
        }),
        CommandKind::Relaunch => Command::Relaunch(Relaunch {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
            resume_args: object.required(Name::ResumeArgs, "an array of strings", Value::texts)?,
        }),
        CommandKind::Status => Command::Status(Status {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
            state: object.text(Name::State)?,
            detail: object.optional_text(Name::Detail)?,
            deadline_epoch: object.optional(Name::DeadlineEpoch, SECONDS, seconds)?,
            attempt: object.required(
                Name::Attempt,
                "an integer from 0 to 4294967295",
                Value::integer,
            )?,
        }),
        CommandKind::WatchPane => Command::WatchPane(WatchPane {
            v: Version,
            token: object.token()?,
        }),
        CommandKind::Attention => Command::Attention(Attention {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
        }),
        CommandKind::Log => Command::Log(Log {
            v: Version,
            level: object.level()?,
            message: object.text(Name::Message)?,
        }),
    };
    Ok(Some(command))
}

/// Reads a host's line, given without its terminator; `None` for a blank one (PLG-106).
///
/// A plugin skips what it cannot read: an `unknown_kind` may be an extension of the host's own
/// (PLG-711), any other refusal is worth a `log`.
///
/// # Errors
/// The first rule that the line breaks, in the order of PLG-305.
pub fn decode_event(line: &[u8]) -> Result<Option<Event<'_>>, Refusal> {
    let Some(object) = Object::read(line)? else {
        return Ok(None);
    };
    let event = match object.kind(Name::Event, EventKind::from_tag)? {
        EventKind::PaneOpened => Event::PaneOpened(PaneOpened {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
            title: object.optional_text(Name::Title)?,
            command: object.optional_text(Name::Command)?,
            cwd: object.text(Name::Cwd)?,
        }),
        EventKind::PaneOutput => Event::PaneOutput(PaneOutput {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
            text: object.text(Name::Text)?,
        }),
        EventKind::PaneIdle => Event::PaneIdle(PaneIdle {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
            idle_ms: object.required(Name::IdleMs, MILLIS, millis)?,
        }),
        EventKind::PaneExited => Event::PaneExited(PaneExited {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
        }),
        EventKind::PaneClosed => Event::PaneClosed(PaneClosed {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
        }),
        EventKind::UserInput => Event::UserInput(UserInput {
            v: Version,
            token: object.token()?,
            generation: object.generation()?,
        }),
        EventKind::Shutdown => Event::Shutdown(Shutdown { v: Version }),
    };
    Ok(Some(event))
}

const SECONDS: &str = "null or an integer within ±(2^53 − 1)";
const MILLIS: &str = "an integer from 0 to 2^53 − 1";

fn seconds(value: Value<'_>) -> Option<UnixSeconds> {
    value.integer().and_then(UnixSeconds::new)
}

fn millis(value: Value<'_>) -> Option<Millis> {
    value.integer().and_then(Millis::new)
}

/// The members that several messages share.
impl<'a> Object<'a> {
    /// The kind that the tag names (PLG-303).
    #[inline(always)]
    fn kind<K>(&self, tag: Name, from_tag: impl FnOnce(&str) -> Option<K>) -> Result<K, Refusal> {
        let kind = from_tag(&self.text(tag)?);
        kind.ok_or_else(|| self.refusal(tag, Reason::UnknownKind { tag: tag.as_str() }))
    }

    #[inline(always)]
    fn token(&self) -> Result<PaneToken, Refusal> {
        self.required(Name::Token, PaneToken::EXPECTED, |value| {
            PaneToken::new(&value.text()?).ok()
        })
    }

    #[inline(always)]
    fn generation(&self) -> Result<PaneGeneration, Refusal> {
        let read = |value: Value<'a>| value.integer().and_then(PaneGeneration::new);
        self.required(Name::Generation, "an integer from 1 to 4294967295", read)
    }

    #[inline(always)]
    fn text(&self, name: Name) -> Result<Cow<'a, str>, Refusal> {
        self.required(name, "a string", Value::text)
    }

    fn optional_text(&self, name: Name) -> Result<Option<Cow<'a, str>>, Refusal> {
        self.optional(name, "a string or null", Value::text)
    }

    /// Text for a pane, whose size is checked last of all (PLG-407).
    #[inline(always)]
    fn input(&self, name: Name) -> Result<PaneInput<'a>, Refusal> {
        PaneInput::new(self.text(name)?)
            .map_err(|InputTooLarge { bytes }| self.refusal(name, Reason::InputTooLarge { bytes }))
    }

    fn level(&self) -> Result<Level, Refusal> {
        self.required(
            Name::Level,
            "one of error, warn, info and debug",
            |value| match &*value.text()? {
                "error" => Some(Level::Error),
                "warn" => Some(Level::Warn),
                "info" => Some(Level::Info),
                "debug" => Some(Level::Debug),
                _ => None,
            },
        )
    }
}
