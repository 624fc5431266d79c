//! Raises attention whenever a pane that it watches goes quiet.

use std::io::{self, Read, Write};

use nightcrow_protocol::{
    Attention, Command, Event, Level, LineFramer, Log, PaneIdle, encode_command,
};

fn main() -> io::Result<()> {
    let (mut stdin, mut framer, mut chunk) = (io::stdin(), LineFramer::new(), [0; 8192]);
    say(&Log::new(Level::Info, "bell is listening").into())?;
    loop {
        let read = stdin.read(&mut chunk)?;
        if read == 0 {
            return Ok(()); // the host is gone
        }
        let mut input = &chunk[..read];
        while let Some(line) = framer.next_line(&mut input) {
            match line.decode_event() {
                Ok(Some(Event::Shutdown(_))) => return Ok(()),
                Ok(Some(event)) => answer(&event)?,
                Ok(None) => {} // a blank line
                Err(refusal) => say(&Log::new(Level::Warn, refusal.to_string()).into())?,
            }
        }
    }
}

fn answer(event: &Event<'_>) -> io::Result<()> {
    match *event {
        Event::PaneIdle(PaneIdle {
            token, generation, ..
        }) => say(&Attention::new(token, generation).into()),
        _ => Ok(()),
    }
}

/// One write and one flush per line: a host waits for what sits in our buffer.
fn say(command: &Command<'_>) -> io::Result<()> {
    let line = encode_command(command).map_err(io::Error::other)?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()
}
