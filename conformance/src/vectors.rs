//! The vectors of the contract, for people who test a decoder without the runner.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::report::escape;

/// A file of the export.
#[derive(Debug, Clone, Copy)]
pub struct VectorFile {
    /// Where it goes, below the folder of the export.
    pub path: &'static str,
    /// What it holds.
    pub bytes: &'static [u8],
    /// Whether it is a program.
    pub is_program: bool,
}

macro_rules! file {
    ($path:literal, is_program: $is_program:literal) => {
        VectorFile {
            path: $path,
            bytes: include_bytes!(concat!("../../spec/vectors/", $path)),
            is_program: $is_program,
        }
    };
}

/// Everything that is exported: it works on its own, and stays as it is in a repository of whoever
/// exports it.
pub const ALL: &[VectorFile] = &[
    file!(".gitattributes", is_program: false),
    file!("README.md", is_program: false),
    file!("run.py", is_program: true),
    file!("plugin-v3/commands.jsonl", is_program: false),
    file!("plugin-v3/events.jsonl", is_program: false),
];

/// Why an export was not made.
#[derive(Debug, thiserror::Error)]
pub enum CannotExport {
    /// Somebody may miss what would be overwritten.
    #[error("`{}` is there already and differs: --force overwrites it", shown(.0))]
    Differs(PathBuf),
    /// The system does not let us.
    #[error("`{}`: {error}", shown(path))]
    System {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

/// Writes the vectors into a folder, which is made if it is not there. Unless forced to, it overwrites
/// nothing that differs, and then writes nothing at all.
///
/// # Errors
/// If a file differs from what would be written, or the system does not let us.
pub fn export(folder: &Path, is_forced: bool) -> Result<(), CannotExport> {
    for file in ALL {
        let path = folder.join(file.path);
        match fs::read(&path) {
            Ok(bytes) if bytes == file.bytes || is_forced => {}
            Ok(_) => return Err(CannotExport::Differs(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(CannotExport::System { path, error }),
        }
    }
    ALL.iter().try_for_each(|file| {
        let path = folder.join(file.path);
        file.write(&path)
            .map_err(|error| CannotExport::System { path, error })
    })
}

impl VectorFile {
    fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, self.bytes)?;
        if self.is_program {
            // Whoever may read it may run it.
            let mode = fs::metadata(path)?.permissions().mode();
            fs::set_permissions(path, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
        }
        Ok(())
    }
}

fn shown(path: &Path) -> String {
    escape(path.as_os_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The files of a folder and of those in it.
    fn files(folder: &Path) -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| match path.is_dir() {
                true => files(&path),
                false => BTreeSet::from([path]),
            })
            .collect()
    }

    #[test]
    fn everything_is_exported_byte_for_byte() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors");
        let folder = tempfile::tempdir().unwrap();
        let export_folder = folder.path().join("new/vectors");
        export(&export_folder, false).unwrap();
        let below = |folder: &Path| -> BTreeSet<PathBuf> {
            let files = files(folder).into_iter();
            files
                .map(|path| path.strip_prefix(folder).unwrap().to_owned())
                .collect()
        };
        // A vector that is added to the specification must not be missing here.
        assert_eq!(below(&export_folder), below(&source));
        for path in below(&source) {
            let (from, to) = (source.join(&path), export_folder.join(&path));
            assert_eq!(fs::read(&from).unwrap(), fs::read(&to).unwrap(), "{path:?}");
            let is_program = |path| fs::metadata(path).unwrap().permissions().mode() & 0o100 != 0;
            assert_eq!(is_program(from), is_program(to), "{path:?}");
        }
        let attributes = fs::read_to_string(export_folder.join(".gitattributes")).unwrap();
        assert!(
            attributes.contains("* -text"),
            "line ends would be converted"
        );
    }

    #[test]
    fn what_differs_is_overwritten_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let mine = folder.path().join("plugin-v3/events.jsonl");
        fs::create_dir(folder.path().join("plugin-v3")).unwrap();
        fs::write(&mine, "mine").unwrap();
        let refused = export(folder.path(), false).unwrap_err().to_string();
        assert!(refused.ends_with("is there already and differs: --force overwrites it"));
        assert_eq!(
            files(folder.path()),
            BTreeSet::from([mine.clone()]),
            "nothing was written"
        );
        export(folder.path(), true).unwrap();
        assert_ne!(fs::read(&mine).unwrap(), b"mine");
        export(folder.path(), false).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("run.py")).unwrap();
        for is_forced in [false, true] {
            let refused = export(folder.path(), is_forced).unwrap_err().to_string();
            assert!(refused.contains("run.py`: Is a directory"), "{refused}");
        }
    }
}
