use std::io::BufRead;
use std::sync::Arc;

use crate::drive::Cue;
use crate::recording::{BadRecording, Did, Entry, Reader, Source, What};
use crate::traffic::{Direction, Lines, Message};

/// What a recording says to do, and what was said then.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// What to do, in order.
    pub cues: Vec<Cue>,
    /// What the plugin said.
    pub stdout: Vec<u8>,
    /// Not all that went by was kept: the plugin may rightly say something else now.
    pub is_incomplete: bool,
    /// More was done than to send events, such as a signal of a program, and is not done again: the plugin
    /// may rightly say less now.
    pub was_acted: bool,
}

impl Score {
    /// Reads the rest of a recording.
    ///
    /// # Errors
    /// If it turns out to be no recording.
    pub fn read<R: BufRead>(recording: Reader<R>) -> Result<Self, BadRecording> {
        let mut writing = Writing {
            score: Self::default(),
            is_check: matches!(recording.header().source, Source::Check { .. }),
            lines: Lines::new(Direction::Out),
            commands: 0,
            certain: 0,
            awaited: 0,
        };
        for entry in recording {
            writing.add(entry?);
        }
        writing.await_commands(writing.commands);
        Ok(writing.score)
    }
}

struct Writing {
    score: Score,
    is_check: bool,
    lines: Lines,
    /// How many commands were said so far.
    commands: u64,
    /// How many of them had come before what follows was sent.
    certain: u64,
    /// How many the last cue waits for.
    awaited: u64,
}

impl Writing {
    fn add(&mut self, entry: Entry) {
        match entry.what {
            What::In {
                bytes, repeated_to, ..
            } => {
                let total = repeated_to.unwrap_or(bytes.len() as u64);
                self.act(Cue::Send {
                    cycle: bytes,
                    total,
                });
                self.certain = self.commands;
            }
            What::Out { bytes, .. } => {
                self.hear(&bytes);
                // A check writes down what it sent when all of it was taken: an answer may stand before
                // what it answers.
                if !self.is_check {
                    self.certain = self.commands;
                }
            }
            What::Err(_) => {}
            What::Run(did) => {
                self.certain = self.commands;
                self.happened(&did);
            }
        }
    }

    fn happened(&mut self, did: &Did) {
        match did {
            Did::StdinClosed => self.act(Cue::CloseStdin),
            Did::StdoutHeld { .. } => self.act(Cue::HoldStdout),
            Did::StdoutReleased => self.act(Cue::ReleaseStdout),
            Did::StdoutClosed => self.act(Cue::CloseStdout),
            Did::Lost { .. } => self.score.is_incomplete = true,
            Did::Acted { .. } => self.score.was_acted = true,
            Did::Stalled { .. }
            | Did::StdinBroken
            | Did::StdoutEnded
            | Did::Awaited { .. }
            | Did::Sampled(_)
            | Did::QuietWindow(_)
            | Did::Exited { .. }
            | Did::Killed
            | Did::OutOfTime => {}
        }
    }

    /// Does this when everything has come that had come then.
    fn act(&mut self, cue: Cue) {
        self.await_commands(self.certain);
        match (self.score.cues.last_mut(), cue) {
            // What was sent in one go is sent in one go: a write for each line would be slow.
            (
                Some(Cue::Send { cycle, total }),
                Cue::Send {
                    cycle: more,
                    total: and,
                },
            ) if *total == cycle.len() as u64
                && and == more.len() as u64
                && cycle.len() + more.len() <= MOST_IN_ONE_GO =>
            {
                let both: Arc<[u8]> = [&cycle[..], &more[..]].concat().into();
                *total += and;
                *cycle = both;
            }
            (_, cue) => self.score.cues.push(cue),
        }
    }

    fn await_commands(&mut self, commands: u64) {
        if commands > self.awaited {
            self.score.cues.push(Cue::Await(commands));
            self.awaited = commands;
        }
    }

    fn hear(&mut self, bytes: &[u8]) {
        let commands = &mut self.commands;
        self.lines.hear(bytes, |line| {
            let is_command = matches!(line.message, Ok(Some(Message::Command(_))));
            *commands += u64::from(is_command);
        });
        self.score.stdout.extend_from_slice(bytes);
    }
}

/// How many bytes are put together into one cue.
const MOST_IN_ONE_GO: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::recording::{Awaited, Header, Writer};

    const LOG: &[u8] = b"{\"cmd\":\"log\",\"v\":3,\"level\":\"info\",\"message\":\"hi\"}\n";

    fn score(source: Source, whats: Vec<What>) -> Score {
        let header = Header {
            source,
            subject: None,
            redacted: false,
        };
        let mut file = Vec::new();
        let mut writer = Writer::new(&mut file, &header).unwrap();
        for what in whats {
            let at = Duration::ZERO;
            writer.write(&Entry { at, what }).unwrap();
        }
        Score::read(Reader::new(&file[..], "file").unwrap()).unwrap()
    }

    fn sent(bytes: &[u8], repeated_to: Option<u64>) -> What {
        What::In {
            bytes: bytes.into(),
            repeated_to,
            breaks: None,
            parse: Vec::new(),
        }
    }

    fn said(bytes: &[u8]) -> What {
        What::Out {
            bytes: bytes.into(),
            parse: Vec::new(),
        }
    }

    fn send(cycle: &[u8], total: u64) -> Cue {
        let cycle = cycle.into();
        Cue::Send { cycle, total }
    }

    #[test]
    fn waits_for_what_had_come_before_it_goes_on() {
        let (head, tail) = LOG.split_at(20);
        let score = score(
            Source::Proxy,
            vec![
                said(LOG),
                sent(b"a\n", None),
                sent(b"b\n", None),
                said(b"no command\n"),
                said(head),
                sent(b"c\n", None),
                said(tail),
                sent(b"d\n", Some(6)),
                What::Run(Did::StdinClosed),
                said(LOG),
            ],
        );
        let expected = [
            Cue::Await(1),
            send(b"a\nb\nc\n", 6),
            Cue::Await(2),
            send(b"d\n", 6),
            Cue::CloseStdin,
            Cue::Await(3),
        ];
        assert_eq!(score.cues, expected);
        assert_eq!(score.stdout, [LOG, b"no command\n", LOG, LOG].concat());
    }

    #[test]
    fn an_answer_that_a_check_noted_early_is_not_waited_for() {
        let source = || Source::Check {
            id: "LIF-001".to_owned(),
        };
        let early = vec![said(LOG), sent(b"a\n", Some(4))];
        assert_eq!(
            score(source(), early).cues,
            [send(b"a\n", 4), Cue::Await(1)]
        );
        let barrier = What::Run(Did::Awaited {
            barrier: Awaited::Command,
            pane: None,
            met: true,
        });
        let certain = vec![said(LOG), barrier, sent(b"a\n", Some(4))];
        assert_eq!(
            score(source(), certain).cues,
            [Cue::Await(1), send(b"a\n", 4)]
        );
    }
}
