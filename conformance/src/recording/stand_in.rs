use nightcrow_protocol::limits::{MAX_INPUT_BYTES, MAX_LINE_BYTES};
use nightcrow_protocol::{Refusal, RefusalCode};

use crate::traffic::Direction;

/// A line that is refused with the same code as one of which only the length may be told.
///
/// It has the same length, unless that was over the limit: then it is just over the limit. What begins as
/// an object still does.
pub(super) fn stand_in(refusal: Refusal, direction: Direction, original: &[u8]) -> Vec<u8> {
    let length = original.len();
    let tag = match direction {
        Direction::In => "event",
        Direction::Out => "cmd",
    };
    let line = match refusal.code() {
        RefusalCode::LineTooLong => return vec![b'x'; MAX_LINE_BYTES + 1],
        RefusalCode::NotUtf8 => return vec![0xff; length],
        RefusalCode::NotJson | RefusalCode::Truncated => {
            let head = original.iter().take(1).filter(|byte| **byte == b'{');
            let mut line: Vec<u8> = head.copied().collect();
            line.resize(length, b'x');
            return line;
        }
        RefusalCode::NotAnObject => "0".to_owned(),
        RefusalCode::DuplicateMember => r#"{"":0,"":0}"#.to_owned(),
        RefusalCode::VersionMismatch => r#"{"v":4}"#.to_owned(),
        RefusalCode::UnknownKind => format!(r#"{{"v":3,"{tag}":""}}"#),
        RefusalCode::MissingMember => "{}".to_owned(),
        RefusalCode::InvalidMember => r#"{"v":-3}"#.to_owned(),
        RefusalCode::InputTooLarge => format!(
            r#"{{"cmd":"send_input","v":3,"token":"redacted","generation":1,"data":"{}"}}"#,
            "x".repeat(MAX_INPUT_BYTES + 1)
        ),
    };
    let mut line = line.into_bytes();
    line.resize(length.max(line.len()), b' ');
    line
}

#[cfg(test)]
mod tests {
    use nightcrow_protocol::{LineFramer, decode_command, decode_event};

    use super::*;

    /// One line for each code, the shortest that there is.
    const REFUSED: [(&[u8], RefusalCode); 9] = [
        (b"\xff", RefusalCode::NotUtf8),
        (b"{", RefusalCode::NotJson),
        (b"0", RefusalCode::NotAnObject),
        (br#"{"":0,"":0}"#, RefusalCode::DuplicateMember),
        (br#"{"v":2}"#, RefusalCode::VersionMismatch),
        (br#"{"v":3,"cmd":"","event":""}"#, RefusalCode::UnknownKind),
        (b"{}", RefusalCode::MissingMember),
        (br#"{"v":-1}"#, RefusalCode::InvalidMember),
        (
            br#"{"v":3,"cmd":0,"event":0,"zz":"00112233"}"#,
            RefusalCode::InvalidMember,
        ),
    ];

    fn code(direction: Direction, line: &[u8]) -> Refusal {
        match direction {
            Direction::In => decode_event(line).unwrap_err(),
            Direction::Out => decode_command(line).unwrap_err(),
        }
    }

    #[test]
    fn is_refused_for_the_same_reason_and_as_long() {
        for direction in [Direction::In, Direction::Out] {
            for (line, expected) in REFUSED {
                let refusal = code(direction, line);
                assert_eq!(refusal.code(), expected);
                let stand_in = stand_in(refusal, direction, line);
                assert_eq!(code(direction, &stand_in).code(), expected);
                assert_eq!(stand_in.len(), line.len(), "{expected}");
            }
        }
    }

    #[test]
    fn stands_in_for_what_is_too_large() {
        let long = vec![b' '; MAX_LINE_BYTES + 1];
        let refusal = decode_command(&long).unwrap_err();
        let line = stand_in(refusal, Direction::Out, b"");
        assert_eq!(code(Direction::Out, &line).code(), RefusalCode::LineTooLong);

        let data = "y".repeat(MAX_INPUT_BYTES + 1);
        let input =
            format!(r#"{{"cmd":"send_input","v":3,"token":"a","generation":1,"data":"{data}"}}"#);
        let refusal = decode_command(input.as_bytes()).unwrap_err();
        let line = stand_in(refusal, Direction::Out, input.as_bytes());
        assert_eq!(
            code(Direction::Out, &line).code(),
            RefusalCode::InputTooLarge
        );

        let mut framer = LineFramer::new();
        assert!(framer.next_line(&mut &b"{\"cm"[..]).is_none());
        let refusal = framer.finish().unwrap().decode_command().unwrap_err();
        assert_eq!(refusal.code(), RefusalCode::Truncated);
        assert_eq!(stand_in(refusal, Direction::Out, b"{\"cm"), b"{xxx");
    }
}
