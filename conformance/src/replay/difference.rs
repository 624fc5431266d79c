use std::fmt::Write;
use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use crate::lint::without_tokens;

/// For how long the shortest difference is looked for; after that, any will do.
const LONG_ENOUGH: Duration = Duration::from_secs(5);

/// How many equal lines are shown round a difference.
const CONTEXT: usize = 3;

/// In what two outputs differ, as a unified diff of their lines in printable ASCII, tokens cut short;
/// `None` if they are the same. Blank lines do not count.
#[must_use]
pub fn difference(recorded: &[u8], replayed: &[u8]) -> Option<String> {
    let (old, new) = (lines(recorded), lines(replayed));
    if old == new {
        return None;
    }
    let until = Instant::now() + LONG_ENOUGH;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(until));
    let mut diff = "--- recorded\n+++ replayed\n".to_owned();
    for group in group_diff_ops(ops, CONTEXT) {
        let _ = writeln!(diff, "{}", heading(&group));
        for op in group {
            for change in op.iter_changes(&old, &new) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                let _ = writeln!(diff, "{sign}{}", without_tokens(change.value()));
            }
        }
    }
    Some(diff)
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.trim_ascii().is_empty()).collect()
}

fn heading(group: &[DiffOp]) -> String {
    let range = |of: fn(&DiffOp) -> std::ops::Range<usize>| {
        let from = group.first().map_or(0, |op| of(op).start);
        let to = group.last().map_or(0, |op| of(op).end);
        match to - from {
            0 => format!("{from},0"),
            length => format!("{},{length}", from + 1),
        }
    };
    let (old, new) = (range(DiffOp::old_range), range(DiffOp::new_range));
    format!("@@ -{old} +{new} @@")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_lines_do_not_differ() {
        assert_eq!(difference(b"a\nb\n", b"a\n\nb\n"), None);
        assert_eq!(difference(b"", b"\r\n"), None);
    }

    #[test]
    fn shows_what_differs_and_no_token() {
        let line = |token: &str| format!("{{\"token\":\"{token}\",\"x\":\"\x1b\"}}\n");
        let old = format!("1\n2\n3\n4\n{}", line("abcdefgh-1"));
        let new = format!("1\n2\n3\n4\n{}", line("abcdefgh-2"));
        assert_eq!(
            difference(old.as_bytes(), new.as_bytes()).unwrap(),
            "--- recorded\n+++ replayed\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-{\"token\":\"abcdef*\",\"x\":\"\\x1b\"}\n+{\"token\":\"abcdef*\",\"x\":\"\\x1b\"}\n"
        );
        let nothing = difference(b"a\n", b"").unwrap();
        assert!(nothing.contains("@@ -1,1 +0,0 @@\n-a\n"), "{nothing}");
    }
}
