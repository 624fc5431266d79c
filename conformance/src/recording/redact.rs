use std::borrow::Cow;
use std::collections::BTreeMap;

use nightcrow_protocol::{
    Attention, Command, EncodeError, Event, Log, PaneClosed, PaneExited, PaneIdle, PaneInput,
    PaneOpened, PaneOutput, PaneToken, Relaunch, SendInput, Status, UserInput, WatchPane,
    encode_command, encode_event,
};

use super::stand_in::stand_in;
use crate::traffic::{HeardLine, Message};

/// Makes lines of which nothing private is left: tokens become placeholders, texts are masked, and what
/// is no message becomes a line that is refused for the same reason.
///
/// Left are kinds, generations, numbers, levels, the lengths of texts and words, and which token is
/// which. How a line was spelled is not: it is written anew.
#[derive(Debug, Default)]
pub struct Redactor {
    placeholders: BTreeMap<PaneToken, PaneToken>,
}

/// How every placeholder begins.
pub(crate) const PLACEHOLDER: &str = "redacted-";

/// How many tokens are told from each other; all others share a placeholder.
const MOST_TOKENS: usize = 1 << 16;

impl Redactor {
    /// A redactor that has seen no token.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the line as it may be kept, with its terminator.
    pub fn line(&mut self, line: &HeardLine<'_>, to: &mut Vec<u8>) {
        match &line.message {
            Ok(None) => to.extend_from_slice(line.bytes),
            Ok(Some(message)) => to.extend_from_slice(&self.message(message)),
            Err(refusal) => to.extend(stand_in(*refusal, line.direction, line.bytes)),
        }
        to.extend_from_slice(line.ending.bytes());
    }

    fn message(&mut self, message: &Message<'_>) -> Vec<u8> {
        let mut mask = Mask { cut: 0 };
        loop {
            let encoded = match message {
                Message::Event(event) => encode_event(&self.event(event, mask)),
                Message::Command(command) => encode_command(&self.command(command, mask)),
            };
            // A longer placeholder, or a null that was left out, can make a full line too long.
            match encoded {
                Ok(mut line) => {
                    line.pop();
                    return line.into_bytes();
                }
                Err(EncodeError::LineTooLong { .. }) => mask.cut = 2 * mask.cut + 64,
                Err(EncodeError::RawLineFeed) => unreachable!("JSON escapes line feeds"),
            }
        }
    }

    /// The placeholder of a token. What is one already stays as it is, so that a redacted recording can be
    /// replayed.
    fn token(&mut self, token: PaneToken) -> PaneToken {
        let number = self.placeholders.len() + 1;
        if let Some(placeholder) = self.placeholders.get(&token) {
            return *placeholder;
        }
        if number > MOST_TOKENS {
            return placeholder("more");
        }
        let placeholder = match token.as_str().starts_with(PLACEHOLDER) {
            true => token,
            false => placeholder(&number.to_string()),
        };
        self.placeholders.insert(token, placeholder);
        placeholder
    }

    fn event(&mut self, event: &Event<'_>, mask: Mask) -> Event<'static> {
        match event {
            Event::PaneOpened(opened) => PaneOpened {
                v: opened.v,
                token: self.token(opened.token),
                generation: opened.generation,
                title: opened.title.as_deref().map(|title| mask.text(title)),
                command: opened.command.as_deref().map(|command| mask.text(command)),
                cwd: mask.text(&opened.cwd),
            }
            .into(),
            Event::PaneOutput(output) => PaneOutput {
                v: output.v,
                token: self.token(output.token),
                generation: output.generation,
                text: mask.text(&output.text),
            }
            .into(),
            Event::PaneIdle(idle) => PaneIdle {
                token: self.token(idle.token),
                ..idle.clone()
            }
            .into(),
            Event::PaneExited(exited) => PaneExited {
                token: self.token(exited.token),
                ..exited.clone()
            }
            .into(),
            Event::PaneClosed(closed) => PaneClosed {
                token: self.token(closed.token),
                ..closed.clone()
            }
            .into(),
            Event::UserInput(input) => UserInput {
                token: self.token(input.token),
                ..input.clone()
            }
            .into(),
            Event::Shutdown(shutdown) => shutdown.clone().into(),
        }
    }

    fn command(&mut self, command: &Command<'_>, mask: Mask) -> Command<'static> {
        match command {
            Command::SendInput(input) => SendInput {
                v: input.v,
                token: self.token(input.token),
                generation: input.generation,
                data: PaneInput::new(mask.text(input.data.as_str()))
                    .expect("a masked text is no longer than it was"),
            }
            .into(),
            Command::Relaunch(relaunch) => {
                let kept = relaunch.resume_args.len().saturating_sub(mask.cut);
                let args = relaunch.resume_args[..kept].iter();
                Relaunch {
                    v: relaunch.v,
                    token: self.token(relaunch.token),
                    generation: relaunch.generation,
                    resume_args: args.map(|arg| mask.text(arg)).collect(),
                }
                .into()
            }
            Command::Status(status) => Status {
                v: status.v,
                token: self.token(status.token),
                generation: status.generation,
                state: mask.text(&status.state),
                detail: status.detail.as_deref().map(|detail| mask.text(detail)),
                deadline_epoch: status.deadline_epoch,
                attempt: status.attempt,
            }
            .into(),
            Command::WatchPane(watch) => WatchPane {
                token: self.token(watch.token),
                ..watch.clone()
            }
            .into(),
            Command::Attention(attention) => Attention {
                token: self.token(attention.token),
                ..attention.clone()
            }
            .into(),
            Command::Log(log) => Log {
                v: log.v,
                level: log.level,
                message: mask.text(&log.message),
            }
            .into(),
        }
    }
}

/// How texts are masked.
#[derive(Clone, Copy)]
struct Mask {
    /// How many bytes, or items of a list, are left out at the end.
    cut: usize,
}

impl Mask {
    /// An `x` for every byte that could be read; spaces and control characters stay.
    fn text(self, text: &str) -> Cow<'static, str> {
        let masked = text.bytes().map(|byte| match byte {
            b' ' => b' ',
            control if control.is_ascii_control() => control,
            _ => b'x',
        });
        let mut masked = String::from_utf8(masked.collect()).expect("what is left is ASCII");
        masked.truncate(masked.len().saturating_sub(self.cut));
        masked.into()
    }
}

fn placeholder(name: &str) -> PaneToken {
    PaneToken::new(&format!("{PLACEHOLDER}{name}")).expect("letters, digits and `-` make a token")
}

#[cfg(test)]
mod tests {
    use memchr::memmem;
    use nightcrow_protocol::limits::MAX_LINE_BYTES;
    use proptest::prelude::*;

    use super::*;
    use crate::traffic::{Direction, Lines};

    fn redact(redactor: &mut Redactor, direction: Direction, stream: &[u8]) -> Vec<u8> {
        let mut lines = Lines::new(direction);
        let mut redacted = Vec::new();
        lines.hear(stream, |line| redactor.line(line, &mut redacted));
        lines.end(|line| redactor.line(line, &mut redacted));
        redacted
    }

    fn verdicts(direction: Direction, stream: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(direction);
        let mut verdicts = Vec::new();
        let mut note = |line: &HeardLine<'_>| {
            let verdict = match &line.message {
                Ok(Some(message)) => message.kind(),
                Ok(None) => "blank",
                Err(refusal) => refusal.code().as_str(),
            };
            verdicts.push(format!("{verdict} {:?}", line.ending));
        };
        lines.hear(stream, &mut note);
        lines.end(note);
        verdicts
    }

    #[test]
    fn keeps_the_shape_and_nothing_else() {
        let mut redactor = Redactor::new();
        let opened = br#"{"event":"pane_opened","v":3,"token":"00112233","generation":1,"title":null,"command":"make -C a","cwd":"/home/ann"}
"#;
        assert_eq!(
            String::from_utf8(redact(&mut redactor, Direction::In, opened)).unwrap(),
            r#"{"event":"pane_opened","v":3,"token":"redacted-1","generation":1,"title":null,"command":"xxxx xx x","cwd":"xxxxxxxxx"}
"#
        );
        let input = b"{\"cmd\":\"send_input\",\"v\":3,\"token\":\"00112233\",\"generation\":1,\"data\":\"yes\\r\",\"zz\":\"private\"}\r\n";
        assert_eq!(
            String::from_utf8(redact(&mut redactor, Direction::Out, input)).unwrap(),
            "{\"cmd\":\"send_input\",\"v\":3,\"token\":\"redacted-1\",\"generation\":1,\"data\":\"xxx\\r\"}\r\n"
        );
        assert_eq!(
            redact(&mut redactor, Direction::Out, b"the password is 1234\n"),
            b"xxxxxxxxxxxxxxxxxxxx\n"
        );
    }

    #[test]
    fn a_full_line_stays_within_the_limit() {
        let fill = |head: &str, tail: &str| {
            let missing = MAX_LINE_BYTES - head.len() - tail.len();
            format!("{head}{}{tail}\n", "a".repeat(missing))
        };
        let opened = fill(
            r#"{"event":"pane_opened","v":3,"token":"a","generation":1,"cwd":""#,
            r#""}"#,
        );
        let log = fill(r#"{"cmd":"log","v":3,"level":"info","message":""#, r#""}"#);
        let args = format!(
            r#"{{"cmd":"relaunch","v":3,"token":"a","generation":1,"resume_args":[{}""]}}"#,
            r#""","#.repeat(21_822)
        );
        assert!(args.len() + 9 > MAX_LINE_BYTES && args.len() <= MAX_LINE_BYTES);
        for (direction, line) in [
            (Direction::In, opened),
            (Direction::Out, log),
            (Direction::Out, args + "\n"),
        ] {
            let redacted = redact(&mut Redactor::new(), direction, line.as_bytes());
            assert!(redacted.len() <= MAX_LINE_BYTES + 1);
            assert_eq!(
                verdicts(direction, &redacted),
                verdicts(direction, line.as_bytes())
            );
        }
    }

    /// Lines that quote a token wherever one can stand.
    fn line(token: &str, kind: usize, ending: &str) -> (Direction, String) {
        let t = token;
        let (direction, line) = match kind {
            0 => (
                Direction::In,
                format!(
                    r#"{{"event":"pane_opened","v":3,"token":"{t}","generation":1,"title":"{t}","command":"run {t}","cwd":"/{t}"}}"#
                ),
            ),
            1 => (
                Direction::In,
                format!(
                    r#"{{"v":3,"token":"{t}","generation":2,"text":"a {t}é\u001b","event":"pane_output"}}"#
                ),
            ),
            2 => (
                Direction::In,
                format!(r#"{{"event":"pane_zoomed","v":3,"token":"{t}"}}"#),
            ),
            3 => (Direction::In, t.to_string()),
            4 => (
                Direction::Out,
                format!(
                    r#"{{"cmd":"status","v":3,"token":"{t}","generation":1,"state":"{t}","detail":"{t}","attempt":0}}"#
                ),
            ),
            5 => (
                Direction::Out,
                format!(
                    r#"{{"cmd":"send_input","v":3,"token":"{t}","generation":1,"data":"{t}"}}"#
                ),
            ),
            6 => (
                Direction::Out,
                format!(
                    r#"{{"cmd":"relaunch","v":3,"token":"{t}","generation":1,"resume_args":["{t}",""]}}"#
                ),
            ),
            7 => (
                Direction::Out,
                format!(r#"{{"cmd":"log","v":3,"level":"warn","message":"{t}","{t}":"{t}"}}"#),
            ),
            8 => (
                Direction::Out,
                format!(r#"{{"cmd":"watch_pane","v":3,"token":"{t}"}}"#),
            ),
            9 => (
                Direction::Out,
                format!(r#"{{"cmd":"watch_pane","v":2,"token":"{t}"}}"#),
            ),
            10 => (
                Direction::Out,
                format!(r#"{{"cmd":"attention","v":3,"token":"{t}","{t}":1,"{t}":2}}"#),
            ),
            _ => (Direction::Out, String::new()),
        };
        (direction, line + ending)
    }

    proptest! {
        #[test]
        fn no_token_is_left_and_every_verdict_stays(
            token in "[A-Za-z0-9_-]{12,40}",
            kinds in prop::collection::vec((0..12_usize, 0..3_usize), 1..12),
        ) {
            let mut redactor = Redactor::new();
            for (kind, ending) in kinds {
                let (direction, line) = line(&token, kind, ["\n", "\r\n", ""][ending]);
                let redacted = redact(&mut redactor, direction, line.as_bytes());
                prop_assert!(memmem::find(&redacted, token.as_bytes()).is_none());
                prop_assert_eq!(verdicts(direction, &redacted), verdicts(direction, line.as_bytes()));
                // A redacted line has nothing left to redact.
                let again = redact(&mut Redactor::new(), direction, &redacted);
                prop_assert_eq!(again, redacted);
            }
        }
    }
}
