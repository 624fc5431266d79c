//! Which checks a run is about.

use std::path::PathBuf;

use crate::checks::{self, Check, Level, Role, Tier};
use crate::spec::{self, Origin};

/// What the user asked for.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Run only what one of these matches; everything if there are none.
    pub only: Vec<String>,
    /// Run nothing that one of these matches.
    pub skip: Vec<String>,
    /// Run nothing that matters less.
    pub level: Option<Level>,
    /// Run only checks of requirements with this origin.
    pub origin: Option<Origin>,
    /// Run nothing that belongs to a later tier.
    pub tier: Option<Tier>,
    /// Checks that must be put to the test.
    pub require_exercised: Vec<String>,
}

/// A selection that cannot be meant.
#[derive(Debug, thiserror::Error)]
pub enum BadSelection {
    /// A file of selectors that cannot be read.
    #[error("`@{}` cannot be read: {error}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// A selector that matches only checks of another kind of program.
    #[error("`{0}` is about {1}: `conformance {2}` tests them")]
    OfAnotherRole(String, &'static str, &'static str),
    /// A selector that matches no check, and what may be meant.
    #[error("`{0}` matches no check: {1}")]
    Unmatched(String, &'static str),
    /// No check is left.
    #[error("no check is left: the selectors exclude each other")]
    Nothing,
    /// A check that must be exercised but is not to be run.
    #[error("`{0}` must be exercised but is not selected")]
    RequiredNotSelected(&'static str),
}

impl Selection {
    /// The selected checks of these roles, in the order of the catalogue.
    ///
    /// # Errors
    /// If a selector matches nothing, or nothing is left.
    pub fn checks(&self, roles: &[Role]) -> Result<Vec<&'static Check>, BadSelection> {
        let only = Selectors::read(&self.only, roles)?;
        let skip = Selectors::read(&self.skip, roles)?;
        let selected: Vec<_> = of(roles)
            .filter(|check| self.only.is_empty() || only.matches(check))
            .filter(|check| !skip.matches(check))
            .filter(|check| self.level.is_none_or(|level| check.level >= level))
            .filter(|check| self.tier.is_none_or(|tier| check.tier <= tier))
            .filter(|check| {
                self.origin
                    .is_none_or(|origin| check.requirement().origin == origin)
            })
            .collect();
        if selected.is_empty() {
            return Err(BadSelection::Nothing);
        }
        let selected_ids = |id| selected.iter().any(|check| check.id == id);
        match self
            .required(roles)?
            .into_iter()
            .find(|required| !selected_ids(required.id))
        {
            Some(required) => Err(BadSelection::RequiredNotSelected(required.id)),
            None => Ok(selected),
        }
    }

    /// The checks of these roles that must be put to the test.
    ///
    /// # Errors
    /// If a selector matches nothing.
    pub fn required(&self, roles: &[Role]) -> Result<Vec<&'static Check>, BadSelection> {
        let required = Selectors::read(&self.require_exercised, roles)?;
        Ok(of(roles).filter(|check| required.matches(check)).collect())
    }
}

fn of(roles: &[Role]) -> impl Iterator<Item = &'static Check> {
    roles.iter().flat_map(|role| checks::of(*role)).copied()
}

/// Patterns in which `*` stands for any characters and `?` for one, for ids of checks or of the
/// requirements that they prove.
struct Selectors(Vec<String>);

impl Selectors {
    /// Takes patterns, and `@FILE` for a file with one pattern a line, `#` beginning a comment.
    fn read(written: &[String], roles: &[Role]) -> Result<Self, BadSelection> {
        let mut patterns = Vec::new();
        for word in written {
            let Some(file) = word.strip_prefix('@') else {
                patterns.push(word.clone());
                continue;
            };
            let text = std::fs::read_to_string(file).map_err(|error| BadSelection::Unreadable {
                file: file.into(),
                error,
            })?;
            let lines = text
                .lines()
                .map(|line| line.split('#').next().unwrap_or_default().trim());
            patterns.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
        }
        for pattern in &patterns {
            if !of(roles).any(|check| is_meant(pattern, check)) {
                let other = checks::all().find(|check| is_meant(pattern, check));
                return Err(match other.map(|check| check.role) {
                    Some(role) => BadSelection::OfAnotherRole(
                        pattern.clone(),
                        match role {
                            Role::Plugin => "plugins",
                            Role::CommandDecoder | Role::EventDecoder => "decoders",
                        },
                        role.task(),
                    ),
                    None => BadSelection::Unmatched(pattern.clone(), hint(pattern)),
                });
            }
        }
        Ok(Self(patterns))
    }

    fn matches(&self, check: &Check) -> bool {
        self.0.iter().any(|pattern| is_meant(pattern, check))
    }
}

fn is_meant(pattern: &str, check: &Check) -> bool {
    glob(pattern, check.id) || glob(pattern, check.proves)
}

/// What may be meant by a selector that matches nothing.
fn hint(pattern: &str) -> &'static str {
    if pattern.contains(',') {
        "each selector needs an option of its own, as in `--only FRM-* --only LIF-001`"
    } else if pattern.contains('[') {
        "only `*` and `?` stand for other characters"
    } else if spec::requirement(&pattern.to_ascii_uppercase()).is_some() {
        "it is a requirement that no check proves"
    } else {
        "`conformance list` shows all of them"
    }
}

/// Whether a pattern matches a whole id, in either case of letters.
pub(crate) fn glob(pattern: &str, id: &str) -> bool {
    let mut characters = pattern.chars();
    match characters.next() {
        None => id.is_empty(),
        Some('*') => {
            let rest = characters.as_str();
            (0..=id.len()).any(|skipped| id.is_char_boundary(skipped) && glob(rest, &id[skipped..]))
        }
        Some(wanted) => {
            let mut found = id.chars();
            found
                .next()
                .is_some_and(|letter| wanted == '?' || wanted.eq_ignore_ascii_case(&letter))
                && glob(characters.as_str(), found.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLUGIN: &[Role] = &[Role::Plugin];

    fn ids(selection: &Selection) -> Vec<&'static str> {
        selection
            .checks(PLUGIN)
            .unwrap()
            .iter()
            .map(|check| check.id)
            .collect()
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn everything_by_default() {
        assert_eq!(ids(&Selection::default()).len(), of(PLUGIN).count());
    }

    #[test]
    fn patterns_and_files_choose() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "# framing\nFRM-*  # all of it\n\nver-00?\n").unwrap();
        let only = vec![format!("@{}", file.path().display())];
        let selection = Selection {
            only,
            skip: words(&["*-016"]),
            ..Selection::default()
        };
        assert_eq!(
            ids(&selection),
            ["FRM-017", "FRM-018", "FRM-020", "VER-005", "VER-006"]
        );
    }

    #[test]
    fn a_requirement_stands_for_the_checks_that_prove_it() {
        let selection = Selection {
            only: words(&["plg-701"]),
            ..Selection::default()
        };
        let expected = of(PLUGIN).filter(|check| check.proves == "PLG-701");
        let expected: Vec<_> = expected.map(|check| check.id).collect();
        assert!(!expected.is_empty());
        assert_eq!(ids(&selection), expected);
    }

    #[test]
    fn levels_and_origins_choose() {
        let must = Selection {
            level: Some(Level::Must),
            ..Selection::default()
        };
        assert!(
            must.checks(PLUGIN)
                .unwrap()
                .iter()
                .all(|check| check.level == Level::Must)
        );
        let source = Selection {
            origin: Some(Origin::Source),
            ..Selection::default()
        };
        assert!(
            source
                .checks(PLUGIN)
                .unwrap()
                .iter()
                .all(|check| check.requirement().origin == Origin::Source)
        );
    }

    #[test]
    fn what_matches_nothing_is_a_mistake() {
        let complaint = |selection: Selection| selection.checks(PLUGIN).unwrap_err().to_string();
        let only = |only: &[&str]| Selection {
            only: words(only),
            ..Selection::default()
        };
        assert!(complaint(only(&["FRM-016", "FRM-999"])).starts_with("`FRM-999` matches no check"));
        assert!(complaint(only(&["FRM-016,FRM-017"])).contains("an option of its own"));
        assert!(complaint(only(&["LIF-00[1-3]"])).contains("only `*` and `?`"));
        assert_eq!(
            complaint(only(&["jsn-002"])),
            "`jsn-002` is about decoders: `conformance decode` tests them"
        );
        assert!(
            complaint(only(&["@/no/such/file"])).starts_with("`@/no/such/file` cannot be read")
        );
        let skip = Selection {
            skip: words(&["*"]),
            ..Selection::default()
        };
        assert!(complaint(skip).starts_with("no check is left"));
        let require_exercised = words(&["VER-005"]);
        let required = Selection {
            require_exercised,
            ..only(&["FRM-016"])
        };
        assert_eq!(
            complaint(required),
            "`VER-005` must be exercised but is not selected"
        );
    }
}
