//! The decoder and an independent one agree on what is refused, why, and what a message says.

use nightcrow_protocol::{LineFramer, Refusal};

use crate::reference::{self, Refused, Verdict};
use crate::subject::{Commands, Direction, Events};
use crate::verdict;

/// Puts the line to both, in both directions.
pub fn check(line: &[u8]) {
    agree::<Commands>(line);
    agree::<Events>(line);
    agree_at_end_of_stream(line);
    verdict::quotes_nothing::<Commands>(line);
}

fn agree<D: Direction>(line: &[u8]) {
    let (tag, theirs) = (D::TABLE.tag, reference::judge(&D::TABLE, line));
    assert_eq!(
        ours::<D>(D::decode(line)),
        theirs,
        "right: reference, by `{tag}`"
    );
}

/// The same bytes as a command that the stream left without a terminator.
fn agree_at_end_of_stream(stream: &[u8]) {
    let mut framer = LineFramer::new();
    let ends_before = framer.next_line(&mut { stream }).is_some();
    let Some(line) = framer.finish().filter(|_| !ends_before) else {
        return;
    };
    let theirs = reference::judge(&Commands::TABLE, stream).at_end_of_stream();
    assert_eq!(
        ours::<Commands>(line.decode_command()),
        theirs,
        "right: reference, at the end"
    );
}

fn ours<D: Direction>(decoded: Result<Option<D::Message<'_>>, Refusal>) -> Verdict {
    match decoded {
        Ok(None) => Verdict::Blank,
        Ok(Some(message)) => {
            let message = serde_json::to_value(&message);
            Verdict::Message(message.expect("messages are JSON"))
        }
        Err(refusal) => Verdict::Refused(Refused {
            code: refusal.code().as_str(),
            member: refusal.member(),
        }),
    }
}
