use std::io::{BufRead, Read};
use std::sync::Arc;

use super::wire::{EntryLine, HeaderLine};
use super::{Entry, FORMAT, Header, MAX_ENTRY_BYTES, VERSION};

/// Reads a recording strictly, entry by entry.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    name: String,
    line: u64,
    header: Header,
    last_cycle: Option<Arc<[u8]>>,
}

/// Why something is no recording, and where.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct BadRecording {
    /// What the file is called.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there and what was expected.
    pub what: String,
}

impl<R: BufRead> Reader<R> {
    /// Reads the first line. `name` is what errors call the file.
    ///
    /// # Errors
    /// If it cannot be read, or begins no recording of this version.
    pub fn new(mut from: R, name: &str) -> Result<Self, BadRecording> {
        let bad = |what| BadRecording {
            file: name.to_owned(),
            line: 1,
            what,
        };
        let line = next_line(&mut from)
            .and_then(|line| line.ok_or_else(|| "it is empty".to_owned()))
            .map_err(bad)?;
        let header = read_header(&line).map_err(bad)?;
        Ok(Self {
            from,
            name: name.to_owned(),
            line: 1,
            header,
            last_cycle: None,
        })
    }

    /// What the first line says.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    fn read_entry(&mut self) -> Result<Option<Entry>, String> {
        self.line += 1;
        let Some(line) = next_line(&mut self.from)? else {
            return Ok(None);
        };
        let line: EntryLine = serde_json::from_slice(&line).map_err(|error| explain(&error))?;
        line.read(&mut self.last_cycle).map(Some)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, BadRecording>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.read_entry().map_err(|what| BadRecording {
            file: self.name.clone(),
            line: self.line,
            what,
        });
        entry.transpose()
    }
}

fn read_header(line: &[u8]) -> Result<Header, String> {
    let expected = || {
        format!(
            "the first line of a recording begins with {{\"format\":\"{FORMAT}\",\"version\":{VERSION}"
        )
    };
    let named = serde_json::from_slice::<serde_json::Value>(line).unwrap_or_default();
    if named["format"] != FORMAT {
        return Err(format!("this is no recording: {}", expected()));
    }
    if named["version"] != VERSION {
        return Err(format!(
            "this is a recording of another version; this program reads version {VERSION}"
        ));
    }
    let line: HeaderLine = serde_json::from_slice(line).map_err(|error| explain(&error))?;
    line.read()
}

/// The next line without its terminator.
fn next_line(from: &mut impl BufRead) -> Result<Option<Vec<u8>>, String> {
    let mut line = Vec::new();
    let read = from
        .take(MAX_ENTRY_BYTES + 1)
        .read_until(b'\n', &mut line)
        .map_err(|error| error.to_string())?;
    if read == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Ok(Some(line));
    }
    Err(if line.len() as u64 > MAX_ENTRY_BYTES {
        format!("the line has more than {MAX_ENTRY_BYTES} bytes")
    } else {
        "the line has no end: the recording was cut here".to_owned()
    })
}

/// A complaint with its column, and without the line number that the whole file knows better.
fn explain(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let at = format!(" at line {} column {}", error.line(), error.column());
    let words = words.strip_suffix(&at).unwrap_or(&words);
    // What a recording holds may be hostile, and serde quotes it.
    let words = crate::report::escape(words.as_bytes());
    format!("column {}: {words}", error.column())
}
