//! Messages as text, to be varied member by member.

use serde_json::Value;

use super::{Case, Direction};

/// A message as the texts of its members, in order.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    members: Vec<(String, String)>,
}

/// The token of every sample.
pub(super) const TOKEN: &str = "00112233445566778899aabbccddeeff";

impl Sample {
    fn new(tag: &str, kind: &str) -> Self {
        Self {
            members: Vec::new(),
        }
        .with(tag, &quoted(kind))
        .with("v", "3")
    }

    fn of_a_pane(tag: &str, kind: &str) -> Self {
        Self::new(tag, kind)
            .with("token", &quoted(TOKEN))
            .with("generation", "1")
    }

    /// A member with this text as its value: a new one at the end, or another value for an old one.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        let new = (name.to_owned(), value.to_owned());
        match self.members.iter_mut().find(|(known, _)| known == name) {
            Some(old) => *old = new,
            None => self.members.push(new),
        }
        self
    }

    /// A second member, whatever there is already.
    pub(super) fn and(mut self, name: &str, value: &str) -> Self {
        self.members.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without a member.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.members.retain(|(known, _)| known != name);
        self
    }

    /// The tag moved to the end.
    pub(super) fn tag_last(mut self) -> Self {
        self.members.rotate_left(1);
        self
    }

    /// The names of the members, the tag and `v` included.
    pub(super) fn names(&self) -> Vec<String> {
        self.members.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The line, without a terminator.
    pub(super) fn line(&self) -> String {
        self.spaced("", "")
    }

    /// The line with these around each token.
    pub(super) fn spaced(&self, before: &str, behind: &str) -> String {
        let members = self
            .members
            .iter()
            .map(|(name, value)| format!("{before}\"{name}\"{behind}:{before}{value}{behind}"));
        let members: Vec<_> = members.collect();
        format!("{before}{{{}}}{behind}", members.join(","))
    }

    /// The message that the line is, if it is one that needs no decoding rules.
    pub(super) fn message(&self) -> Value {
        serde_json::from_str(&self.line()).expect("samples are JSON until they are varied")
    }

    /// A case in which it is accepted as it is.
    pub(super) fn accepted(&self, about: &str) -> Case {
        Case::accepted(about, self.line(), self.message())
    }

    /// A case in which it is refused.
    pub(super) fn refused(&self, about: &str, code: nightcrow_protocol::RefusalCode) -> Case {
        Case::refused(about, self.line(), code)
    }
}

/// A text as JSON, when it needs no escapes.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// A `log` with this as the text between the quotes of its message.
pub(super) fn log(message: &str) -> Sample {
    Sample::new("cmd", "log")
        .with("level", "\"info\"")
        .with("message", &quoted(message))
}

/// A `send_input` with this as the text between the quotes of its data.
pub(super) fn send_input(data: &str) -> Sample {
    Sample::of_a_pane("cmd", "send_input").with("data", &quoted(data))
}

/// A `relaunch` with this text as its arguments.
pub(super) fn relaunch(resume_args: &str) -> Sample {
    Sample::of_a_pane("cmd", "relaunch").with("resume_args", resume_args)
}

/// A `status`.
pub(super) fn status() -> Sample {
    Sample::of_a_pane("cmd", "status")
        .with("state", "\"waiting\"")
        .with("detail", "\"resets soon\"")
        .with("deadline_epoch", "1800000000")
        .with("attempt", "0")
}

/// A `watch_pane`.
pub(super) fn watch_pane() -> Sample {
    Sample::new("cmd", "watch_pane").with("token", &quoted(TOKEN))
}

/// An `attention`.
pub(super) fn attention() -> Sample {
    Sample::of_a_pane("cmd", "attention")
}

/// A `pane_output` with this as the text between the quotes of its text.
pub(super) fn pane_output(text: &str) -> Sample {
    Sample::of_a_pane("event", "pane_output").with("text", &quoted(text))
}

/// A `pane_idle` with this text as its time.
pub(super) fn pane_idle(idle_ms: &str) -> Sample {
    Sample::of_a_pane("event", "pane_idle").with("idle_ms", idle_ms)
}

/// A `shutdown`.
pub(super) fn shutdown() -> Sample {
    Sample::new("event", "shutdown")
}

/// One message of each kind.
pub(super) fn each_kind(direction: Direction) -> Vec<Sample> {
    match direction {
        Direction::Commands => vec![
            send_input("continue"),
            relaunch(r#"["resume","0199cbb1"]"#),
            status(),
            watch_pane(),
            attention(),
            log("watching"),
        ],
        Direction::Events => vec![
            Sample::of_a_pane("event", "pane_opened")
                .with("title", "\"build\"")
                .with("command", "\"make watch\"")
                .with("cwd", "\"/home/ann/repo\""),
            pane_output("done"),
            pane_idle("10007"),
            Sample::of_a_pane("event", "pane_exited"),
            Sample::of_a_pane("event", "pane_closed"),
            Sample::of_a_pane("event", "user_input"),
            shutdown(),
        ],
    }
}

/// A message that holds a text: this, between quotes.
pub(super) fn text(direction: Direction, text: &str) -> Sample {
    match direction {
        Direction::Commands => log(text),
        Direction::Events => pane_output(text),
    }
}

/// The name of the member that holds that text.
pub(super) const fn text_member(direction: Direction) -> &'static str {
    match direction {
        Direction::Commands => "message",
        Direction::Events => "text",
    }
}
