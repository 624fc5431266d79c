use std::borrow::Cow;

use super::{PaneInput, owned};
use crate::{PaneGeneration, PaneToken, UnixSeconds, Version};

/// What a plugin may ask of its host (PLG-501 to PLG-506).
///
/// A decoded command is well formed and within its bounds. Whether the plugin *may* have what it
/// asks for is for the host's guard to say.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "cmd", rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Command<'a> {
    /// Type into a pane.
    SendInput(SendInput<'a>),
    /// Start a pane's program again.
    Relaunch(Relaunch<'a>),
    /// Show what is being waited for.
    Status(Status<'a>),
    /// Ask to watch the pane that a token came from.
    WatchPane(WatchPane),
    /// Ask for a person.
    Attention(Attention),
    /// Write to the host's log.
    Log(Log<'a>),
}

/// Types `data` into a live, idle pane (PLG-501).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct SendInput<'a> {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process the decision was made about.
    pub generation: PaneGeneration,
    /// What to type.
    pub data: PaneInput<'a>,
}

/// Runs an exited pane's own launch command again, with these arguments appended (PLG-502).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Relaunch<'a> {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process that exited.
    pub generation: PaneGeneration,
    /// Arguments to append; may be empty. Which ones pass is up to the host's user.
    pub resume_args: Vec<Cow<'a, str>>,
}

/// Reports what the plugin is doing about a pane; shown to people as it comes (PLG-503).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Status<'a> {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process the report is about.
    pub generation: PaneGeneration,
    /// A short word of the plugin's own; no host interprets it. `cancelled` is reserved (PLG-806).
    pub state: Cow<'a, str>,
    /// A short sentence for people. Absent and `null` mean the same.
    pub detail: Option<Cow<'a, str>>,
    /// When the wait ends, in Unix seconds. Absent and `null` mean that nobody knows.
    pub deadline_epoch: Option<UnixSeconds>,
    /// Attempts made so far.
    pub attempt: u32,
}

/// Asks to watch the pane whose environment holds this token (PLG-504).
///
/// Carries no generation: a plugin cannot know which spawn it is until the `pane_opened` that
/// answers says so.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct WatchPane {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
}

/// Asks for a person to look at a pane. Carries no text (PLG-505).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Attention {
    /// Contract version.
    pub v: Version,
    /// The pane.
    pub token: PaneToken,
    /// The process it is about.
    pub generation: PaneGeneration,
}

/// Writes a line to the host's log (PLG-506).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Log<'a> {
    /// Contract version.
    pub v: Version,
    /// How much it matters.
    pub level: Level,
    /// The text.
    pub message: Cow<'a, str>,
}

/// How much a log line matters; a closed set in lower case (PLG-408).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Level {
    /// Something failed.
    Error,
    /// Something looks wrong.
    Warn,
    /// Worth knowing.
    Info,
    /// For whoever debugs the plugin.
    Debug,
}

/// The kinds of command, as the tag `cmd` names them (PLG-303).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// `send_input`
    SendInput,
    /// `relaunch`
    Relaunch,
    /// `status`
    Status,
    /// `watch_pane`
    WatchPane,
    /// `attention`
    Attention,
    /// `log`
    Log,
}

impl CommandKind {
    /// Every kind, in the order of the specification.
    pub const ALL: [Self; 6] = [
        Self::SendInput,
        Self::Relaunch,
        Self::Status,
        Self::WatchPane,
        Self::Attention,
        Self::Log,
    ];

    /// The tag on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SendInput => "send_input",
            Self::Relaunch => "relaunch",
            Self::Status => "status",
            Self::WatchPane => "watch_pane",
            Self::Attention => "attention",
            Self::Log => "log",
        }
    }

    /// The kind that a tag names exactly.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        match tag {
            "send_input" => Some(Self::SendInput),
            "relaunch" => Some(Self::Relaunch),
            "status" => Some(Self::Status),
            "watch_pane" => Some(Self::WatchPane),
            "attention" => Some(Self::Attention),
            "log" => Some(Self::Log),
            _ => None,
        }
    }
}

impl Command<'_> {
    /// Which kind of command this is.
    #[must_use]
    pub const fn kind(&self) -> CommandKind {
        match self {
            Self::SendInput(_) => CommandKind::SendInput,
            Self::Relaunch(_) => CommandKind::Relaunch,
            Self::Status(_) => CommandKind::Status,
            Self::WatchPane(_) => CommandKind::WatchPane,
            Self::Attention(_) => CommandKind::Attention,
            Self::Log(_) => CommandKind::Log,
        }
    }

    /// The pane it is about; `log` is about none.
    #[must_use]
    pub const fn token(&self) -> Option<PaneToken> {
        match self {
            Self::SendInput(SendInput { token, .. })
            | Self::Relaunch(Relaunch { token, .. })
            | Self::Status(Status { token, .. })
            | Self::WatchPane(WatchPane { token, .. })
            | Self::Attention(Attention { token, .. }) => Some(*token),
            Self::Log(_) => None,
        }
    }

    /// The process it was decided about; `watch_pane` and `log` name none.
    #[must_use]
    pub const fn generation(&self) -> Option<PaneGeneration> {
        match self {
            Self::SendInput(SendInput { generation, .. })
            | Self::Relaunch(Relaunch { generation, .. })
            | Self::Status(Status { generation, .. })
            | Self::Attention(Attention { generation, .. }) => Some(*generation),
            Self::WatchPane(_) | Self::Log(_) => None,
        }
    }

    /// The same command without a borrow of the line it came from.
    #[must_use]
    pub fn into_owned(self) -> Command<'static> {
        match self {
            Self::SendInput(SendInput {
                v,
                token,
                generation,
                data,
            }) => Command::SendInput(SendInput {
                v,
                token,
                generation,
                data: data.into_owned(),
            }),
            Self::Relaunch(Relaunch {
                v,
                token,
                generation,
                resume_args,
            }) => {
                let resume_args = resume_args.into_iter().map(owned).collect();
                Command::Relaunch(Relaunch {
                    v,
                    token,
                    generation,
                    resume_args,
                })
            }
            Self::Status(Status {
                v,
                token,
                generation,
                state,
                detail,
                deadline_epoch,
                attempt,
            }) => {
                let (state, detail) = (owned(state), detail.map(owned));
                Command::Status(Status {
                    v,
                    token,
                    generation,
                    state,
                    detail,
                    deadline_epoch,
                    attempt,
                })
            }
            Self::WatchPane(watch) => Command::WatchPane(watch),
            Self::Attention(attention) => Command::Attention(attention),
            Self::Log(Log { v, level, message }) => Command::Log(Log {
                v,
                level,
                message: owned(message),
            }),
        }
    }
}

impl<'a> SendInput<'a> {
    /// Types `data` into the pane.
    #[must_use]
    pub const fn new(token: PaneToken, generation: PaneGeneration, data: PaneInput<'a>) -> Self {
        Self {
            v: Version,
            token,
            generation,
            data,
        }
    }
}

impl<'a> Relaunch<'a> {
    /// Runs the pane's launch command again with `resume_args` appended.
    #[must_use]
    pub const fn new(
        token: PaneToken,
        generation: PaneGeneration,
        resume_args: Vec<Cow<'a, str>>,
    ) -> Self {
        Self {
            v: Version,
            token,
            generation,
            resume_args,
        }
    }
}

impl<'a> Status<'a> {
    /// A report of a state alone: no detail, no deadline, no attempt made.
    #[must_use]
    pub fn new(
        token: PaneToken,
        generation: PaneGeneration,
        state: impl Into<Cow<'a, str>>,
    ) -> Self {
        let state = state.into();
        Self {
            v: Version,
            token,
            generation,
            state,
            detail: None,
            deadline_epoch: None,
            attempt: 0,
        }
    }
}

impl WatchPane {
    /// Asks for the pane that `token` came from.
    #[must_use]
    pub const fn new(token: PaneToken) -> Self {
        Self { v: Version, token }
    }
}

impl Attention {
    /// Asks for a person to look at the pane.
    #[must_use]
    pub const fn new(token: PaneToken, generation: PaneGeneration) -> Self {
        Self {
            v: Version,
            token,
            generation,
        }
    }
}

impl<'a> Log<'a> {
    /// A line for the host's log.
    #[must_use]
    pub fn new(level: Level, message: impl Into<Cow<'a, str>>) -> Self {
        Self {
            v: Version,
            level,
            message: message.into(),
        }
    }
}

wraps!(Command:
    SendInput(SendInput<'a>),
    Relaunch(Relaunch<'a>),
    Status(Status<'a>),
    WatchPane(WatchPane),
    Attention(Attention),
    Log(Log<'a>),
);
