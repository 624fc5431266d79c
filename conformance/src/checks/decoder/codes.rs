//! What the refusal codes of a decoder mean.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use nightcrow_protocol::RefusalCode;

use super::vectors;
use crate::report::escape;

/// How the codes of a decoder are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Codes {
    /// Not at all: only that a line is refused counts.
    #[default]
    Unjudged,
    /// They are the contract's own.
    Contract,
    /// They are the decoder's own: this is what they stand for.
    Translated(BTreeMap<String, RefusalCode>),
}

/// A file of codes that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadCodes {
    /// It cannot be read.
    #[error("the codes `{file}`: {error}", file = shown(file))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// It is no TOML table of strings.
    #[error(
        "the codes {}:{line}:{column}: {what}; a line is written `\"your code\" = \"not_json\"`",
        shown(file)
    )]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// It translates into something else than the contract's codes.
    #[error(
        "the codes `{}`: `{key}` is translated to `{value}`, which is no code of the contract; there are {}",
        shown(file),
        all_codes()
    )]
    Unknown {
        /// The file.
        file: PathBuf,
        /// The decoder's code, escaped.
        key: String,
        /// What it is translated to, escaped.
        value: String,
    },
}

impl Codes {
    /// What the user wrote: `contract`, or a TOML file that maps the decoder's codes to the contract's.
    ///
    /// # Errors
    /// If the file cannot be read or understood.
    pub fn read(written: &str) -> Result<Self, BadCodes> {
        if written == "contract" {
            return Ok(Self::Contract);
        }
        let file = Path::new(written);
        let text = std::fs::read_to_string(file).map_err(|error| BadCodes::Unreadable {
            file: file.to_owned(),
            error,
        })?;
        Self::parse(file, &text)
    }

    fn parse(file: &Path, text: &str) -> Result<Self, BadCodes> {
        let table: BTreeMap<String, String> = toml::from_str(text).map_err(|error| {
            let before = &text[..error.span().map_or(0, |span| span.start)];
            BadCodes::Malformed {
                file: file.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
                what: escape(error.message().as_bytes()),
            }
        })?;
        let codes = table
            .into_iter()
            .map(|(key, value)| match vectors::code(&value) {
                Some(code) => Ok((key, code)),
                None => Err(BadCodes::Unknown {
                    file: file.to_owned(),
                    key: escape(key.as_bytes()),
                    value: escape(value.as_bytes()),
                }),
            });
        codes.collect::<Result<_, _>>().map(Self::Translated)
    }

    /// What is wrong with a code said where another was due; nothing if it is right or not judged.
    pub(super) fn fault(&self, said: &str, due: RefusalCode) -> Option<String> {
        let meant = match self {
            Self::Unjudged => return None,
            Self::Contract => vectors::code(said).ok_or("is no code of the contract"),
            Self::Translated(codes) => codes
                .get(said)
                .copied()
                .ok_or("is not among the codes that --codes names"),
        };
        match meant {
            Ok(meant) if meant == due => None,
            Ok(meant) if meant.as_str() == said => Some(String::new()),
            Ok(meant) => Some(format!("stands for {meant}")),
            Err(fault) => Some(fault.to_owned()),
        }
    }
}

fn shown(file: &Path) -> impl fmt::Display {
    escape(file.as_os_str().as_encoded_bytes())
}

fn all_codes() -> String {
    RefusalCode::ALL.map(RefusalCode::as_str).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Codes, BadCodes> {
        Codes::parse(Path::new("codes.toml"), text)
    }

    #[test]
    fn codes_are_translated() {
        let codes = parse("# ours\nsyntax = \"not_json\"\n\"bad utf8\" = 'not_utf8'\n").unwrap();
        assert_eq!(codes.fault("syntax", RefusalCode::NotJson), None);
        assert_eq!(
            codes.fault("syntax", RefusalCode::NotUtf8).unwrap(),
            "stands for not_json"
        );
        assert!(codes.fault("not_utf8", RefusalCode::NotUtf8).is_some());
        let contract = Codes::Contract;
        assert_eq!(contract.fault("not_utf8", RefusalCode::NotUtf8), None);
        assert!(contract.fault("syntax", RefusalCode::NotJson).is_some());
        assert_eq!(
            Codes::Unjudged.fault("anything", RefusalCode::NotJson),
            None
        );
    }

    #[test]
    fn a_bad_file_is_explained_with_its_place() {
        let complaint = |text| parse(text).unwrap_err().to_string();
        assert!(complaint("a = \"not_json\"\nb = 3\n").starts_with("the codes codes.toml:2:5: "));
        assert!(complaint("a = \n").starts_with("the codes codes.toml:1:"));
        let unknown = complaint("a = \"not_jason\"\n");
        assert!(
            unknown.contains("`a` is translated to `not_jason`"),
            "{unknown}"
        );
        assert!(unknown.contains("not_json, not_an_object"), "{unknown}");
    }
}
