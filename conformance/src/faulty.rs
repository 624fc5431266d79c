//! Faulty plugins in Rust, built into the runner so that whoever has it can see it catch them.
//!
//! Each does one thing wrong that authors do wrong, and is honest otherwise. The faulty plugins in
//! other languages stand in `subjects/plugin`.

use std::io::{self, BufWriter, Read, Write};
use std::mem::ManuallyDrop;
use std::process::{self, ExitCode};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use nightcrow_protocol::{
    Command, Event, Level, LineFramer, Log, RefusalCode, Status, encode_command,
};

/// What is wrong with a faulty plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Behaviour {
    /// Writes texts as Rust shows them in a debugger: nearly JSON.
    FormatsWithDebug,
    /// Has a buffer between itself and stdout, and ends without emptying it.
    LosesItsBuffer,
    /// Is built to abort where others unwind, and prints until that fails.
    AbortsWhenUnheard,
    /// Unwraps what it reads, so that an event that it does not know is the end of it.
    UnwrapsWhatItReads,
}

/// Lines that may wait for a slow host.
const QUEUE_LINES: usize = 256;

/// How long the last lines may take at the end.
const LAST_LINES: Duration = Duration::from_secs(1);

impl Behaviour {
    /// What each of them is called on the command line.
    pub fn names() -> impl Iterator<Item = String> {
        let values = Self::value_variants().iter();
        values
            .filter_map(Self::to_possible_value)
            .map(|value| value.get_name().to_owned())
    }

    /// Acts as a plugin that behaves like this.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let (outbox, inbox) = mpsc::sync_channel(QUEUE_LINES);
        let (written, all_written) = mpsc::channel();
        thread::spawn(move || {
            self.write(&inbox);
            let _ = written.send(());
        });
        let say = |command: &Command<'_>| {
            let _ = outbox.try_send(self.encode(command));
        };
        let is_told_to_end = self.listen(&say);
        drop(outbox);
        if !is_told_to_end {
            let _ = all_written.recv_timeout(LAST_LINES);
        }
        ExitCode::SUCCESS
    }

    /// Returns whether the host said `shutdown`, and did not merely go away.
    fn listen(self, say: &impl Fn(&Command<'_>)) -> bool {
        let (mut stdin, mut framer, mut chunk) =
            (io::stdin().lock(), LineFramer::new(), [0; 1 << 16]);
        say(&Log::new(Level::Info, "✔\u{fe0f} started").into());
        while let Ok(length @ 1..) = stdin.read(&mut chunk) {
            let mut input = &chunk[..length];
            while let Some(line) = framer.next_line(&mut input) {
                match line.decode_event() {
                    Ok(Some(Event::Shutdown(_))) => return true,
                    Ok(Some(event @ (Event::PaneOpened(_) | Event::PaneExited(_)))) => {
                        if let Some((token, generation)) = event.pane() {
                            let state = event.kind().as_str();
                            say(&Status::new(token, generation, state).into());
                        }
                    }
                    Ok(_) => {}
                    Err(refusal) => {
                        let is_fatal = self == Self::UnwrapsWhatItReads
                            && refusal.code() == RefusalCode::UnknownKind;
                        assert!(!is_fatal, "called `Result::unwrap()` on an `Err` value");
                        say(&Log::new(Level::Warn, "✔\u{fe0f} not for me").into());
                    }
                }
            }
        }
        false
    }

    fn encode(self, command: &Command<'_>) -> String {
        if let Command::Log(log) = command
            && self == Self::FormatsWithDebug
        {
            let message = &log.message;
            return format!(
                "{{\"cmd\":\"log\",\"v\":3,\"level\":\"info\",\"message\":{message:?}}}\n"
            );
        }
        encode_command(command).expect("what it says is short")
    }

    fn write(self, inbox: &Receiver<String>) {
        // Like one in a static it has no destructor that would empty it.
        let mut buffered = ManuallyDrop::new(BufWriter::new(io::stdout()));
        for line in inbox {
            let result = if self == Self::LosesItsBuffer {
                buffered.write_all(line.as_bytes())
            } else {
                io::stdout().write_all(line.as_bytes())
            };
            match result {
                Ok(()) => {}
                Err(_) if self == Self::AbortsWhenUnheard => process::abort(),
                Err(_) => process::exit(0),
            }
        }
    }
}
