//! Every committed seed and every past crash, through the oracle of its target, on stable.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use nightcrow_fuzz::allocator::Counting;
use nightcrow_fuzz::{TARGETS, Target};
use nightcrow_protocol::{Refusal, decode_command, decode_event};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn every_seed_passes_its_oracle() {
    for target in TARGETS {
        let replayed = replay("seeds", target);
        assert!(replayed > 0, "{} has no seeds", target.0);
    }
}

#[test]
fn no_past_crash_comes_back() {
    for target in TARGETS {
        replay("crashes", target);
    }
}

#[test]
fn every_folder_belongs_to_a_target() {
    let targets = TARGETS.map(|(name, _)| name.to_owned());
    let expected = BTreeSet::from(targets);
    for kind in ["seeds", "crashes"] {
        let folders = files(&folder(kind));
        let names = folders.iter().filter_map(|path| path.file_name()?.to_str());
        assert_eq!(
            names.map(str::to_owned).collect::<BTreeSet<_>>(),
            expected,
            "in {kind}"
        );
    }
}

/// Puts each file to the oracle and returns how many there were.
fn replay(kind: &str, (name, check): Target) -> usize {
    let files = files(&folder(kind).join(name));
    let fails = |file: &&PathBuf| {
        let data = fs::read(file).expect("a seed can be read");
        catch_unwind(|| check(&data)).is_err()
    };
    let failed: Vec<_> = files.iter().filter(fails).collect();
    assert!(failed.is_empty(), "{name} fails on {failed:?}");
    files.len()
}

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(kind)
}

/// What the folder holds, without hidden files.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let visible = |path: &PathBuf| {
        !path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'))
    };
    paths.filter(visible).collect()
}

#[test]
fn lines_get_the_verdict_of_their_name() {
    let command = |line: &[u8]| decode_command(line).map(|command| command.is_some());
    let event = |line: &[u8]| decode_event(line).map(|event| event.is_some());
    assert_named_after_verdict("decode_command", command);
    assert_named_after_verdict("decode_event", event);
}

/// A seed's name begins with `ok`, `blank` or the refusal code, and a dash.
fn assert_named_after_verdict(target: &str, decode: impl Fn(&[u8]) -> Result<bool, Refusal>) {
    for file in files(&folder("seeds").join(target)) {
        let line = fs::read(&file).expect("a seed can be read");
        let verdict = match decode(&line) {
            Ok(true) => "ok",
            Ok(false) => "blank",
            Err(refusal) => refusal.code().as_str(),
        };
        let name = file.file_name().map(|name| name.to_string_lossy());
        let named = name.as_deref().and_then(|name| name.split('-').next());
        assert_eq!(named, Some(verdict), "{}", file.display());
    }
}
