use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A home, temporary folder and runtime folder that only one process of the subject ever sees.
///
/// Its path is in that process's environment and so in that of everything it starts, which is how
/// strays are found. It is removed on drop.
#[derive(Debug)]
pub struct PrivateHome {
    root: tempfile::TempDir,
}

/// The folders, the variables that name them, and whether they are part of a home that the user may
/// want to keep.
const FOLDERS: [(&str, &str, bool); 8] = [
    ("HOME", "home", true),
    ("XDG_CONFIG_HOME", "home/.config", true),
    ("XDG_DATA_HOME", "home/.local/share", true),
    ("XDG_STATE_HOME", "home/.local/state", true),
    ("XDG_CACHE_HOME", "home/.cache", true),
    ("XDG_RUNTIME_DIR", "run", true),
    ("TMPDIR", "tmp", false),
    ("NIGHTCROW_PLUGIN_RUNTIME_DIR", "plugins", false),
];

impl PrivateHome {
    /// Makes one.
    ///
    /// # Errors
    /// If the folders cannot be made.
    pub fn new() -> io::Result<Self> {
        // Short, because sockets live in here, and their paths have at most some 100 bytes.
        let root = tempfile::Builder::new().prefix("nc-").tempdir()?;
        for (_, folder, _) in FOLDERS {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(root.path().join(folder))?;
        }
        Ok(Self { root })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.root.path()
    }
}

/// The variables that lead into the home at `root`.
pub(crate) fn variables(
    root: &Path,
    keep_home: bool,
) -> impl Iterator<Item = (&'static OsStr, OsString)> {
    let kept = move |part_of_home: bool| keep_home && part_of_home;
    FOLDERS
        .into_iter()
        .filter(move |(_, _, part_of_home)| !kept(*part_of_home))
        .map(move |(variable, folder, _)| {
            (
                OsStr::new(variable),
                PathBuf::from(root).join(folder).into_os_string(),
            )
        })
}

impl Drop for PrivateHome {
    fn drop(&mut self) {
        // What a subject made read-only would otherwise stay behind.
        let _ = make_writable(self.root.path());
    }
}

fn make_writable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700))?;
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_leads_into_a_private_folder() {
        let home = PrivateHome::new().unwrap();
        let variables: Vec<_> = variables(home.path(), false).collect();
        assert_eq!(variables.len(), FOLDERS.len());
        for (variable, folder) in variables {
            assert!(
                Path::new(&folder).starts_with(home.path()),
                "{}",
                variable.display()
            );
            assert!(Path::new(&folder).is_dir(), "{}", variable.display());
        }
    }

    #[test]
    fn a_kept_home_still_gets_a_private_runtime_folder() {
        let home = PrivateHome::new().unwrap();
        let names: Vec<_> = variables(home.path(), true)
            .map(|(variable, _)| variable)
            .collect();
        assert_eq!(names, ["TMPDIR", "NIGHTCROW_PLUGIN_RUNTIME_DIR"]);
    }

    #[test]
    fn goes_away_with_what_is_in_it() {
        use std::os::unix::fs::PermissionsExt;
        let home = PrivateHome::new().unwrap();
        let path = home.path().to_owned();
        let locked = path.join("home/locked");
        fs::create_dir(&locked).unwrap();
        fs::write(locked.join("file"), "x").unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
        drop(home);
        assert!(!path.exists());
    }
}
