//! Raises attention whenever a pane that it watches goes quiet.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::{thread, time::Duration};

use nightcrow_protocol::{
    Attention, Command, Event, Level, Line, LineFramer, Log, PaneIdle, encode_command,
};

fn main() -> io::Result<()> {
    let (queue, lines) = mpsc::sync_channel::<String>(64);
    let (done, written) = mpsc::channel::<()>();
    // Writing has a thread of its own: a host that does not read must not keep us from reading.
    thread::spawn(move || {
        let (mut stdout, _done) = (io::stdout(), done);
        let mut send = |line: String| {
            stdout
                .write_all(line.as_bytes())
                .and_then(|()| stdout.flush())
        };
        lines.iter().try_for_each(&mut send)
    });
    let (mut stdin, mut framer, mut chunk) = (io::stdin(), LineFramer::new(), [0; 8192]);
    loop {
        let read = stdin.read(&mut chunk)?;
        let mut input = &chunk[..read];
        while let Some(line) = framer.next_line(&mut input) {
            if !answer(&line, &queue) {
                return Ok(()); // told to end: what waits in the queue is dropped
            }
        }
        if read == 0 {
            framer.finish().map(|line| answer(&line, &queue));
            break;
        }
    }
    drop(queue); // the host is gone: what waits is written, but not for ever
    let _ = written.recv_timeout(Duration::from_secs(1));
    Ok(())
}

/// Queues the answer to a line; false when the plugin is to end.
fn answer(line: &Line<'_>, queue: &SyncSender<String>) -> bool {
    let command: Command<'_> = match line.decode_event() {
        Ok(Some(Event::Shutdown(_))) => return false,
        Ok(Some(Event::PaneIdle(PaneIdle {
            token, generation, ..
        }))) => Attention::new(token, generation).into(),
        Ok(_) => return true, // another event, or a blank line
        Err(refusal) => Log::new(Level::Warn, refusal.to_string()).into(),
    };
    let Ok(line) = encode_command(&command) else {
        return true;
    };
    // A full queue drops; a closed one means that nobody reads any more.
    !matches!(queue.try_send(line), Err(TrySendError::Disconnected(_)))
}
