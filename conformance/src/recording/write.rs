use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

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

fn write_line(mut to: impl Write, line: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut to, line)?;
    to.write_all(b"\n")
}
