use std::io::{self, Write};

use super::Outcomes;
use super::expected::{self, Key};
use super::tried::{Seen, Tried};

/// Writes a table: a line for each subject, a column for each check.
///
/// # Errors
/// If it cannot be written.
pub fn write(outcomes: &Outcomes, to: &mut impl Write) -> io::Result<()> {
    let keys: Vec<Key> = outcomes
        .checks
        .iter()
        .map(|check| (check.role, check.id))
        .collect();
    let names = outcomes.tried.iter().map(|tried| tried.name().len());
    let width = names.max().unwrap_or(0);
    writeln!(
        to,
        "x caught as expected   ! caught unexpectedly   o missed   . not failed   - not exercised   blank: not put\n"
    )?;
    for line in heading(&keys) {
        writeln!(to, "{:width$}  {line}", "")?;
    }
    for tried in &outcomes.tried {
        let cells: String = keys.iter().map(|key| cell(tried, *key)).collect();
        writeln!(to, "{:width$}  {}", tried.name(), cells.trim_end())?;
    }
    writeln!(to)?;
    let caught = |key: &Key| {
        let by = outcomes
            .tried
            .iter()
            .filter(|tried| tried.failed().contains(key));
        by.count()
    };
    for key in &keys {
        writeln!(
            to,
            "{:width$}  caught {}",
            expected::shown(*key),
            caught(key)
        )?;
    }
    Ok(())
}

/// The names of the checks, written downwards.
fn heading(keys: &[Key]) -> Vec<String> {
    let names: Vec<Vec<char>> = keys
        .iter()
        .map(|key| expected::shown(*key).chars().collect())
        .collect();
    let height = names.iter().map(Vec::len).max().unwrap_or(0);
    let line = |row: usize| {
        let letters = names.iter().map(|name| {
            // They end at the table.
            let above = height - name.len();
            let letter = row.checked_sub(above).and_then(|index| name.get(index));
            letter.copied().unwrap_or(' ')
        });
        letters.collect::<String>().trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

fn cell(tried: &Tried, key: Key) -> char {
    let is_expected = tried.expected.fails.contains_key(&key);
    match tried.seen.get(&key) {
        None => ' ',
        Some(Seen::Failed(_)) if is_expected => 'x',
        Some(Seen::Failed(_) | Seen::Erred) => '!',
        Some(Seen::NotExercised | Seen::Fine) if is_expected => 'o',
        Some(Seen::NotExercised) => '-',
        Some(Seen::Fine) => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::Role;

    #[test]
    fn headings_end_at_the_table() {
        let keys = [(Role::Plugin, "LIF-001"), (Role::EventDecoder, "FRM-002")];
        let lines = heading(&keys);
        assert_eq!(lines.len(), "events:FRM-002".len());
        assert_eq!(lines[0], " e");
        assert_eq!(lines[13], "12");
    }
}
