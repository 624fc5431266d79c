//! What `conformance fuzz` finds, and how it tells.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use common::{conformance, file, require_interpreters};

struct Fuzz {
    status: i32,
    stdout: String,
    /// The same without line breaks and indentation.
    text: String,
}

fn fuzz(results: &Path, arguments: &[&str]) -> Fuzz {
    require_interpreters();
    let mut command = conformance();
    command.arg("fuzz").arg("--results").arg(results);
    let Output { status, stdout, .. } = command.args(arguments).output().unwrap();
    let stdout = String::from_utf8(stdout).unwrap();
    Fuzz {
        status: status.code().unwrap(),
        text: stdout.split_whitespace().collect::<Vec<_>>().join(" "),
        stdout,
    }
}

fn subject(name: &str) -> String {
    let path = file("subjects/plugin").join(name);
    path.to_str().unwrap().to_owned()
}

/// A plugin that behaves like the honest one, but for this method.
fn plugin(folder: &Path, method: &str) -> String {
    let subjects = file("subjects/plugin");
    let text = format!(
        "#!/usr/bin/env python3\nimport os, sys\nsys.path.insert(0, {:?})\nfrom plugin import Plugin\n\n\n\
         class Subject(Plugin):\n    passed_over = set()\n    panes = set()\n\n{method}\n\nSubject().run()\n",
        subjects.to_str().unwrap()
    );
    let path = folder.join("plugin");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_fault_is_told_with_the_shortest_history_and_found_again() {
    let results = tempfile::tempdir().unwrap();
    let subject = subject("expects_every_text_to_have_a_line.py");
    let found = fuzz(
        results.path(),
        &["--seed=1", "--histories=50", "--", &subject],
    );
    assert_eq!(found.status, 1, "{}", found.stdout);
    let history = "All that it takes: pane 1 opens; pane 1 prints an empty text. Found by";
    assert!(found.text.contains(history), "{}", found.stdout);
    assert!(
        found.text.ends_with("findings 1 NONCONFORMANT"),
        "{}",
        found.stdout
    );

    let transcript = fs::read_to_string(results.path().join("finding-1.ndjson")).unwrap();
    let sent = transcript
        .lines()
        .filter(|line| line.contains(r#""dir":"in""#));
    assert_eq!(sent.count(), 2, "{transcript}");

    let again = found
        .stdout
        .lines()
        .find_map(|line| line.trim().strip_prefix("again"));
    let words: Vec<&str> = again.unwrap().split_whitespace().skip(2).collect();
    assert_eq!(words[2..4], ["--histories", "1"]);
    let again = fuzz(results.path(), &words);
    assert_eq!(again.status, 1, "{}", again.stdout);
    assert!(again.text.contains(history), "{}", again.stdout);
}

#[test]
fn a_fault_that_takes_several_histories_is_shrunk_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let method = "    def on_event(self, event):\n        \
                      if event[\"event\"] == \"pane_opened\":\n            \
                          self.panes.add(event[\"token\"])\n            \
                          assert len(self.panes) < 8\n        \
                      return super().on_event(event)\n";
    let plugin = plugin(folder.path(), method);
    let found = fuzz(
        folder.path(),
        &[
            "--seed=1",
            "--histories=20",
            "--check-timeout=10m",
            "--",
            &plugin,
        ],
    );
    assert_eq!(found.status, 1, "{}", found.stdout);
    let opens: Vec<_> = (1..=8).map(|pane| format!("pane {pane} opens")).collect();
    let history = format!("All that it takes: {}. Found by", opens.join("; "));
    assert!(found.text.contains(&history), "{}", found.stdout);
    assert!(
        found.text.contains("fuzz --seed 1 --histories 20"),
        "{}",
        found.stdout
    );
}

#[test]
fn what_happened_once_is_told_and_not_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let method = "    def on_event(self, event):\n        \
                      if event[\"event\"] == \"pane_idle\" and not os.path.exists(os.environ[\"WAS\"]):\n            \
                          open(os.environ[\"WAS\"], \"w\").close()\n            \
                          os._exit(3)\n        \
                      return super().on_event(event)\n";
    let plugin = plugin(folder.path(), method);
    let was = format!("--env=WAS={}", folder.path().join("was").display());
    let arguments = [
        "--seed=1",
        "--histories=20",
        "--keep-going",
        &was,
        "--",
        &plugin,
    ];
    let found = fuzz(folder.path(), &arguments);
    assert_eq!(found.status, 1, "{}", found.stdout);
    let once =
        "It happened once in 20 histories played together, and not when they were played again";
    assert!(found.text.contains(once), "{}", found.stdout);
}

#[test]
fn nothing_found_is_success_if_there_was_something_to_judge() {
    let results = tempfile::tempdir().unwrap();
    let good = fuzz(results.path(), &["--seed=1", "--histories=10"]);
    assert_eq!(good.status, 0, "{}", good.stdout);
    assert!(good.text.contains("from seed 1 on"), "{}", good.stdout);
    assert!(
        good.text.ends_with("findings 0 NOTHING FOUND"),
        "{}",
        good.stdout
    );

    let silent = fuzz(
        results.path(),
        &["--histories=10", "--", &subject("only_listens.sh")],
    );
    assert_eq!(silent.status, 4, "{}", silent.stdout);
    assert!(
        silent.text.contains("hint a profile that says"),
        "{}",
        silent.stdout
    );
    assert_eq!(fs::read_dir(results.path()).unwrap().count(), 0);
}

#[test]
fn a_search_ends_with_its_time() {
    let results = tempfile::tempdir().unwrap();
    let good = fuzz(results.path(), &["--for=1ms"]);
    assert_eq!(good.status, 0, "{}", good.stdout);
    assert!(good.text.contains("50 played"), "{}", good.stdout);
}
