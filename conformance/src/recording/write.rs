use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::octets::Base64Formatter;
use super::wire::{EntryLine, HeaderLine};
use super::{Entry, Header, What};

/// Writes a recording, line by line.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
    last_cycle: Option<Arc<[u8]>>,
}

/// Makes the file of a recording, or empties it. Nobody but the user can read it: even a redacted
/// recording is the user's own business.
///
/// # Errors
/// If the file cannot be made.
pub fn create(path: &Path) -> io::Result<File> {
    const PRIVATE: u32 = 0o600;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(PRIVATE)
        .open(path)?;
    // A file that was there already keeps its mode otherwise; a device has none of ours.
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(PRIVATE))?;
    }
    Ok(file)
}

/// Makes the file of a recording without touching another one: if something stands at `path`, the file
/// is the first free one of `name.2.ndjson`, `name.3.ndjson` and so on. Says where it is.
///
/// # Errors
/// If the file cannot be made.
pub fn create_another(path: &Path) -> io::Result<(File, PathBuf)> {
    let holds_something = |path: &Path| {
        path.metadata()
            .is_ok_and(|file| file.is_file() && file.len() > 0)
    };
    let mut place = path.to_owned();
    let mut number = 1_u64;
    while holds_something(&place) {
        number += 1;
        place = numbered(path, number);
    }
    Ok((create(&place)?, place))
}

fn numbered(path: &Path, number: u64) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

impl<W: Write> Writer<W> {
    /// Begins a recording.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut to: W, header: &Header) -> io::Result<Self> {
        write_line(&mut to, &HeaderLine::new(header))?;
        Ok(Self {
            to,
            last_cycle: None,
        })
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let mut repeats = false;
        if let What::In {
            bytes,
            repeated_to: Some(_),
            ..
        } = &entry.what
        {
            repeats = self.last_cycle.as_ref() == Some(bytes);
            self.last_cycle = Some(Arc::clone(bytes));
        }
        write_line(&mut self.to, &EntryLine::new(entry, repeats))
    }

    /// Hands on what was written.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn write_line(mut to: impl Write, line: &impl Serialize) -> io::Result<()> {
    let mut json = serde_json::Serializer::with_formatter(&mut to, Base64Formatter);
    line.serialize(&mut json)?;
    to.write_all(b"\n")
}
