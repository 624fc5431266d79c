use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use super::observe::Observer;
use super::tap::Tap;

/// How long the judge leaves the processor to the traffic when it has caught up.
const BREATHER: Duration = Duration::from_millis(5);

/// Lets `observer` see what comes through `tap`, on a thread of its own; the receiver hears when it has
/// seen everything.
pub(super) fn observe(mut observer: Observer, tap: Arc<Tap>) -> mpsc::Receiver<()> {
    let (ended, end) = mpsc::channel();
    thread::spawn(move || {
        yield_to_traffic();
        while let Some(notes) = tap.wait() {
            notes.into_iter().for_each(|note| observer.observe(note));
            observer.pause();
            // What comes in small pieces is cheaper to judge in large ones.
            if !tap.has_ended() {
                thread::sleep(BREATHER);
            }
        }
        observer.end();
        let _ = ended.send(());
    });
    end
}

/// Lets the threads that carry go first, where the system tells threads apart. Not further than this:
/// the end of the traffic is waited for, on a busy machine too.
fn yield_to_traffic() {
    #[cfg(target_os = "linux")]
    {
        const LESS: i32 = 10;
        // Who may not say so judges as before.
        let _ = rustix::process::nice(LESS);
    }
}
