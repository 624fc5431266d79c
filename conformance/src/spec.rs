//! The numbered requirements of `spec/plugin-v3.md`, read from the document itself, so that their
//! sentences live in one place.

use std::fmt;
use std::sync::LazyLock;

/// The document.
const DOCUMENT: &str = include_str!("../../spec/plugin-v3.md");

static REQUIREMENTS: LazyLock<Vec<Requirement>> = LazyLock::new(|| read(DOCUMENT));

/// One numbered requirement of the specification.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Requirement {
    /// Its number, such as `PLG-702`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// `MUST`, `SHOULD` or `MAY`.
    pub level: String,
    /// Whom it binds, as the document says it.
    pub binds: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The requirement itself.
    pub sentence: String,
    /// Why it is there; empty if the document gives no reason.
    pub why: String,
}

/// Where a requirement comes from: the source documents, or a decision where they are silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The source documents of the contract.
    Source,
    /// A decision of this project where the source documents are silent.
    Decision,
}

impl Origin {
    /// The word used in the specification.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Decision => "decision",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The requirement with this number.
#[must_use]
pub fn requirement(id: &str) -> Option<&'static Requirement> {
    REQUIREMENTS.iter().find(|requirement| requirement.id == id)
}

/// Every requirement, in the order of the document.
#[must_use]
pub fn requirements() -> &'static [Requirement] {
    &REQUIREMENTS
}

/// Finds the requirements of a document; sections of any other shape are prose and are passed over.
fn read(document: &str) -> Vec<Requirement> {
    document
        .split("\n### ")
        .skip(1)
        .filter_map(read_section)
        .collect()
}

fn read_section(section: &str) -> Option<Requirement> {
    let (heading, body) = section.split_once('\n')?;
    let (id, title) = heading.split_once(" · ")?;
    // A deeper or equal heading ends the requirement; `### ` cannot occur in it any more.
    let body = body.split("\n## ").next()?;
    let mut paragraphs = body
        .split("\n\n")
        .map(one_line)
        .filter(|text| !text.is_empty());
    let marks = paragraphs.next()?;
    let mut fields = marks.split(" · ");
    let level = fields.next()?.trim_matches('`').to_owned();
    let binds = fields.next()?.trim_matches('`').to_owned();
    let origin = match fields.next()?.strip_prefix("origin ")?.trim_matches('`') {
        "source" => Origin::Source,
        "decision" => Origin::Decision,
        _ => return None,
    };
    let sentence = paragraphs.next()?;
    let why = paragraphs
        .find_map(|text| text.strip_prefix("*Why:*").map(|why| why.trim().to_owned()))
        .unwrap_or_default();
    Some(Requirement {
        id: id.to_owned(),
        title: title.to_owned(),
        level,
        binds,
        origin,
        sentence,
        why,
    })
}

/// A paragraph without the line breaks of its source.
fn one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "# Title\n\nProse.\n\n### Not a requirement\n\nText.\n\n\
        ### PLG-702 · A plugin ends when asked\n`MUST` · `plugin` · origin `decision` · proved by `checks`\n\n\
        On `shutdown` a plugin\nexits.\n\n*Why:* hosts\nwait.\n\n## Next part\n\nOther.\n\n\
        ### PLG-703 · Another\n`SHOULD` · `host` · origin `source` · proved by `vectors`\n\nSentence.\n";

    #[test]
    fn reads_the_shape_of_the_document() {
        let found = read(SAMPLE);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].id, "PLG-702");
        assert_eq!(found[0].title, "A plugin ends when asked");
        assert_eq!(
            (found[0].level.as_str(), found[0].binds.as_str()),
            ("MUST", "plugin")
        );
        assert_eq!(found[0].origin, Origin::Decision);
        assert_eq!(found[0].sentence, "On `shutdown` a plugin exits.");
        assert_eq!(found[0].why, "hosts wait.");
        assert_eq!(
            (found[1].origin, found[1].why.as_str()),
            (Origin::Source, "")
        );
    }

    #[test]
    fn the_document_has_no_number_twice() {
        let mut ids: Vec<_> = requirements()
            .iter()
            .map(|requirement| &requirement.id)
            .collect();
        ids.sort();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
