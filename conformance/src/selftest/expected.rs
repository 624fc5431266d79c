use std::collections::BTreeSet;

use crate::checks::{Check, Role};

/// A check, as the self-test knows it.
pub(super) type Key = (Role, &'static str);

/// A faulty subject and what is expected of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected {
    /// The name of its file, or of a behaviour that is built into the runner.
    pub(super) name: String,
    /// The checks that it fails, and no other.
    pub(super) fails: BTreeSet<Key>,
    /// Whether the checks that take long are put to it even where it does not fail them.
    pub(super) is_heavy: bool,
    /// Whether it hears signals, as the example plugins do.
    pub(super) hears_signals: bool,
}

/// Reads lines that each name a subject, the checks that it fails, and marks. `#` begins a comment.
///
/// A check is named by its id; `commands:` or `events:` before it means the decoder of one direction.
///
/// # Errors
/// The first line that is wrong, with its number.
pub(super) fn read(text: &str, checks: &[&'static Check]) -> Result<Vec<Expected>, String> {
    let mut subjects: Vec<Expected> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut words = line
            .split('#')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let Some(name) = words.next() else { continue };
        if subjects.iter().any(|other| other.name == name) {
            return Err(format!("line {number}: `{name}` is here twice"));
        }
        let mut expected = Expected {
            name: name.to_owned(),
            fails: BTreeSet::new(),
            is_heavy: false,
            hears_signals: false,
        };
        for word in words {
            match word {
                "+heavy" => expected.is_heavy = true,
                "+signals" => expected.hears_signals = true,
                _ => {
                    let named = named(word, checks);
                    if named.is_empty() {
                        return Err(format!(
                            "line {number}: `{word}` is neither a check nor a mark"
                        ));
                    }
                    expected.fails.extend(named);
                }
            }
        }
        subjects.push(expected);
    }
    Ok(subjects)
}

/// The checks that a word names.
fn named(word: &str, checks: &[&'static Check]) -> Vec<Key> {
    let keys = checks.iter().map(|check| (check.role, check.id));
    keys.filter(|key| key.1 == word || shown(*key) == word)
        .collect()
}

/// What a check is called.
pub(super) fn shown((role, id): Key) -> String {
    match role.direction() {
        None => id.to_owned(),
        Some(direction) => format!("{}:{id}", direction.argument()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;

    fn all() -> Vec<&'static Check> {
        checks::all().collect()
    }

    #[test]
    fn a_line_names_a_subject_its_failures_and_marks() {
        let text =
            "# All of them.\n\na.py  LIF-001 +heavy # so\nb.py\nc.py events:FRM-002 +signals\n";
        let subjects = read(text, &all()).unwrap();
        let names: Vec<_> = subjects.iter().map(|subject| &subject.name).collect();
        assert_eq!(names, ["a.py", "b.py", "c.py"]);
        assert_eq!(subjects[0].fails, [(Role::Plugin, "LIF-001")].into());
        assert!(subjects[0].is_heavy && !subjects[0].hears_signals);
        assert!(subjects[1].fails.is_empty());
        assert_eq!(subjects[2].fails, [(Role::EventDecoder, "FRM-002")].into());
        assert!(subjects[2].hears_signals);
    }

    #[test]
    fn a_bare_id_means_both_directions() {
        let both = read("a.py FRM-002", &all()).unwrap().remove(0).fails;
        let roles: Vec<_> = both.into_iter().map(|(role, _)| role).collect();
        assert_eq!(roles, [Role::CommandDecoder, Role::EventDecoder]);
    }

    #[test]
    fn what_means_nothing_is_said() {
        let wrong = read("a.py\nb.py LIF-999\n", &all()).unwrap_err();
        assert_eq!(wrong, "line 2: `LIF-999` is neither a check nor a mark");
        assert!(read("a.py\na.py\n", &all()).unwrap_err().contains("twice"));
    }
}
