use std::borrow::Cow;

use super::owned;
use crate::{Millis, PaneGeneration, PaneToken, Version};

/// What a host tells a plugin about a pane it watches (PLG-601 to PLG-607).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Event<'a> {
    /// A process was spawned in a slot the plugin watches.
    PaneOpened(PaneOpened<'a>),
    /// The program printed text.
    PaneOutput(PaneOutput<'a>),
    /// The program has been quiet.
    PaneIdle(PaneIdle),
    /// The process ended; its slot is held.
    PaneExited(PaneExited),
    /// The slot is gone.
    PaneClosed(PaneClosed),
    /// A person typed.
    UserInput(UserInput),
    /// The host wants the plugin to end.
    Shutdown(Shutdown),
}

/// A process was spawned in a slot the plugin watches, or is announced to it again (PLG-601).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PaneOpened<'a> {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process now in it.
    pub generation: PaneGeneration,
    /// What people call the pane. Absent and `null` mean that it has no title.
    pub title: Option<Cow<'a, str>>,
    /// The configured launch command as written; never with resume arguments. Absent and `null` mean
    /// a pane opened by hand, which cannot be relaunched.
    pub command: Option<Cow<'a, str>>,
    /// The directory the pane was started in.
    pub cwd: Cow<'a, str>,
}

/// Text the pane's program printed, without escape sequences (PLG-602).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PaneOutput<'a> {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process that printed it.
    pub generation: PaneGeneration,
    /// The text, cut on character boundaries.
    pub text: Cow<'a, str>,
}

/// The pane's live program has printed nothing for a while; once per quiet period (PLG-603).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PaneIdle {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The quiet process.
    pub generation: PaneGeneration,
    /// How long it has been quiet, in milliseconds.
    pub idle_ms: Millis,
}

/// The pane's process ended; the slot is held and may be relaunched (PLG-604).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PaneExited {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process that ended.
    pub generation: PaneGeneration,
}

/// The pane's slot is gone: its token means nothing any more (PLG-605).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PaneClosed {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The last process in it.
    pub generation: PaneGeneration,
}

/// A person used the pane: whatever the plugin had in mind for it is off. Never says what was
/// typed (PLG-606).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct UserInput {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process that got the input.
    pub generation: PaneGeneration,
}

/// The host wants the plugin to end; end of stdin follows (PLG-607).
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Shutdown {
    /// Contract version.
    pub v: Version,
}

/// The kinds of event, as the tag `event` names them (PLG-303).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// `pane_opened`
    PaneOpened,
    /// `pane_output`
    PaneOutput,
    /// `pane_idle`
    PaneIdle,
    /// `pane_exited`
    PaneExited,
    /// `pane_closed`
    PaneClosed,
    /// `user_input`
    UserInput,
    /// `shutdown`
    Shutdown,
}

impl EventKind {
    /// Every kind, in the order of the specification.
    pub const ALL: [Self; 7] = [
        Self::PaneOpened,
        Self::PaneOutput,
        Self::PaneIdle,
        Self::PaneExited,
        Self::PaneClosed,
        Self::UserInput,
        Self::Shutdown,
    ];

    /// The tag on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PaneOpened => "pane_opened",
            Self::PaneOutput => "pane_output",
            Self::PaneIdle => "pane_idle",
            Self::PaneExited => "pane_exited",
            Self::PaneClosed => "pane_closed",
            Self::UserInput => "user_input",
            Self::Shutdown => "shutdown",
        }
    }

    /// The kind that a tag names exactly.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        match tag {
            "pane_opened" => Some(Self::PaneOpened),
            "pane_output" => Some(Self::PaneOutput),
            "pane_idle" => Some(Self::PaneIdle),
            "pane_exited" => Some(Self::PaneExited),
            "pane_closed" => Some(Self::PaneClosed),
            "user_input" => Some(Self::UserInput),
            "shutdown" => Some(Self::Shutdown),
            _ => None,
        }
    }
}

impl Event<'_> {
    /// Which kind of event this is.
    #[must_use]
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::PaneOpened(_) => EventKind::PaneOpened,
            Self::PaneOutput(_) => EventKind::PaneOutput,
            Self::PaneIdle(_) => EventKind::PaneIdle,
            Self::PaneExited(_) => EventKind::PaneExited,
            Self::PaneClosed(_) => EventKind::PaneClosed,
            Self::UserInput(_) => EventKind::UserInput,
            Self::Shutdown(_) => EventKind::Shutdown,
        }
    }

    /// The pane it is about, and which process in it; `shutdown` is about none.
    #[must_use]
    pub const fn pane(&self) -> Option<(PaneToken, PaneGeneration)> {
        match self {
            Self::PaneOpened(PaneOpened {
                token, generation, ..
            })
            | Self::PaneOutput(PaneOutput {
                token, generation, ..
            })
            | Self::PaneIdle(PaneIdle {
                token, generation, ..
            })
            | Self::PaneExited(PaneExited {
                token, generation, ..
            })
            | Self::PaneClosed(PaneClosed {
                token, generation, ..
            })
            | Self::UserInput(UserInput {
                token, generation, ..
            }) => Some((*token, *generation)),
            Self::Shutdown(_) => None,
        }
    }

    /// The same event without a borrow of the line it came from.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        match self {
            Self::PaneOpened(PaneOpened {
                v,
                token,
                generation,
                title,
                command,
                cwd,
            }) => {
                let (title, command, cwd) = (title.map(owned), command.map(owned), owned(cwd));
                Event::PaneOpened(PaneOpened {
                    v,
                    token,
                    generation,
                    title,
                    command,
                    cwd,
                })
            }
            Self::PaneOutput(PaneOutput {
                v,
                token,
                generation,
                text,
            }) => Event::PaneOutput(PaneOutput {
                v,
                token,
                generation,
                text: owned(text),
            }),
            Self::PaneIdle(idle) => Event::PaneIdle(idle),
            Self::PaneExited(exited) => Event::PaneExited(exited),
            Self::PaneClosed(closed) => Event::PaneClosed(closed),
            Self::UserInput(input) => Event::UserInput(input),
            Self::Shutdown(shutdown) => Event::Shutdown(shutdown),
        }
    }
}

wraps!(Event:
    PaneOpened(PaneOpened<'a>),
    PaneOutput(PaneOutput<'a>),
    PaneIdle(PaneIdle),
    PaneExited(PaneExited),
    PaneClosed(PaneClosed),
    UserInput(UserInput),
    Shutdown(Shutdown),
);
