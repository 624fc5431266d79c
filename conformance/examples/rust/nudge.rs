//! A small honest plugin: it presses Enter where a program waits for it, or has signalled that it will,
//! and starts a program that ended once again.
//!
//! A program in a pane signals by writing its token to the plugin's socket and closing; from a shell:
//!
//! ```sh
//! echo $NIGHTCROW_PANE_TOKEN | nc -NU $NIGHTCROW_PLUGIN_RUNTIME_DIR/nudge.sock
//! ```
//!
//! It is the subject that the conformance runner tests when none is named, and a place to start from.
//! The same plugin stands beside it in Python and in JavaScript.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, Instant};

use nightcrow_protocol::{
    Command, Event, Level, LineFramer, Log, PaneGeneration, PaneInput, PaneToken, Relaunch,
    SendInput, Status, WatchPane, encode_command,
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

/// Panes that were asked for and not shown yet.
const MAX_ASKED: usize = 8;

/// The time in which a host answers; silence is a refusal.
const PATIENCE: Duration = Duration::from_secs(30);

/// Connections to our socket at a time; the next one waits until it is accepted.
const MAX_CONNECTIONS: usize = 16;

/// What a connection may write, in bytes.
const MAX_SIGNAL: usize = 256;

/// The time that a connection may take.
const SIGNAL_TIME: Duration = Duration::from_secs(2);

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
    let nudge = Arc::new(Mutex::new(Nudge::new(outbox)));
    let _socket = Socket::open_for(&nudge);
    listen(nudge, &told_to_end);
    // At the end of stdin the queue is written out; after `shutdown` only the line that was begun.
    let _ = all_written.recv_timeout(LAST_LINES);
    ExitCode::SUCCESS
}

/// Takes the only lasting hold of the plugin: at the end nobody can add to the queue any more.
#[expect(clippy::needless_pass_by_value, reason = "it is dropped at the end")]
fn listen(nudge: Arc<Mutex<Nudge>>, told_to_end: &AtomicBool) {
    let (mut stdin, mut framer, mut chunk) = (io::stdin().lock(), LineFramer::new(), [0; 1 << 16]);
    loop {
        // No error on stdin can be mended: the host is gone.
        let Ok(length @ 1..) = stdin.read(&mut chunk) else {
            return;
        };
        let mut input = &chunk[..length];
        while let Some(line) = framer.next_line(&mut input) {
            let mut nudge = lock(&nudge);
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

fn lock(nudge: &Mutex<Nudge>) -> MutexGuard<'_, Nudge> {
    nudge.lock().expect("nobody panics while holding it")
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

/// Where programs signal. It is removed on drop.
struct Socket {
    path: PathBuf,
    inode: u64,
}

impl Socket {
    /// Whoever tries a plugin by hand has no runtime directory; everything else works without.
    fn open_for(nudge: &Arc<Mutex<Nudge>>) -> Option<Self> {
        let folder = std::env::var_os("NIGHTCROW_PLUGIN_RUNTIME_DIR")?;
        let opened = Self::open(PathBuf::from(folder).join("nudge.sock"), nudge);
        opened
            .map_err(|error| {
                let what = format!("nobody can signal: {}", error.kind());
                lock(nudge).log(Level::Warn, &what);
            })
            .ok()
    }

    fn open(path: PathBuf, nudge: &Arc<Mutex<Nudge>>) -> io::Result<Self> {
        // A predecessor that was killed has left it.
        if path.exists() {
            fs::remove_file(&path)?;
        }
        let listener = Arc::new(UnixListener::bind(&path)?);
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let inode = fs::metadata(&path)?.ino();
        // A thread for each connection that may be open, so that there cannot be more.
        for _ in 0..MAX_CONNECTIONS {
            let (listener, nudge) = (Arc::clone(&listener), Arc::downgrade(nudge));
            thread::spawn(move || hear(&listener, &nudge));
        }
        Ok(Self { path, inode })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Unless a successor has put its own there.
        if fs::metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Hears the programs that connect, one after the other. Each writes its pane's token and closes.
fn hear(listener: &UnixListener, nudge: &Weak<Mutex<Nudge>>) {
    while let Ok((mut connection, _)) = listener.accept() {
        if let Some(token) = signalled(&mut connection)
            && let Some(nudge) = nudge.upgrade()
        {
            lock(&nudge).on_signal(token);
        }
    }
}

/// The token that a program wrote. Whoever runs as the same user can connect and then say nothing, or
/// a byte a minute, or no end of them.
fn signalled(connection: &mut UnixStream) -> Option<PaneToken> {
    let until = Instant::now() + SIGNAL_TIME;
    let (mut said, mut length) = ([0; MAX_SIGNAL], 0);
    while length < MAX_SIGNAL && !said[..length].contains(&b'\n') {
        let left = until.saturating_duration_since(Instant::now());
        connection.set_read_timeout(Some(left)).ok()?; // refuses no time at all
        match connection.read(&mut said[length..]).ok()? {
            0 => break,
            more => length += more,
        }
    }
    let line = said[..length].split(|byte| *byte == b'\n').next()?;
    let token = line.strip_suffix(b"\r").unwrap_or(line);
    PaneToken::new(str::from_utf8(token).ok()?).ok()
}

/// What the plugin knows.
struct Nudge {
    panes: HashMap<PaneToken, Pane>,
    /// When each pane was asked for.
    asked: HashMap<PaneToken, Instant>,
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
    has_signalled: bool,
    /// The end of what it printed, in lower case.
    text: String,
}

impl Nudge {
    fn new(outbox: SyncSender<String>) -> Self {
        let mut nudge = Self {
            panes: HashMap::new(),
            asked: HashMap::new(),
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
            self.on_opened(token, generation, opened.command.is_some());
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
            Event::PaneIdle(_) if pane.is_live && pane.wants_enter() => {
                pane.forget();
                let enter = PaneInput::new("\r").expect("one byte fits");
                self.say(&SendInput::new(token, generation, enter).into());
            }
            // A person took over: whatever we had in mind is off.
            Event::UserInput(_) => pane.forget(),
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

    fn on_opened(&mut self, token: PaneToken, generation: PaneGeneration, can_relaunch: bool) {
        let asked = self.asked.remove(&token);
        let before = self.panes.get(&token);
        // Else it is announced once more, to answer a `watch_pane`.
        if before.is_none_or(|pane| pane.generation != generation) {
            let pane = Pane {
                generation,
                can_relaunch,
                was_relaunched: before.is_some_and(|pane| pane.was_relaunched),
                is_live: true,
                has_signalled: asked.is_some_and(is_recent),
                text: String::new(),
            };
            self.panes.insert(token, pane);
        }
        self.say(&Status::new(token, generation, "watching").into());
    }

    /// A program in this pane wants Enter to be pressed when it is idle.
    fn on_signal(&mut self, token: PaneToken) {
        if let Some(pane) = self.panes.get_mut(&token) {
            pane.has_signalled = true;
            return;
        }
        // Not ours yet. A host that does not want us to have it does not answer, so we neither ask
        // again at once nor remember it for long.
        self.asked.retain(|_, asked| is_recent(*asked));
        if self.asked.len() < MAX_ASKED && !self.asked.contains_key(&token) {
            self.asked.insert(token, Instant::now());
            self.say(&WatchPane::new(token).into());
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

fn is_recent(asked: Instant) -> bool {
    asked.elapsed() < PATIENCE
}

impl Pane {
    fn wants_enter(&self) -> bool {
        self.has_signalled || self.text.contains(PHRASE)
    }

    fn forget(&mut self) {
        self.has_signalled = false;
        self.text.clear();
    }

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
