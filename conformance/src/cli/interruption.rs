use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Lets `interrupted` become true when somebody wants the runner to end: by a key, by `kill`, by
/// closing the terminal. A signal that whoever started us had us ignore, as `nohup` does, stays ignored.
pub(super) fn watch(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    let ignored = ignored_signals();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & 1 << (signal - 1) == 0 {
            signal_hook::flag::register(signal, Arc::clone(interrupted))?;
        }
    }
    Ok(())
}

/// A bit for each ignored signal, where the system tells.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).unwrap_or(0)
}
