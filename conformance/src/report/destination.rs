use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Where a report goes. That it can be written there is known before a check is run; a file appears,
/// or is replaced, only when its report is whole.
#[derive(Debug)]
pub struct Destination(Place);

#[derive(Debug)]
enum Place {
    Stdout,
    /// A file, written under another name beside it until it is whole.
    File {
        unfinished: NamedTempFile,
        path: PathBuf,
    },
    /// Something that cannot be replaced by a file: a device, a pipe.
    Stream(File),
}

impl Destination {
    /// Stdout.
    #[must_use]
    pub const fn stdout() -> Self {
        Self(Place::Stdout)
    }

    /// The file at `path`, which need not exist; the folder must.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn file(path: &Path) -> io::Result<Self> {
        // A link stays a link: what it leads to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let permissions = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                let stream = OpenOptions::new().write(true).open(&path)?;
                return Ok(Self(Place::Stream(stream)));
            }
            Ok(metadata) => {
                // Who may not write the file may not replace it either.
                OpenOptions::new().write(true).open(&path)?;
                metadata.permissions()
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::Permissions::from_mode(0o666)
            }
            Err(error) => return Err(error),
        };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let what = format!("there is no folder `{}`", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        let unfinished = tempfile::Builder::new()
            .prefix(".unfinished-")
            .permissions(permissions)
            .tempfile_in(folder)
            // The name of the unfinished file is nobody's business.
            .map_err(|error| io::Error::from(error.kind()))?;
        Ok(Self(Place::File { unfinished, path }))
    }

    /// Writes the whole report.
    ///
    /// # Errors
    /// If it cannot be written; a file is then as it was before.
    pub fn write(self, report: &[u8]) -> io::Result<()> {
        match self.0 {
            Place::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(report)?;
                stdout.flush()
            }
            Place::Stream(mut stream) => stream.write_all(report),
            Place::File { unfinished, path } => {
                let mut to = BufWriter::new(unfinished);
                to.write_all(report)?;
                let unfinished = to.into_inner().map_err(io::IntoInnerError::into_error)?;
                unfinished.persist(path)?;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_by_a_whole_report() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        fs::write(&path, "old").unwrap();
        drop(Destination::file(&path).unwrap());
        let to = Destination::file(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        to.write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(
            fs::read_dir(&folder).unwrap().count(),
            1,
            "nothing is left behind"
        );
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("report"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        Destination::file(&link).unwrap().write(b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn what_cannot_be_written_is_known_at_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Destination::file(folder.path()).is_err());
        let file = folder.path().join("no/such/folder");
        let complaint = Destination::file(&file).unwrap_err().to_string();
        let missing = file.parent().unwrap().display();
        assert_eq!(complaint, format!("there is no folder `{missing}`"));
        Destination::file(Path::new("/dev/null"))
            .unwrap()
            .write(b"x")
            .unwrap();
    }
}
