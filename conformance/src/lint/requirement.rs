use nightcrow_protocol::{Refusal, RefusalCode};

use crate::traffic::{Direction, HeardLine};

/// The requirement that a refused line breaks: that of its sender, where there is one.
pub(super) fn of(refusal: Refusal, line: &HeardLine<'_>) -> &'static str {
    const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
    match refusal.code() {
        RefusalCode::LineTooLong => "PLG-111",
        RefusalCode::NotUtf8 => "PLG-201",
        RefusalCode::NotJson if line.bytes.starts_with(BYTE_ORDER_MARK) => "PLG-110",
        // What does not even begin as an object was printed, not sent.
        RefusalCode::NotJson if line.direction == Direction::Out && !is_like_an_object(line) => {
            "PLG-701"
        }
        RefusalCode::NotJson => "PLG-202",
        RefusalCode::NotAnObject => "PLG-208",
        RefusalCode::DuplicateMember => "PLG-209",
        RefusalCode::VersionMismatch => "PLG-301",
        RefusalCode::UnknownKind if line.direction == Direction::In => "PLG-711",
        RefusalCode::UnknownKind => "PLG-303",
        RefusalCode::MissingMember => missing(refusal.member()),
        RefusalCode::InvalidMember => invalid(refusal.member()),
        RefusalCode::InputTooLarge => "PLG-407",
        RefusalCode::Truncated => "PLG-110",
    }
}

fn is_like_an_object(line: &HeardLine<'_>) -> bool {
    line.bytes.trim_ascii_start().starts_with(b"{")
}

fn missing(member: Option<&str>) -> &'static str {
    match member {
        Some("v") => "PLG-301",
        Some("cmd" | "event") => "PLG-303",
        _ => "PLG-306",
    }
}

fn invalid(member: Option<&str>) -> &'static str {
    match member {
        Some("v") => "PLG-302",
        Some("cmd" | "event") => "PLG-303",
        Some("token") => "PLG-401",
        Some("generation") => "PLG-402",
        Some("deadline_epoch") => "PLG-404",
        Some("attempt") => "PLG-405",
        Some("idle_ms") => "PLG-406",
        Some("data") => "PLG-407",
        Some("level") => "PLG-408",
        Some("resume_args") => "PLG-410",
        _ => "PLG-409",
    }
}
