//! The runner called from a Rust test, as the author of a plugin would.

#![allow(clippy::unwrap_used)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nightcrow_conformance::drive::Fault;
use nightcrow_conformance::report::json;
use nightcrow_conformance::run::Verdict;
use nightcrow_conformance::{CannotRun, Suite};

use common::{PATH, file, require_interpreters};

fn suite(program: &str) -> Suite {
    require_interpreters();
    Suite::plugin(file(program)).env("PATH", &*PATH)
}

/// What a test that calls this would say.
fn panic_of(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).unwrap_err();
    *panic.downcast::<String>().unwrap()
}

#[test]
fn an_honest_plugin_is_conformant() {
    suite("examples/python/nudge.py")
        .profile(file("examples/nudge.toml"))
        .check_timeout(Duration::from_secs(600))
        .only("FRM-*")
        .only("LIF-00?")
        .skip("LIF-009")
        .require_exercised("FRM-018")
        .assert_conformant();
}

#[test]
fn a_faulty_plugin_is_explained_as_on_a_terminal() {
    let results = tempfile::tempdir().unwrap();
    let summary = suite("subjects/plugin/logs_on_stdout.py")
        .only("FRM-016")
        .only("LIF-002")
        .env("API_KEY", "a secret")
        .timeout(Duration::from_millis(2_500))
        .results(results.path())
        .run()
        .unwrap();
    assert_eq!(summary.verdict(), Verdict::Nonconformant);
    assert_eq!(summary.results().len(), 2);
    let failed: Vec<_> = summary.failures().map(|result| result.check.id).collect();
    assert_eq!(failed, ["FRM-016"]);
    let panic = panic_of(|| summary.assert_conformant());
    for part in [
        "PASS           LIF-002",
        "FAIL FRM-016  stdout carries protocol lines and nothing else",
        "PLG-701 (MUST, origin: source)",
        "A plugin writes commands to stdout and nothing else",
        r#"{"event":"#,
        "^ not_json at byte 0",
        "conformance run --only FRM-016",
        "--timeout 2500ms",
        "FRM-016.ndjson",
        "NONCONFORMANT  1 passed, 1 failed",
    ] {
        assert!(panic.contains(part), "{part:?} is missing in\n{panic}");
    }
    assert!(!panic.contains("a secret"), "{panic}");
    let is_plain = |byte: u8| byte == b'\n' || (b' '..=b'~').contains(&byte);
    assert!(panic.bytes().all(is_plain), "{panic}");
    assert!(results.path().join("FRM-016.ndjson").is_file());
    assert_eq!(json(&summary.report())["verdict"], "nonconformant");
}

#[test]
fn transcripts_stay_as_long_as_somebody_may_want_them() {
    let folder = |program: &str| -> PathBuf {
        let summary = suite(program).only("FRM-016").run().unwrap();
        let folder = summary.report().folder.to_owned();
        assert!(folder.join("FRM-016.ndjson").is_file());
        folder
    };
    assert!(!folder("examples/python/nudge.py").exists());
    let kept = folder("subjects/plugin/logs_on_stdout.py");
    assert!(kept.join("FRM-016.ndjson").is_file());
    std::fs::remove_dir_all(kept).unwrap();
}

#[test]
fn what_was_not_exercised_proves_nothing_here_either() {
    let results = tempfile::tempdir().unwrap();
    let silent = suite("subjects/plugin/only_listens.sh")
        .only("FRM-016")
        .results(results.path());
    assert_eq!(silent.run().unwrap().verdict(), Verdict::Unexercised);
    let panic = panic_of(|| silent.assert_conformant());
    assert!(
        panic.contains("UNEXERCISED  0 passed, 0 failed, 1 not exercised"),
        "{panic}"
    );
}

#[test]
fn what_cannot_be_run_is_one_sentence() {
    let missing = Suite::plugin("./no/such\x1b/plugin");
    assert!(matches!(missing.run(), Err(CannotRun::Plugin(_))));
    for (suite, sentence) in [
        (
            missing,
            r"the plugin cannot be tested: there is no `./no/such\x1b/plugin`",
        ),
        (
            Suite::plugin(""),
            "the plugin cannot be tested: there is no `` in PATH",
        ),
        (
            Suite::plugin("sh").only("\x1b[2J"),
            r"`\x1b[2J` matches no check: only `*` and `?` stand for other characters",
        ),
        (
            Suite::plugin("sh").profile("/no/such\x1b/profile"),
            r"the profile `/no/such\x1b/profile` cannot be read: No such file or directory (os error 2)",
        ),
        (
            Suite::plugin("sh").cwd("/no/such\x1b/folder"),
            r"the working directory `/no/such\x1b/folder` is no directory",
        ),
        (
            Suite::plugin("cat").results("/dev/null/results"),
            "the folder for results `/dev/null/results`: Not a directory (os error 20)",
        ),
    ] {
        assert_eq!(panic_of(|| suite.assert_conformant()), sentence);
    }
}

#[test]
fn somebody_else_may_end_a_run() {
    let interrupted = AtomicBool::new(true);
    let ended = Suite::plugin("sleep").arg("600").run_until(&interrupted);
    assert!(
        matches!(ended, Err(CannotRun::Fault(Fault::Interrupted))),
        "{ended:?}"
    );
}
