//! A small honest plugin: it presses Enter where a program waits for it, and starts a program that
//! ended once again.
//!
//! It is the subject that the conformance runner tests when none is named, and a place to start from.
//! The same plugin stands beside it in Python and in JavaScript.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use nightcrow_protocol::{
    Command, Event, Level, LineFramer, Log, PaneGeneration, PaneInput, PaneToken, Relaunch,
    SendInput, Status, encode_command,
};

/// What a program prints that waits for Enter.
const PHRASE: &str = "press enter to continue";

/// How much of a pane's last text is kept: a phrase may come in two events.
const KEPT_CHARACTERS: usize = 200;

/// Lines that may wait for a slow host. What does not fit is dropped, as if the host had refused it:
/// reading on matters more, because a host may stop a plugin that does not read.
const QUEUE_LINES: usize = 256;

/// How long the last lines may take at the end; a host waits for two seconds.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Runs until the host says `shutdown` or is gone.
pub fn run() -> ExitCode {
    let (outbox, inbox) = mpsc::sync_channel(QUEUE_LINES);
    let told_to_end = Arc::new(AtomicBool::new(false));
    let (written, all_written) = mpsc::channel();
    // Writing has a thread of its own: a host that does not read must not keep us from reading.
    let is_over = Arc::clone(&told_to_end);
    thread::spawn(move || {
        write_lines(&inbox, &is_over);
        let _ = written.send(());
    });
    listen(Nudge::new(outbox), &told_to_end);
    // At the end of stdin the queue is written out; after `shutdown` only the line that was begun.
    let _ = all_written.recv_timeout(LAST_LINES);
    ExitCode::SUCCESS
}

fn listen(mut nudge: Nudge, told_to_end: &AtomicBool) {
    let (mut stdin, mut framer, mut chunk) = (io::stdin().lock(), LineFramer::new(), [0; 1 << 16]);
    loop {
        // No error on stdin can be mended: the host is gone.
        let Ok(length @ 1..) = stdin.read(&mut chunk) else {
            return;
        };
        let mut input = &chunk[..length];
        while let Some(line) = framer.next_line(&mut input) {
            match line.decode_event() {
                Ok(Some(Event::Shutdown(_))) => {
                    told_to_end.store(true, Ordering::Relaxed);
                    return;
                }
                Ok(Some(event)) => nudge.on_event(&event),
                Ok(None) => {} // a blank line
                // Over-long, of another version, or of a kind that we do not know: said, not acted on.
                Err(refusal) => nudge.log(Level::Warn, &refusal.to_string()),
            }
            if nudge.is_unheard {
                return;
            }
        }
    }
}

/// One write and one flush per line: a host waits for what sits in our buffer.
fn write_lines(inbox: &Receiver<String>, is_over: &AtomicBool) {
    for line in inbox {
        if is_over.load(Ordering::Relaxed) {
            return; // after `shutdown` what still waits is dropped
        }
        let mut stdout = io::stdout().lock();
        if stdout
            .write_all(line.as_bytes())
            .and_then(|()| stdout.flush())
            .is_err()
        {
            return; // nobody reads any more
        }
    }
}

/// What the plugin knows.
struct Nudge {
    panes: HashMap<PaneToken, Pane>,
    outbox: SyncSender<String>,
    /// The host has closed our stdout.
    is_unheard: bool,
}

struct Pane {
    /// The newest process in it: commands about an older one would be refused.
    generation: PaneGeneration,
    can_relaunch: bool,
    was_relaunched: bool,
    is_live: bool,
    /// The end of what it printed, in lower case.
    text: String,
}

impl Nudge {
    fn new(outbox: SyncSender<String>) -> Self {
        let mut nudge = Self {
            panes: HashMap::new(),
            outbox,
            is_unheard: false,
        };
        nudge.log(Level::Info, "nudge has started");
        nudge
    }

    fn on_event(&mut self, event: &Event<'_>) {
        let Some((token, generation)) = event.pane() else {
            return;
        };
        if let Event::PaneOpened(opened) = event {
            let was_relaunched = self
                .panes
                .get(&token)
                .is_some_and(|pane| pane.was_relaunched);
            let can_relaunch = opened.command.is_some();
            let text = String::new();
            let pane = Pane {
                generation,
                can_relaunch,
                was_relaunched,
                is_live: true,
                text,
            };
            self.panes.insert(token, pane);
            self.say(&Status::new(token, generation, "watching").into());
            return;
        }
        // What is about an older process comes too late to matter.
        let Some(pane) = self
            .panes
            .get_mut(&token)
            .filter(|pane| pane.generation == generation)
        else {
            return;
        };
        match event {
            Event::PaneOutput(output) => pane.remember(&output.text),
            Event::PaneIdle(_) if pane.is_live && pane.text.contains(PHRASE) => {
                pane.text.clear();
                let enter = PaneInput::new("\r").expect("one byte fits");
                self.say(&SendInput::new(token, generation, enter).into());
            }
            // A person took over: whatever we had in mind is off.
            Event::UserInput(_) => pane.text.clear(),
            Event::PaneExited(_) => {
                pane.is_live = false;
                let relaunch = pane.can_relaunch && !pane.was_relaunched;
                pane.was_relaunched |= relaunch;
                self.say(&Status::new(token, generation, "exited").into());
                if relaunch {
                    self.say(&Relaunch::new(token, generation, Vec::new()).into());
                }
            }
            Event::PaneClosed(_) => {
                self.panes.remove(&token);
            }
            Event::PaneIdle(_) | Event::PaneOpened(_) | Event::Shutdown(_) => {}
        }
    }

    fn log(&mut self, level: Level, message: &str) {
        self.say(&Log::new(level, message).into());
    }

    fn say(&mut self, command: &Command<'_>) {
        let Ok(line) = encode_command(command) else {
            return; // too long for a line; ours never are
        };
        let result = self.outbox.try_send(line);
        self.is_unheard |= matches!(result, Err(mpsc::TrySendError::Disconnected(_)));
    }
}

impl Pane {
    fn remember(&mut self, text: &str) {
        let new = text
            .char_indices()
            .rev()
            .nth(KEPT_CHARACTERS)
            .map_or(0, |(start, _)| start);
        self.text.push_str(&text[new..].to_lowercase());
        let surplus = self
            .text
            .char_indices()
            .rev()
            .nth(KEPT_CHARACTERS)
            .map_or(0, |(start, _)| start);
        self.text.drain(..surplus);
    }
}
