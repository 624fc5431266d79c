use std::fmt;

use crate::json::Expected;
use crate::limits::{MAX_INPUT_BYTES, MAX_LINE_BYTES, PROTOCOL_VERSION};

/// Why a line did not become a message: the closed list of the contract, in the order in which a
/// receiver checks (PLG-305).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefusalCode {
    /// More than 65,536 bytes without the terminator.
    LineTooLong,
    /// Not valid UTF-8.
    NotUtf8,
    /// Not exactly one JSON value.
    NotJson,
    /// JSON, but not an object.
    NotAnObject,
    /// Two members of the object have the same name.
    DuplicateMember,
    /// A well-formed `v` of another version.
    VersionMismatch,
    /// A tag that names no message of this direction.
    UnknownKind,
    /// A required member is absent.
    MissingMember,
    /// A member has the wrong type or a value outside its range.
    InvalidMember,
    /// `send_input.data` over 8,192 bytes.
    InputTooLarge,
    /// The stream ended inside a line.
    Truncated,
}

impl RefusalCode {
    /// Every code.
    pub const ALL: [Self; 11] = [
        Self::LineTooLong,
        Self::NotUtf8,
        Self::NotJson,
        Self::NotAnObject,
        Self::DuplicateMember,
        Self::VersionMismatch,
        Self::UnknownKind,
        Self::MissingMember,
        Self::InvalidMember,
        Self::InputTooLarge,
        Self::Truncated,
    ];

    /// The code as the specification spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LineTooLong => "line_too_long",
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::NotAnObject => "not_an_object",
            Self::DuplicateMember => "duplicate_member",
            Self::VersionMismatch => "version_mismatch",
            Self::UnknownKind => "unknown_kind",
            Self::MissingMember => "missing_member",
            Self::InvalidMember => "invalid_member",
            Self::InputTooLarge => "input_too_large",
            Self::Truncated => "truncated",
        }
    }
}

impl fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A line that is not a message: why, and where it was noticed.
///
/// Its `Display` is a sentence for the log. It names members of the contract but never quotes what
/// the line held, except the version number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} at byte {offset}: {reason}", reason.code())]
pub struct Refusal {
    reason: Reason,
    offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    #[error("a line holds at most {MAX_LINE_BYTES} bytes; the rest of it is skipped")]
    LineTooLong,
    #[error("the line is not UTF-8 from here on")]
    NotUtf8,
    #[error("expected {expected}")]
    NotJson { expected: Expected },
    #[error("a message is a JSON object")]
    NotAnObject,
    #[error("{} stands twice in the object", named(*.member))]
    DuplicateMember { member: Option<&'static str> },
    #[error("this side speaks version {PROTOCOL_VERSION}, the line says {theirs}")]
    VersionMismatch { theirs: u32 },
    #[error("`{tag}` names no message that may come this way")]
    UnknownKind { tag: &'static str },
    #[error("`{member}` is missing")]
    MissingMember { member: &'static str },
    #[error("`{member}` must be {expected}")]
    InvalidMember {
        member: &'static str,
        expected: &'static str,
    },
    #[error("`data` holds {bytes} bytes; at most {MAX_INPUT_BYTES} are allowed")]
    InputTooLarge { bytes: usize },
    #[error("the stream ended before the line did")]
    Truncated,
}

fn named(member: Option<&'static str>) -> String {
    member.map_or_else(
        || "a member that this version does not know".to_owned(),
        |name| format!("`{name}`"),
    )
}

impl Reason {
    pub(crate) const fn at(self, offset: usize) -> Refusal {
        Refusal {
            reason: self,
            offset,
        }
    }

    const fn code(self) -> RefusalCode {
        match self {
            Self::LineTooLong => RefusalCode::LineTooLong,
            Self::NotUtf8 => RefusalCode::NotUtf8,
            Self::NotJson { .. } => RefusalCode::NotJson,
            Self::NotAnObject => RefusalCode::NotAnObject,
            Self::DuplicateMember { .. } => RefusalCode::DuplicateMember,
            Self::VersionMismatch { .. } => RefusalCode::VersionMismatch,
            Self::UnknownKind { .. } => RefusalCode::UnknownKind,
            Self::MissingMember { .. } => RefusalCode::MissingMember,
            Self::InvalidMember { .. } => RefusalCode::InvalidMember,
            Self::InputTooLarge { .. } => RefusalCode::InputTooLarge,
            Self::Truncated => RefusalCode::Truncated,
        }
    }
}

impl Refusal {
    /// Which rule the line broke first.
    #[must_use]
    pub const fn code(&self) -> RefusalCode {
        self.reason.code()
    }

    /// The byte of the line at which it was noticed: the first one over the limit, the first that is
    /// not UTF-8 or not JSON, the second of two equal names, the value of the member in question, or
    /// the closing brace where a member is missing.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The member of the contract in question, if the code is about one.
    #[must_use]
    pub const fn member(&self) -> Option<&'static str> {
        match self.reason {
            Reason::DuplicateMember { member } => member,
            Reason::VersionMismatch { .. } => Some("v"),
            Reason::InputTooLarge { .. } => Some("data"),
            Reason::UnknownKind { tag: member }
            | Reason::MissingMember { member }
            | Reason::InvalidMember { member, .. } => Some(member),
            Reason::LineTooLong
            | Reason::NotUtf8
            | Reason::NotJson { .. }
            | Reason::NotAnObject
            | Reason::Truncated => None,
        }
    }

    /// The same refusal for a line that end of stream cut: what is not whole JSON there was
    /// truncated (PLG-107).
    pub(crate) const fn at_end_of_stream(self) -> Self {
        match self.reason {
            Reason::NotJson { .. } | Reason::NotUtf8 => Reason::Truncated.at(self.offset),
            _ => self,
        }
    }
}
