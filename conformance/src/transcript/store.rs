use std::time::Duration;

use super::{Happening, StdoutLine, Transcript};
use crate::recording::{Awaited, Did, Entry, Parse, Verdict, What};
use crate::stimulus::{Barrier, Chunk};

/// A transcript as the entries of a recording.
pub fn entries(transcript: &Transcript) -> impl Iterator<Item = Entry> {
    // Only commands are worth parsing; a decoder gives verdicts.
    let gives_verdicts = transcript
        .position(|what| matches!(what, Happening::SentChunk { .. }))
        .is_some();
    let mut lines = transcript.lines().peekable();
    let kept = transcript.entries().iter().enumerate();
    let entries = kept.map(move |(index, entry)| {
        let mut what = describe(transcript, &entry.what);
        if let What::Out { parse, .. } = &mut what
            && !gives_verdicts
        {
            let beginning = std::iter::from_fn(|| lines.next_if(|line| line.entry == index));
            *parse = beginning.map(|line| verdict(&line)).collect();
        }
        let at = entry.at;
        Entry { at, what }
    });
    entries.chain(lost(transcript))
}

/// What a flood of stdout had too much of.
fn lost(transcript: &Transcript) -> Option<Entry> {
    let last = transcript.entries().last();
    let out = transcript.stdout.received - transcript.stdout.bytes.len() as u64;
    (out > 0).then(|| Entry {
        at: last.map_or(Duration::ZERO, |entry| entry.at),
        what: What::Run(Did::Lost { r#in: 0, out }),
    })
}

fn describe(transcript: &Transcript, what: &Happening) -> What {
    let did = match what {
        Happening::SentLine(line) => {
            return What::In {
                bytes: line.bytes().into(),
                repeated_to: None,
                breaks: line.breaks().map(str::to_owned),
                parse: Vec::new(),
            };
        }
        Happening::SentBurst(burst) => {
            return What::In {
                bytes: burst.cycle.clone(),
                repeated_to: Some(burst.bytes),
                breaks: None,
                parse: Vec::new(),
            };
        }
        Happening::SentChunk { chunk, sent } => return sent_chunk(chunk, *sent),
        Happening::Stdout(range) => {
            return What::Out {
                bytes: transcript.stdout()[range.clone()].into(),
                parse: Vec::new(),
            };
        }
        Happening::Stderr(range) => {
            return What::Err(transcript.stderr()[range.clone()].into());
        }
        Happening::Did { what, fault } => Did::Acted {
            what: what.clone(),
            fault: fault.clone(),
        },
        Happening::Stalled { unsent } => Did::Stalled { unsent: *unsent },
        Happening::StdinBroken => Did::StdinBroken,
        Happening::StdinClosed => Did::StdinClosed,
        Happening::StdoutHeld { capacity } => Did::StdoutHeld {
            capacity: *capacity as u64,
        },
        Happening::StdoutReleased => Did::StdoutReleased,
        Happening::StdoutClosed => Did::StdoutClosed,
        Happening::Awaited { barrier, met } => awaited(*barrier, *met),
        Happening::Sampled(sample) => Did::Sampled(*sample),
        Happening::QuietWindow(window) => Did::QuietWindow(*window),
        Happening::Exited { exit, unread } => Did::Exited {
            exit: *exit,
            unread: *unread,
        },
        Happening::Killed => Did::Killed,
        Happening::OutOfTime => Did::OutOfTime,
    };
    What::Run(did)
}

fn sent_chunk(chunk: &Chunk, sent: u64) -> What {
    let unit = chunk.unit();
    let (bytes, repeated_to) = match chunk.times() {
        1 => {
            let taken = usize::try_from(sent).unwrap_or(usize::MAX);
            (&unit[..taken.min(unit.len())], None)
        }
        _ => (unit, Some(sent)),
    };
    What::In {
        bytes: bytes.into(),
        repeated_to,
        breaks: None,
        parse: Vec::new(),
    }
}

fn awaited(barrier: Barrier, met: bool) -> Did {
    let (barrier, pane) = match barrier {
        Barrier::Taken => (Awaited::Taken, None),
        Barrier::Settled => (Awaited::Settled, None),
        Barrier::Command => (Awaited::Command, None),
        Barrier::Answer { token, .. } | Barrier::Alike { token, .. } => {
            (Awaited::Answer, Some(token.short().to_owned()))
        }
        Barrier::Action { token, .. } => (Awaited::Action, Some(token.short().to_owned())),
        Barrier::Exit => (Awaited::Exit, None),
        Barrier::LastWord => (Awaited::LastWord, None),
    };
    Did::Awaited { barrier, pane, met }
}

fn verdict(line: &StdoutLine<'_>) -> Parse {
    let verdict = if line.is_cut {
        Verdict::Cut
    } else {
        match line.decode() {
            Ok(Some(command)) => Verdict::Message(command.kind().as_str().to_owned()),
            Ok(None) => Verdict::Blank,
            Err(refusal) => Verdict::Refused(refusal.to_string()),
        }
    };
    Parse {
        line: line.number as u64,
        verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Exit;
    use crate::transcript::script::{LOG, Script};

    #[test]
    fn every_happening_becomes_an_entry() {
        let transcript = Script::new()
            .opened()
            .burst(3)
            .says(LOG)
            .says("\u{fffd}\n")
            .awaited(Barrier::Settled, true)
            .stdin_closed()
            .exits(0)
            .done();
        let entries: Vec<_> = entries(&transcript).map(|entry| entry.what).collect();
        assert_eq!(entries.len(), 7);
        let What::In {
            bytes, repeated_to, ..
        } = &entries[1]
        else {
            panic!("no burst: {:?}", entries[1]);
        };
        assert_eq!(*repeated_to, Some(3 * bytes.len() as u64));
        let verdicts = entries.iter().flat_map(|what| match what {
            What::Out { parse, .. } => &parse[..],
            _ => &[],
        });
        let verdicts: Vec<_> = verdicts.map(|parse| (parse.line, &parse.verdict)).collect();
        assert_eq!(verdicts[0], (1, &Verdict::Message("log".to_owned())));
        assert!(matches!(verdicts[1], (2, Verdict::Refused(_))));
        assert_eq!(
            entries[6],
            What::Run(Did::Exited {
                exit: Exit::Status(0),
                unread: Some(0)
            })
        );
    }
}
