use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nightcrow_protocol::{PaneGeneration, PaneToken};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// A text of a profile, in which `${…}` stands for what is only known when a check runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Plain(String),
    Home,
    Runtime,
    Temporary,
    Http,
    Marker,
    Token,
    Generation,
    /// Unix time in seconds, so many from now.
    Now(i64),
    /// The same as `2026-11-30T20:59:28Z`.
    Iso(i64),
}

/// What is meant, for error messages and documentation.
const PLACEHOLDERS: &str = "${home}, ${runtime}, ${tmp}, ${http}, ${marker}, ${token}, ${generation}, \
                            ${now}, ${now+5}, ${iso} and ${iso+5}; a plain `${` is written `$${`";

/// What the placeholders of one check stand for.
#[derive(Debug, Clone)]
pub struct Place {
    /// The private home and temporary folders lie in here.
    pub root: PathBuf,
    /// Where the runner's HTTP server listens, as `http://127.0.0.1:1234`.
    pub http: String,
    /// A word that must never come back.
    pub marker: String,
}

/// The program in a pane that a text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaneRef {
    /// Its token.
    pub token: PaneToken,
    /// Its generation.
    pub generation: PaneGeneration,
}

impl Text {
    /// Reads a text with its placeholders.
    ///
    /// # Errors
    /// If a placeholder is not known or not closed, as a sentence.
    pub fn parse(written: &str) -> Result<Self, String> {
        let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), written);
        while let Some(start) = rest.find("${") {
            if rest[..start].ends_with('$') {
                plain.push_str(&rest[..start - 1]);
                plain.push_str("${");
                rest = &rest[start + 2..];
                continue;
            }
            let inside = &rest[start + 2..];
            let end = inside
                .find('}')
                .ok_or_else(|| format!("`${{` is not closed: there are {PLACEHOLDERS}"))?;
            plain.push_str(&rest[..start]);
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::parse(&inside[..end])?);
            rest = &inside[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Plain(plain));
        }
        Ok(Self(pieces))
    }

    /// A text without placeholders.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self(vec![Piece::Plain(text.to_owned())])
    }

    /// Whether it depends on when it is filled in.
    #[must_use]
    pub fn tells_the_time(&self) -> bool {
        let tells = |piece| matches!(piece, &Piece::Now(_) | &Piece::Iso(_));
        self.0.iter().any(tells)
    }

    /// Whether it only means something for a pane.
    #[must_use]
    pub fn is_about_a_pane(&self) -> bool {
        let is_about = |piece| matches!(piece, &Piece::Token | &Piece::Generation);
        self.0.iter().any(is_about)
    }

    /// The text with everything filled in. Without a pane, what is about one stays empty.
    #[must_use]
    pub fn fill(&self, place: &Place, pane: Option<PaneRef>) -> String {
        let mut filled = String::new();
        for piece in &self.0 {
            // Writing to a string cannot fail.
            let _ = match piece {
                Piece::Plain(text) => filled.write_str(text),
                Piece::Home => write!(filled, "{}", place.home().display()),
                Piece::Runtime => write!(filled, "{}", place.runtime().display()),
                Piece::Temporary => write!(filled, "{}", place.temporary().display()),
                Piece::Http => filled.write_str(&place.http),
                Piece::Marker => filled.write_str(&place.marker),
                Piece::Token => pane.map_or(Ok(()), |pane| filled.write_str(pane.token.as_str())),
                Piece::Generation => {
                    pane.map_or(Ok(()), |pane| write!(filled, "{}", pane.generation.get()))
                }
                Piece::Now(offset) => write!(filled, "{}", seconds_from_now(*offset)),
                Piece::Iso(offset) => filled.write_str(&iso(seconds_from_now(*offset))),
            };
        }
        filled
    }
}

impl Place {
    /// `HOME`.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// `NIGHTCROW_PLUGIN_RUNTIME_DIR`.
    #[must_use]
    pub fn runtime(&self) -> PathBuf {
        self.root.join("plugins")
    }

    /// `TMPDIR`.
    #[must_use]
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// A place where nothing happens, for stimuli that are only looked at.
    #[must_use]
    pub fn nowhere() -> Self {
        Self {
            root: Path::new("/srv/nowhere").to_owned(),
            http: "http://127.0.0.1:9".to_owned(),
            marker: "marker".to_owned(),
        }
    }
}

impl Piece {
    fn parse(name: &str) -> Result<Self, String> {
        let unknown = || format!("there is no `${{{name}}}`: there are {PLACEHOLDERS}");
        Ok(match name {
            "home" => Self::Home,
            "runtime" => Self::Runtime,
            "tmp" => Self::Temporary,
            "http" => Self::Http,
            "marker" => Self::Marker,
            "token" => Self::Token,
            "generation" => Self::Generation,
            _ => {
                let (kind, offset) = name.split_at_checked(3).ok_or_else(unknown)?;
                let offset = match offset {
                    "" => 0,
                    offset if offset.starts_with(['+', '-']) => {
                        offset.parse().map_err(|_| unknown())?
                    }
                    _ => return Err(unknown()),
                };
                match kind {
                    "now" => Self::Now(offset),
                    "iso" => Self::Iso(offset),
                    _ => return Err(unknown()),
                }
            }
        })
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(D::Error::custom)
    }
}

fn seconds_from_now(offset: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    });
    now.saturating_add(offset)
}

fn iso(seconds: i64) -> String {
    let since = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(written: &str) -> String {
        let pane = PaneRef {
            token: PaneToken::new("a1b2").unwrap(),
            generation: PaneGeneration::FIRST,
        };
        Text::parse(written)
            .unwrap()
            .fill(&Place::nowhere(), Some(pane))
    }

    #[test]
    fn placeholders_are_filled_in_and_the_rest_is_left_alone() {
        assert_eq!(
            filled("{\"t\": \"${token}\", \"g\": ${generation}} $${x} $5 ${marker}"),
            "{\"t\": \"a1b2\", \"g\": 1} ${x} $5 marker"
        );
        assert_eq!(filled("${home}/.tool"), "/srv/nowhere/home/.tool");
        assert_eq!(filled(""), "");
    }

    #[test]
    fn times_are_relative_to_now() {
        let now: i64 = filled("${now}").parse().unwrap();
        let later: i64 = filled("${now+3600}").parse().unwrap();
        assert!((3_600..3_610).contains(&(later - now)));
        assert!(filled("${iso-60}").ends_with('Z'));
        assert_eq!(iso(1_800_000_000), "2027-01-15T08:00:00Z");
    }

    #[test]
    fn what_is_not_known_is_said() {
        for wrong in ["${tokne}", "${now5}", "${now+x}", "${iso+}", "${é}", "${}"] {
            let complaint = Text::parse(wrong).unwrap_err();
            assert!(complaint.contains("there are ${home}"), "{complaint}");
        }
        assert!(Text::parse("a ${home").unwrap_err().contains("not closed"));
    }
}
