//! Profiles: how a plugin is made to act.
//!
//! Most plugins do nothing until a program in a pane does something that they know. A profile says,
//! as data, what that is: what a pane's program prints, the files that it writes, what it says to the
//! plugin's socket, what a web service answers. With it the runner turns silence into checks.

mod read;
mod text;

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error};

pub use read::BadProfile;
pub(crate) use read::position;
pub use text::{PaneRef, Place, Text};

use crate::duration;

/// How a plugin is made to act.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// How it is started.
    #[serde(default)]
    pub plugin: Start,
    /// How panes look to it.
    #[serde(default)]
    pub pane: Look,
    /// Files that exist before it starts.
    #[serde(default, rename = "file")]
    pub files: Vec<FileText>,
    /// What the runner's HTTP server answers.
    #[serde(default, rename = "http")]
    pub answers: Vec<Answer>,
    /// What makes it type into a live pane.
    pub input: Option<Scene>,
    /// What makes it relaunch an ended pane: the exit comes between `arm` and `fire`.
    pub relaunch: Option<Scene>,
    /// What makes it watch a pane that was opened by hand.
    pub signal: Option<Signal>,
    /// How long it takes, and how often it tries.
    #[serde(default)]
    pub timing: Timing,
}

/// How the plugin is started.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Arguments behind those of the command line.
    #[serde(default)]
    pub args: Vec<Text>,
    /// Variables of its environment.
    #[serde(default)]
    pub env: BTreeMap<String, Text>,
}

/// How panes are announced.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Look {
    /// `title` of `pane_opened`.
    pub title: Text,
    /// `command` of `pane_opened`.
    pub command: Text,
    /// `cwd` of `pane_opened`.
    pub cwd: Text,
}

/// A file and what is written to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    /// Its path; folders are made.
    pub path: Text,
    /// What is written.
    pub text: Text,
}

/// An answer of the runner's HTTP server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The path of the request, without its query.
    pub path: String,
    /// The status; 200 unless said otherwise.
    #[serde(default = "ok")]
    pub status: u16,
    /// Headers besides `Content-Length` and `Connection`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(default)]
    pub body: Text,
}

/// What makes the plugin act: first it is given a reason, then the occasion.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// After this the plugin has something in mind.
    #[serde(default)]
    pub arm: Vec<Act>,
    /// After this it does it.
    #[serde(default)]
    pub fire: Vec<Act>,
}

/// What makes the plugin watch a pane.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// What a program in the pane does.
    pub send: Vec<Act>,
    /// After this, once the pane was granted, the plugin sends a command about it.
    #[serde(default)]
    pub fire: Vec<Act>,
    /// How many different panes it asks for at once, at most.
    #[serde(default = "pending")]
    pub pending: usize,
    /// How long it waits before it asks for the same pane again.
    #[serde(default = "cooldown", deserialize_with = "time")]
    pub cooldown: Duration,
}

/// One thing that happens in or around a pane.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    /// The program has been quiet for a while: `pane_idle`.
    Idle,
    /// The program prints something: `pane_output`.
    Output(Text),
    /// A file is written anew.
    Write(FileText),
    /// Something is appended to a file.
    Append(FileText),
    /// A program connects to a Unix socket and writes something.
    Send(SocketText),
    /// A program is run in the pane, with its token, and has to end with status 0.
    Run(Helper),
    /// From now on the HTTP server answers this.
    Answer(Answer),
}

/// What is written to a socket.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketText {
    /// The path of the socket, which is waited for.
    pub socket: Text,
    /// What is written.
    pub text: Text,
}

/// A program to run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Helper {
    /// The program and its arguments.
    pub command: Vec<Text>,
    /// What it reads.
    #[serde(default)]
    pub stdin: Text,
}

/// How long the plugin takes, and how often it tries.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// How long an action may take after its occasion. Without it the runner only waits for as long as
    /// the plugin is busy.
    #[serde(default, deserialize_with = "some_time")]
    pub within: Option<Duration>,
    /// How often it sends the same command when nothing comes of it, at most.
    pub attempts: Option<usize>,
}

/// How often a plugin may send the same command to no effect, unless its profile says otherwise.
pub const DEFAULT_ATTEMPTS: usize = 5;

const fn ok() -> u16 {
    200
}

const fn pending() -> usize {
    8
}

const fn cooldown() -> Duration {
    Duration::from_secs(30)
}

/// What the runner does without a profile: a prompt and a usage limit in text that naive readers
/// split, then idleness; and exits.
static DEFAULT: LazyLock<Profile> = LazyLock::new(|| {
    let text = include_str!("default.toml");
    toml::from_str(text).expect("the built-in profile is a profile; a test reads it")
});

static EXAMPLE: LazyLock<Profile> = LazyLock::new(|| {
    let text = include_str!("../../examples/nudge.toml");
    toml::from_str(text).expect("the example's profile is a profile; a test reads it")
});

/// The JSON Schema of a profile, for editors and programs that write one.
pub const SCHEMA: &str = include_str!("../../schema/profile.schema.json");

impl Default for Profile {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

impl Default for Look {
    fn default() -> Self {
        Self {
            title: Text::parse("assistant ${marker}").expect("this placeholder is known"),
            command: Text::plain("assistant --interactive"),
            cwd: Text::parse("${home}/${marker}").expect("this placeholder is known"),
        }
    }
}

impl Profile {
    /// The profile of the example plugins.
    #[must_use]
    pub fn example() -> Self {
        EXAMPLE.clone()
    }

    /// How often the plugin may send the same command to no effect.
    #[must_use]
    pub fn attempts(&self) -> usize {
        self.timing.attempts.unwrap_or(DEFAULT_ATTEMPTS)
    }
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let written = String::deserialize(deserializer)?;
    duration::parse(&written).map_err(D::Error::custom)
}

fn some_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    time(deserializer).map(Some)
}

#[cfg(test)]
mod tests;
