//! The shape of a recording's lines.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::octets::Octets;
use super::{Did, Entry, FORMAT, Header, MAX_REPEATED_BYTES, Parse, Source, VERSION, What};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderLine {
    pub(super) format: String,
    pub(super) version: u32,
    source: SourceName,
    check: Option<String>,
    subject: Option<Vec<String>>,
    redacted: bool,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SourceName {
    Check,
    Exam,
    Proxy,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "dir", rename_all = "snake_case")]
pub(super) enum EntryLine {
    In(Sent),
    Out(Said),
    Err(Said),
    Run(Happened),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sent {
    #[serde(with = "seconds")]
    t: Duration,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<Octets>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeated_to: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    breaks: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parse: Vec<Parse>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    #[serde(with = "seconds")]
    t: Duration,
    bytes: Octets,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parse: Vec<Parse>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Happened {
    #[serde(with = "seconds")]
    t: Duration,
    did: Did,
}

/// Longer bytes are not repeated as text: nobody reads them.
const MAX_TEXT_BYTES: usize = 4 << 10;

impl HeaderLine {
    pub(super) fn new(header: &Header) -> Self {
        let (source, check) = match &header.source {
            Source::Check { id } => (SourceName::Check, Some(id.clone())),
            Source::Exam { id } => (SourceName::Exam, Some(id.clone())),
            Source::Proxy => (SourceName::Proxy, None),
        };
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            source,
            check,
            subject: header.subject.clone(),
            redacted: header.redacted,
        }
    }

    pub(super) fn read(self) -> Result<Header, String> {
        let source = match (self.source, self.check) {
            (SourceName::Check, Some(id)) => Source::Check { id },
            (SourceName::Exam, Some(id)) => Source::Exam { id },
            (SourceName::Proxy, None) => Source::Proxy,
            (SourceName::Check | SourceName::Exam, None) => {
                return Err("`check` must be the id of the check".to_owned());
            }
            (SourceName::Proxy, Some(_)) => {
                return Err("`check` must be null in a recording of a proxy".to_owned());
            }
        };
        Ok(Header {
            source,
            subject: self.subject,
            redacted: self.redacted,
        })
    }
}

impl EntryLine {
    /// The line of an entry; `repeats` if its bytes are those of the last repeated entry.
    pub(super) fn new(entry: &Entry, repeats: bool) -> Self {
        let t = entry.at;
        match &entry.what {
            What::In {
                bytes,
                repeated_to,
                breaks,
                parse,
            } => Self::In(Sent {
                t,
                bytes: (!repeats).then(|| Octets::Bytes(Arc::clone(bytes))),
                text: text(bytes).filter(|_| !repeats),
                repeated_to: *repeated_to,
                breaks: breaks.clone(),
                parse: parse.clone(),
            }),
            What::Out { bytes, parse } => Self::Out(said(t, bytes, parse.clone())),
            What::Err(bytes) => Self::Err(said(t, bytes, Vec::new())),
            What::Run(did) => Self::Run(Happened {
                t,
                did: did.clone(),
            }),
        }
    }

    /// The entry of a line; `last_cycle` is that of the last repeated entry.
    pub(super) fn read(self, last_cycle: &mut Option<Arc<[u8]>>) -> Result<Entry, String> {
        match self {
            Self::In(sent) => sent.read(last_cycle),
            Self::Out(Said {
                t,
                bytes,
                text,
                parse,
            }) => Ok(Entry {
                at: t,
                what: What::Out {
                    bytes: decode(bytes, text.as_deref())?,
                    parse,
                },
            }),
            Self::Err(said) if !said.parse.is_empty() => {
                Err("`parse` has no place here: stderr is no lines of the contract".to_owned())
            }
            Self::Err(Said { t, bytes, text, .. }) => Ok(Entry {
                at: t,
                what: What::Err(decode(bytes, text.as_deref())?),
            }),
            Self::Run(Happened { t, did }) => Ok(Entry {
                at: t,
                what: What::Run(did),
            }),
        }
    }
}

impl Sent {
    fn read(self, last_cycle: &mut Option<Arc<[u8]>>) -> Result<Entry, String> {
        let bytes = match (self.bytes, self.repeated_to) {
            (Some(bytes), _) => decode(bytes, self.text.as_deref())?,
            (None, None) => return Err("`bytes` is missing".to_owned()),
            (None, Some(_)) => last_cycle.clone().ok_or(
                "`bytes` is missing, and no entry with `repeated_to` stands before this one",
            )?,
        };
        if let Some(repeated_to) = self.repeated_to {
            if bytes.is_empty() {
                return Err("`bytes` is empty: nothing cannot be repeated".to_owned());
            }
            if repeated_to > MAX_REPEATED_BYTES {
                return Err(format!(
                    "`repeated_to` must be at most {MAX_REPEATED_BYTES}"
                ));
            }
            *last_cycle = Some(Arc::clone(&bytes));
        }
        Ok(Entry {
            at: self.t,
            what: What::In {
                bytes,
                repeated_to: self.repeated_to,
                breaks: self.breaks,
                parse: self.parse,
            },
        })
    }
}

fn said(t: Duration, bytes: &Arc<[u8]>, parse: Vec<Parse>) -> Said {
    Said {
        t,
        bytes: Octets::Bytes(Arc::clone(bytes)),
        text: text(bytes),
        parse,
    }
}

fn text(bytes: &[u8]) -> Option<String> {
    if bytes.len() > MAX_TEXT_BYTES {
        return None;
    }
    str::from_utf8(bytes).ok().map(str::to_owned)
}

fn decode(bytes: Octets, text: Option<&str>) -> Result<Arc<[u8]>, String> {
    let bytes = bytes
        .decode()
        .ok_or("`bytes` must be base64, with padding")?;
    match text {
        Some(text) if text.as_bytes() != &*bytes => {
            Err("`text` must say the same as `bytes`, or be left out".to_owned())
        }
        _ => Ok(bytes),
    }
}

/// A time as seconds.
pub(crate) mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(
        time: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.as_secs_f64().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| de::Error::custom("a time is a number of seconds from 0 on"))
    }
}
