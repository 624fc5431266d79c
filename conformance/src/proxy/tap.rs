use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::traffic::Direction;
use crate::transcript::Exit;

/// What goes by, on its way from the threads that carry it to the one that judges it.
///
/// Putting something in never waits for taking it out. There is room for [`ROOM_BYTES`]; what finds none
/// is only counted.
#[derive(Debug)]
pub(super) struct Tap {
    started: Instant,
    queue: Mutex<Queue>,
    filled: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    notes: VecDeque<Note>,
    /// Bytes in `notes`.
    bytes: usize,
    /// Bytes that found no room and are not noted yet.
    lost: [u64; 2],
    ended: bool,
}

/// Something that went by, and when.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// Since the plugin was started.
    pub(super) at: Duration,
    /// What it was.
    pub(super) heard: Heard<Vec<u8>>,
}

/// What can go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard<B> {
    /// These bytes.
    Bytes(Direction, B),
    /// So many bytes to and from the plugin that nobody kept.
    Lost([u64; 2]),
    /// The host closed the plugin's stdin.
    StdinClosed,
    /// The plugin closed its stdin.
    StdinBroken,
    /// The plugin closed its stdout.
    StdoutEnded,
    /// The host closed the plugin's stdout.
    StdoutClosed,
    /// The plugin ended.
    Exited(Exit),
}

/// How many bytes may wait.
const ROOM_BYTES: usize = 64 << 20;

/// What a note costs besides its bytes, so that many small ones count too.
const NOTE_BYTES: usize = 128;

/// Bytes of the same direction are put together up to this length.
const CHUNK_BYTES: usize = 1 << 16;

impl Tap {
    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            queue: Mutex::default(),
            filled: Condvar::new(),
        }
    }

    /// Puts something in.
    pub(super) fn hear(&self, heard: Heard<&[u8]>) {
        let at = self.started.elapsed();
        self.queue().put(at, heard);
        self.filled.notify_one();
    }

    /// Puts in the last thing.
    pub(super) fn end(&self, heard: Heard<&[u8]>) {
        let at = self.started.elapsed();
        let mut queue = self.queue();
        queue.put(at, heard);
        queue.ended = true;
        self.filled.notify_one();
    }

    /// Takes out all that there is; waits until there is anything. `None` when there never will be.
    pub(super) fn wait(&self) -> Option<VecDeque<Note>> {
        let mut queue = self.queue();
        while queue.notes.is_empty() {
            if queue.ended {
                return None;
            }
            let waited = self.filled.wait(queue);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
        }
        queue.bytes = 0;
        Some(std::mem::take(&mut queue.notes))
    }

    /// Whether the last thing was put in.
    pub(super) fn has_ended(&self) -> bool {
        self.queue().ended
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A thread that panicked left whole notes behind.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn put(&mut self, at: Duration, heard: Heard<&[u8]>) {
        let heard = match heard {
            Heard::Bytes(direction, bytes) => {
                let cost = bytes.len() + NOTE_BYTES;
                if self.bytes + cost > ROOM_BYTES {
                    self.lost[direction as usize] += bytes.len() as u64;
                    return;
                }
                self.note_lost(at);
                self.bytes += cost;
                if let Some(Note {
                    heard: Heard::Bytes(last_direction, last),
                    ..
                }) = self.notes.back_mut()
                    && *last_direction == direction
                    && last.len() + bytes.len() <= CHUNK_BYTES
                {
                    last.extend_from_slice(bytes);
                    return;
                }
                Heard::Bytes(direction, bytes.to_vec())
            }
            Heard::Lost(lost) => Heard::Lost(lost),
            Heard::StdinClosed => Heard::StdinClosed,
            Heard::StdinBroken => Heard::StdinBroken,
            Heard::StdoutEnded => Heard::StdoutEnded,
            Heard::StdoutClosed => Heard::StdoutClosed,
            Heard::Exited(exit) => Heard::Exited(exit),
        };
        self.note_lost(at);
        self.notes.push_back(Note { at, heard });
    }

    fn note_lost(&mut self, at: Duration) {
        let lost = std::mem::take(&mut self.lost);
        if lost != [0, 0] {
            let heard = Heard::Lost(lost);
            self.notes.push_back(Note { at, heard });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(tap: &Tap) -> Vec<Heard<Vec<u8>>> {
        tap.wait()
            .unwrap()
            .into_iter()
            .map(|note| note.heard)
            .collect()
    }

    #[test]
    fn bytes_of_one_direction_are_put_together_and_order_is_kept() {
        let tap = Tap::new();
        for (direction, bytes) in [
            (Direction::In, "a"),
            (Direction::In, "b"),
            (Direction::Out, "c"),
            (Direction::In, "d"),
        ] {
            tap.hear(Heard::Bytes(direction, bytes.as_bytes()));
        }
        tap.end(Heard::Exited(Exit::Status(0)));
        assert_eq!(
            taken(&tap),
            [
                Heard::Bytes(Direction::In, b"ab".to_vec()),
                Heard::Bytes(Direction::Out, b"c".to_vec()),
                Heard::Bytes(Direction::In, b"d".to_vec()),
                Heard::Exited(Exit::Status(0)),
            ]
        );
        assert!(tap.wait().is_none());
    }

    #[test]
    fn what_finds_no_room_is_counted_where_it_is_missing() {
        let tap = Tap::new();
        let chunk = vec![b'x'; CHUNK_BYTES];
        for _ in 0..ROOM_BYTES / CHUNK_BYTES + 10 {
            tap.hear(Heard::Bytes(Direction::Out, &chunk));
        }
        let first = taken(&tap);
        let kept = first.len() * CHUNK_BYTES;
        assert!(kept <= ROOM_BYTES && kept > ROOM_BYTES / 2);
        tap.hear(Heard::Bytes(Direction::In, b"next"));
        let all = (ROOM_BYTES / CHUNK_BYTES + 10) * CHUNK_BYTES;
        assert_eq!(
            taken(&tap),
            [
                Heard::Lost([0, (all - kept) as u64]),
                Heard::Bytes(Direction::In, b"next".to_vec()),
            ]
        );
    }
}
