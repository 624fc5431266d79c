use std::collections::BTreeMap;

use crate::checks::{Check, Role, Tier};
use crate::outcome::Reason;

/// A check, as the self-test knows it.
pub(super) type Key = (Role, &'static str);

/// A faulty subject and what is expected of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected {
    /// The name of its file, or of a behaviour that is built into the runner.
    pub(super) name: String,
    /// The checks that it fails, and no other, with the reason where that is said.
    pub(super) fails: BTreeMap<Key, Option<Reason>>,
    pub(super) marks: Marks,
}

impl Expected {
    /// What it is called: somebody may be tried twice, with and without his refusal codes being judged.
    pub(super) fn shown(&self) -> String {
        match self.marks.says_codes {
            true => format!("{} +codes", self.name),
            false => self.name.clone(),
        }
    }
}

/// What is special about a subject.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The checks that take long are put to it even where it does not fail them.
    pub(super) is_heavy: bool,
    /// It hears signals, as the example plugins do.
    pub(super) hears_signals: bool,
    /// It is not worth waiting for.
    pub(super) hangs: bool,
    /// It decodes events too.
    pub(super) reads_events: bool,
    /// It says the contract's own refusal codes.
    pub(super) says_codes: bool,
}

/// Reads a data file. A line names a subject, marks, and checks that it fails; indented lines below it
/// name a direction, a reason and the checks that it fails for that reason, `*` for all that do not
/// take long. `#` begins a comment.
///
/// # Errors
/// The first line that is wrong, with its number.
pub(super) fn read(text: &str, checks: &[&'static Check]) -> Result<Vec<Expected>, String> {
    let mut subjects: Vec<Expected> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: String| format!("line {}: {what}", index + 1);
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [first, ..] if !line.starts_with([' ', '\t']) => {
                let subject = subject(&words, checks).map_err(wrong)?;
                if subjects
                    .iter()
                    .any(|other| other.shown() == subject.shown())
                {
                    return Err(wrong(format!("`{first}` is here twice")));
                }
                subjects.push(subject);
            }
            [direction, reason, ref ids @ ..] => {
                let subject = subjects
                    .last_mut()
                    .ok_or_else(|| wrong("there is no subject yet".to_owned()))?;
                let failures = failures(direction, reason, ids, checks).map_err(wrong)?;
                subject.fails.extend(failures);
            }
            [_] => return Err(wrong("a reason and checks are missing".to_owned())),
        }
    }
    Ok(subjects)
}

/// A subject, its marks, and the checks that it fails for whatever reason.
fn subject(words: &[&str], checks: &[&'static Check]) -> Result<Expected, String> {
    let mut subject = Expected {
        name: words[0].to_owned(),
        fails: BTreeMap::new(),
        marks: Marks::default(),
    };
    for word in &words[1..] {
        match *word {
            "+heavy" => subject.marks.is_heavy = true,
            "+signals" => subject.marks.hears_signals = true,
            "+hangs" => subject.marks.hangs = true,
            "+events" => subject.marks.reads_events = true,
            "+codes" => subject.marks.says_codes = true,
            id => {
                let check = checks.iter().find(|check| check.id == id);
                let check = check.ok_or_else(|| format!("`{id}` is neither a check nor a mark"))?;
                subject.fails.insert((check.role, check.id), None);
            }
        }
    }
    Ok(subject)
}

/// Checks of a direction that are failed for a reason.
fn failures(
    direction: &str,
    reason: &str,
    ids: &[&str],
    checks: &[&'static Check],
) -> Result<Vec<(Key, Option<Reason>)>, String> {
    let known = Reason::ALL.iter().find(|known| known.as_str() == reason);
    let reason = known.ok_or_else(|| format!("`{reason}` is no reason"))?;
    let of_direction = |check: &&&'static Check| {
        let of = check.role.direction();
        of.is_some_and(|of| of.argument() == direction)
    };
    let checks: Vec<_> = checks.iter().filter(of_direction).collect();
    let mut failures = Vec::new();
    for id in ids {
        let is_meant = |check: &&&&'static Check| match *id {
            "*" => check.tier == Tier::Core,
            id => check.id == id,
        };
        let meant: Vec<_> = checks.iter().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(format!("`{id}` is no check of {direction}"));
        }
        failures.extend(
            meant
                .iter()
                .map(|check| ((check.role, check.id), Some(*reason))),
        );
    }
    Ok(failures)
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
        let text = "# All of them.\n\na.py  LIF-001 +heavy # so\nb.py\nc.py +signals +codes\n";
        let subjects = read(text, &all()).unwrap();
        let names: Vec<_> = subjects.iter().map(|subject| &subject.name).collect();
        assert_eq!(names, ["a.py", "b.py", "c.py"]);
        assert_eq!(
            subjects[0].fails,
            [((Role::Plugin, "LIF-001"), None)].into()
        );
        assert!(subjects[0].marks.is_heavy && !subjects[0].marks.hears_signals);
        assert_eq!(subjects[1].marks, Marks::default());
        assert!(subjects[2].marks.hears_signals && subjects[2].marks.says_codes);
    }

    #[test]
    fn lines_below_name_directions_and_reasons() {
        let text = "a.py +events\n  commands wrong_value FRM-002 FRM-003\n  events crashed *\n";
        let subject = read(text, &all()).unwrap().remove(0);
        assert!(subject.marks.reads_events);
        let wrong_value = Some(Reason::WrongValue);
        assert_eq!(
            subject.fails[&(Role::CommandDecoder, "FRM-002")],
            wrong_value
        );
        let crashed = subject.fails.iter().filter(|(key, reason)| {
            key.0 == Role::EventDecoder && **reason == Some(Reason::Crashed)
        });
        let core = checks::of(Role::EventDecoder)
            .iter()
            .filter(|check| check.tier == Tier::Core);
        assert_eq!(crashed.count(), core.count());
    }

    #[test]
    fn what_means_nothing_is_said() {
        let complaint = |text: &str| read(text, &all()).unwrap_err();
        assert_eq!(
            complaint("a.py\nb.py LIF-999\n"),
            "line 2: `LIF-999` is neither a check nor a mark"
        );
        assert!(complaint("a.py\na.py\n").contains("twice"));
        assert!(complaint("  commands crashed *\n").contains("no subject yet"));
        assert!(complaint("a.py\n  commands meh FRM-002\n").contains("no reason"));
        assert!(complaint("a.py\n  commands crashed LIF-001\n").contains("no check of commands"));
        assert!(complaint("a.py\n  commands\n").contains("are missing"));
    }
}
