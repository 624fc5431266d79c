use std::path::PathBuf;

use super::{Pretty, Report, github, html, json, junit, markdown, tap};

/// What a report looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For people, on a terminal.
    Pretty,
    /// For programs.
    Json,
    /// For CI systems that read `JUnit` XML.
    Junit,
    /// For what reads the Test Anything Protocol, version 14.
    Tap,
    /// For the log of GitHub Actions, whose annotations it makes.
    Github,
    /// For pull requests and wikis, as GitHub-flavoured Markdown.
    Markdown,
    /// For people, in a browser: one file that needs no other.
    Html,
}

impl Kind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Pretty,
        Self::Json,
        Self::Junit,
        Self::Tap,
        Self::Github,
        Self::Markdown,
        Self::Html,
    ];

    /// The word for it on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pretty => "pretty",
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Tap => "tap",
            Self::Github => "github",
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }

    /// The whole report.
    #[must_use]
    pub fn render(self, report: &Report<'_>) -> Vec<u8> {
        match self {
            Self::Pretty => Pretty::whole(report),
            Self::Json => json::text(report).into_bytes(),
            Self::Junit => junit::junit(report).into_bytes(),
            Self::Tap => tap::tap(report).into_bytes(),
            Self::Github => github::github(report).into_bytes(),
            Self::Markdown => markdown::markdown(report).into_bytes(),
            Self::Html => html::html(report).into_bytes(),
        }
    }
}

/// The kind of a report and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What it looks like.
    pub kind: Kind,
    /// The file it goes to; stdout if `None`.
    pub path: Option<PathBuf>,
}

impl std::str::FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, path) = match text.split_once('=') {
            Some((word, path)) => (word, Some(path)),
            None => (text, None),
        };
        let Some(kind) = Kind::ALL.iter().find(|kind| kind.as_str() == word) else {
            let words: Vec<_> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
            return Err(format!(
                "`{word}` is no report; there are {}",
                words.join(", ")
            ));
        };
        if path == Some("") {
            return Err("the path after `=` is empty".to_owned());
        }
        Ok(Self {
            kind: *kind,
            path: path.map(PathBuf::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_wanted_by_kind_and_path() {
        for kind in Kind::ALL {
            let (kind, path) = (*kind, None);
            assert_eq!(kind.as_str().parse(), Ok(Wanted { kind, path }));
        }
        let (kind, path) = (Kind::Json, Some("a=b.json".into()));
        assert_eq!("json=a=b.json".parse(), Ok(Wanted { kind, path }));
        assert!("yaml".parse::<Wanted>().is_err());
        assert!("json=".parse::<Wanted>().is_err());
    }
}
