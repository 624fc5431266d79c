//! What surrounds a plugin while one check runs: its private home, and what its profile puts there.

mod deed;
mod http;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub use deed::Deed;

use crate::profile::{Act, FileText, PaneRef, Place, Profile, Scene, Text};
use crate::stimulus::PlayedHost;
use crate::subject::PrivateHome;
use http::Server;

/// A private home that is set up as a profile says.
#[derive(Debug)]
pub struct Stage {
    home: PrivateHome,
    profile: Arc<Profile>,
    place: Place,
    server: Option<Server>,
}

impl Stage {
    /// Sets it up.
    ///
    /// # Errors
    /// If the folders and files cannot be made, or the HTTP server cannot listen.
    pub fn new(profile: &Arc<Profile>) -> io::Result<Self> {
        let home = PrivateHome::new()?;
        let server = match asks_for_http(profile) {
            true => Some(Server::start()?),
            false => None,
        };
        let place = Place {
            root: home.path().to_owned(),
            http: server.as_ref().map_or_else(String::new, Server::url),
            marker: marker(),
        };
        let stage = Self {
            home,
            profile: Arc::clone(profile),
            place,
            server,
        };
        if !profile.pane.cwd.is_about_a_pane() {
            // Where a host really starts programs there is something.
            let cwd = profile.pane.cwd.fill(&stage.place, None);
            if Path::new(&cwd).starts_with(&stage.place.root) {
                fs::create_dir_all(cwd)?;
            }
        }
        for file in &profile.files {
            write(&stage.place, file, None)?;
        }
        for answer in &profile.answers {
            stage.answer(answer, None);
        }
        Ok(stage)
    }

    /// The host that is played on it.
    #[must_use]
    pub fn host(&self) -> PlayedHost {
        PlayedHost::on(self.place.clone(), Arc::clone(&self.profile))
    }

    /// Where the home is.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// What the placeholders of the profile stand for.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Begins to do something for a pane. It is over at once, or has to be looked after.
    ///
    /// # Errors
    /// Why it cannot be done, as a sentence.
    pub fn begin(&self, act: &Act, pane: PaneRef) -> Result<Deed, String> {
        let fill = |text: &Text| text.fill(&self.place, Some(pane));
        match act {
            // These two are events, which the driver sends.
            Act::Idle | Act::Output(_) => Ok(Deed::done(String::new())),
            Act::Write(file) => self.file(file, pane, "wrote", write),
            Act::Append(file) => self.file(file, pane, "appended to", append),
            Act::Send(to) => Ok(Deed::connect(&fill(&to.socket), fill(&to.text))),
            Act::Run(helper) => {
                let command: Vec<String> = helper.command.iter().map(fill).collect();
                Deed::run(&command, &fill(&helper.stdin), self.home.path(), pane.token)
            }
            Act::Answer(answer) => {
                self.answer(answer, Some(pane));
                Ok(Deed::done(format!("{} answers anew", answer.path)))
            }
        }
    }

    fn file(
        &self,
        file: &FileText,
        pane: PaneRef,
        did: &str,
        how: fn(&Place, &FileText, Option<PaneRef>) -> io::Result<()>,
    ) -> Result<Deed, String> {
        let path = file.path.fill(&self.place, Some(pane));
        match how(&self.place, file, Some(pane)) {
            Ok(()) => Ok(Deed::done(format!("{did} {path}"))),
            Err(error) => Err(format!("{path}: {error}")),
        }
    }

    fn answer(&self, answer: &crate::profile::Answer, pane: Option<PaneRef>) {
        if let Some(server) = &self.server {
            server.answer(answer, &answer.body.fill(&self.place, pane));
        }
    }
}

/// Whether anything in the profile is about the HTTP server.
fn asks_for_http(profile: &Profile) -> bool {
    let Profile {
        input,
        relaunch,
        signal,
        ..
    } = profile;
    let scenes = [input, relaunch].into_iter().flatten();
    let acts = scenes.flat_map(|Scene { arm, fire }| arm.iter().chain(fire));
    let signals = signal.iter();
    let mut acts = acts.chain(signals.flat_map(|signal| signal.send.iter().chain(&signal.fire)));
    !profile.answers.is_empty() || acts.any(|act| matches!(act, Act::Answer(_)))
}

/// A word that occurs nowhere else.
fn marker() -> String {
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the system has random bytes");
    format!("marker{:016x}", u64::from_be_bytes(random))
}

fn write(place: &Place, file: &FileText, pane: Option<PaneRef>) -> io::Result<()> {
    let path = made(place, file, pane)?;
    fs::write(path, file.text.fill(place, pane))
}

fn append(place: &Place, file: &FileText, pane: Option<PaneRef>) -> io::Result<()> {
    use io::Write;
    let path = made(place, file, pane)?;
    let mut open = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    open.write_all(file.text.fill(place, pane).as_bytes())
}

/// The path of a file whose folder there is.
fn made(place: &Place, file: &FileText, pane: Option<PaneRef>) -> io::Result<std::path::PathBuf> {
    // A relative path is one of the home.
    let path = place.home().join(file.path.fill(place, pane));
    if !path.starts_with(&place.root) {
        let what = "a profile writes only into the private home: begin the path with ${home}";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    fn stage(profile: &str) -> Stage {
        let profile = Profile::parse(profile, Path::new("p.toml")).unwrap();
        Stage::new(&Arc::new(profile)).unwrap()
    }

    #[test]
    fn files_are_there_before_anything_starts() {
        let stage = stage("[[file]]\npath = \"${home}/.tool/a\"\ntext = \"x ${marker}\"\n");
        let text = fs::read_to_string(stage.place().home().join(".tool/a")).unwrap();
        assert_eq!(text, format!("x {}", stage.place().marker));
    }

    #[test]
    fn nothing_is_written_outside_of_the_home() {
        let profile = "[[file]]\npath = \"/tmp/elsewhere\"\ntext = \"\"\n";
        let profile = Profile::parse(profile, Path::new("p.toml")).unwrap();
        let refused = Stage::new(&Arc::new(profile)).unwrap_err();
        assert!(refused.to_string().contains("only into the private home"));
    }

    #[test]
    fn the_web_service_answers_as_the_profile_says() {
        let profile = "[[http]]\npath = \"/usage\"\nstatus = 429\nheaders = { Retry-After = \"5\" }\nbody = \"{}\"\n";
        let stage = stage(profile);
        let ask = |path: &str| {
            let address = stage.place().http.strip_prefix("http://").unwrap();
            let mut connection = TcpStream::connect(address).unwrap();
            write!(connection, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).unwrap();
            answer
        };
        let usage = ask("/usage?since=1");
        assert!(usage.starts_with("HTTP/1.1 429 "), "{usage}");
        assert!(usage.contains("Retry-After: 5\r\n") && usage.ends_with("\r\n\r\n{}"));
        assert!(ask("/other").starts_with("HTTP/1.1 404 "));
    }
}
