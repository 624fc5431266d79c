use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::report::{Destination, Kind, Report, Wanted, escape};

/// The reports that are written when the run is over.
pub(super) struct Reports {
    waiting: Vec<(Kind, Destination)>,
    is_live: bool,
}

const PRETTY_ON_STDOUT: Wanted = Wanted {
    kind: Kind::Pretty,
    path: None,
};

impl Reports {
    /// Finds out where the reports go, before anything is run. The one for people on stdout is shown
    /// live instead.
    pub(super) fn open(wanted: &[Wanted]) -> Result<Self, String> {
        for (index, one) in wanted.iter().enumerate() {
            if wanted[..index].iter().any(|other| other.path == one.path) {
                return Err(match &one.path {
                    None => "only one report can go to stdout: give the others a path".to_owned(),
                    Some(path) => format!("two reports cannot go to `{}`", shown(path)),
                });
            }
        }
        let later = wanted.iter().filter(|wanted| **wanted != PRETTY_ON_STDOUT);
        let opened = later.map(|Wanted { kind, path }| {
            let to = match path {
                None => Destination::stdout(),
                Some(path) => Destination::file(path)
                    .map_err(|error| format!("the report `{}`: {error}", shown(path)))?,
            };
            Ok((*kind, to))
        });
        Ok(Self {
            waiting: opened.collect::<Result<_, String>>()?,
            is_live: wanted.contains(&PRETTY_ON_STDOUT),
        })
    }

    /// Whether the results are to be shown on stdout as they come in.
    pub(super) const fn is_live(&self) -> bool {
        self.is_live
    }

    /// Adds the report that is always written, to the folder of the results.
    pub(super) fn open_in(&mut self, folder: &Path) -> io::Result<()> {
        let to = Destination::file(&folder.join("report.json"))?;
        self.waiting.insert(0, (Kind::Json, to));
        Ok(())
    }

    /// Writes all of them; one that cannot be written does not keep the others from it.
    pub(super) fn write(self, report: &Report<'_>) -> io::Result<()> {
        let written: Vec<_> = self
            .waiting
            .into_iter()
            .map(|(kind, to)| to.write(&kind.render(report)))
            .collect();
        written.into_iter().collect()
    }
}

/// A path as a terminal may see it.
fn shown(path: &Path) -> String {
    escape(path.as_os_str().as_bytes())
}
