//! What a person or a script sees of the runner: exit statuses, sentences, reports.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use common::{Run, conformance, file, require_interpreters, run};

/// An upper bound for everything that should happen.
const DEADLINE: Duration = Duration::from_secs(60);

fn subject(name: &str) -> String {
    file("subjects/plugin")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

fn script(folder: &Path, text: &str, mode: u32) -> String {
    let path = folder.join("plugin");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// One line on stderr, nothing on stdout, and this status.
#[track_caller]
fn one_sentence(run: &Run, status: i32, sentence: &str) {
    assert_eq!(run.status, status, "{}", run.stderr);
    assert_eq!(run.stdout, "");
    assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains(sentence), "{}", run.stderr);
}

#[test]
fn mistakes_in_the_command_line_end_with_2() {
    one_sentence(
        &run(&["--only", "FRM-999"]),
        2,
        "`FRM-999` matches no check",
    );
    one_sentence(
        &run(&["--skip", "@/no/such/file"]),
        2,
        "`@/no/such/file` cannot be read",
    );
    one_sentence(&run(&["--skip", "*"]), 2, "no check is left");
    one_sentence(
        &run(&["--only=FRM-016", "--require-exercised=VER-005"]),
        2,
        "is not selected",
    );
    one_sentence(
        &run(&["--report=json"]),
        2,
        "only one report can go to stdout",
    );
    one_sentence(
        &run(&["--cwd", "/no/such\x1b/folder"]),
        2,
        r"the working directory `/no/such\x1b/folder` is no directory",
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    let not_a_folder = file.path().to_str().unwrap();
    let named = format!("the folder for results `{not_a_folder}`: ");
    let results = ["run", "--results", not_a_folder];
    let refused = conformance().args(results).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains(&named));
    one_sentence(
        &run(&["--report=html=/no/such/folder/x"]),
        2,
        "there is no folder `/no/such/folder`",
    );
    for option in ["--jobs=0", "--repeat=0"] {
        let run = run(&[option]);
        assert_eq!(run.status, 2);
        assert!(
            run.stderr.contains("a whole number from 1 on is expected"),
            "{}",
            run.stderr
        );
    }
    assert_eq!(run(&["--report=yaml"]).status, 2);
    assert_eq!(run(&["--timeout=soon"]).status, 2);
    assert_eq!(run(&["--no-such-option"]).status, 2);
    let explain = conformance().args(["explain", "FRM-999"]).output().unwrap();
    assert_eq!(explain.status.code(), Some(2));
}

#[test]
fn a_subject_that_cannot_be_started_ends_with_3_and_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    one_sentence(
        &run(&["./no/such/plugin"]),
        3,
        "there is no `./no/such/plugin`",
    );
    one_sentence(&run(&["no-such-plugin-anywhere"]), 3, "in PATH");
    let not_executable = script(folder.path(), "#!/bin/sh\n", 0o644);
    one_sentence(&run(&[not_executable]), 3, "is not executable");
    let no_interpreter = script(folder.path(), "#!/no/such/interpreter\n", 0o755);
    one_sentence(
        &run(&[no_interpreter]),
        3,
        "names the interpreter `/no/such/interpreter`",
    );
    let no_command = script(folder.path(), "#!/usr/bin/env no-such-interpreter\n", 0o755);
    one_sentence(
        &run(&[no_command]),
        3,
        "names the interpreter `no-such-interpreter`",
    );
    let folder_name = folder.path().to_str().unwrap();
    one_sentence(&run(&[folder_name]), 3, "is a directory");
    let dos = script(folder.path(), "#!/bin/sh\r\nexit 0\r\n", 0o755);
    one_sentence(&run(&[dos]), 3, "save the script with LF line ends");
    let no_shebang = script(folder.path(), "import sys\n", 0o755);
    one_sentence(
        &run(&[no_shebang]),
        3,
        "is no program that this machine can run",
    );
    let empty = script(folder.path(), "", 0o755);
    one_sentence(&run(&[empty]), 3, "is no program that this machine can run");
    // A program, but for no machine that there is.
    let alien = script(folder.path(), "\x7fELF\x02\x01\x01 and so on", 0o755);
    one_sentence(&run(&[alien]), 3, "is no program that this machine can run");
    let dead = script(
        folder.path(),
        "#!/bin/sh\necho 'no config found' >&2\nexit 7\n",
        0o755,
    );
    one_sentence(
        &run(&[dead]),
        3,
        "it ended with status 7 before it read its first byte; its last words were: no config found",
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_for_another_c_library_ends_with_3_and_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plugin");
    let mut program = fs::read(assert_cmd::cargo::cargo_bin!("conformance")).unwrap();
    let loader = b"/ld-";
    let place = program
        .windows(loader.len())
        .position(|bytes| bytes == loader);
    let Some(place) = place else {
        return; // a static build wants no loader
    };
    program[place..][..loader.len()].copy_from_slice(b"/no-");
    fs::write(&path, program).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    one_sentence(&run(&[&path]), 3, "not the loader that it wants");
}

#[test]
fn hostile_arguments_do_not_reach_the_terminal() {
    for arguments in [
        &["\x1b[2J"][..],
        &["run", "--no-such\x1b[2J"],
        &["run", "--only=\x1b[2J"],
        &["run", "--skip=@\x1b[2J"],
        &["run", "--require-exercised=\x1b[2J"],
        &["run", "--level=\x1b[2J"],
        &["run", "--timeout=1\x1b[2J"],
        &["run", "--timeout=1s\u{9b}2J\u{202e}"],
        &["run", "--jobs=\x1b[2J"],
        &["run", "--env=\x1b[2J"],
        &["run", "--report=\x1b[2J"],
        &["run", "--report=json=/dev/null/\x1b[2J"],
        &["run", "--results=/dev/null/\x1b[2J", "--", "cat"],
        &["run", "--profile=/no/such/\x1b[2J"],
        &["run", "--cwd=/no/such/\x1b[2J"],
        &["run", "--", "\x1b[2J"],
        &["explain", "\x1b[2J"],
        &["schema", "\x1b[2J"],
        &["completions", "\x1b[2J"],
        &["vectors", "/dev/null/\x1b[2J"],
        &["man", "/dev/null/\x1b[2J"],
    ] {
        let output = conformance().args(arguments).output().unwrap();
        assert!(
            matches!(output.status.code(), Some(2 | 3)),
            "{arguments:?}: {output:?}"
        );
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        let is_plain = |byte: &u8| *byte == b'\n' || (b' '..=b'~').contains(byte);
        assert!(
            output.stderr.iter().all(is_plain),
            "{arguments:?}: {output:?}"
        );
    }
}

#[test]
fn a_complaint_that_nobody_reads_is_no_crash() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    for arguments in [
        &["run", "--", "./no/such/plugin"][..],
        &["--no-such-option"],
        &["explain", "x"],
    ] {
        let mut command = conformance();
        let status = command
            .args(arguments)
            .stderr(writer.try_clone().unwrap())
            .status()
            .unwrap();
        assert!(
            matches!(status.code(), Some(2 | 3)),
            "{arguments:?}: {status}"
        );
    }
}

#[test]
fn nothing_exercised_ends_with_4() {
    let silent = run(&["--only", "FRM-016", "--", &subject("only_listens.sh")]);
    assert_eq!(silent.status, 4, "{}", silent.stdout);
    assert!(
        silent
            .stdout
            .contains("UNEXERCISED  0 passed, 0 failed, 1 not exercised")
    );
    let arguments = [
        "--only=FRM-016",
        "--only=LIF-002",
        "--require-exercised=FRM-016",
    ];
    let silent = subject("only_listens.sh");
    let silent = run(&[&arguments[..], &["--", &silent]].concat());
    assert_eq!(silent.status, 4, "{}", silent.stdout);
    assert_eq!(run(&arguments).status, 0);
}

#[test]
fn a_failure_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#!/bin/sh\nread -r line\necho 'got a line'\nexec cat >/dev/null\n";
    let path = script(folder.path(), text, 0o755);
    let run = run(&["--only", "FRM-016", "--", &path]);
    assert_eq!(run.status, 1);
    let text = run.stdout;
    let again = format!("conformance run --only FRM-016 -- {path}");
    for part in [
        "FAIL FRM-016  stdout carries protocol lines and nothing else",
        "PLG-701 (MUST, origin: source)",
        "A plugin writes commands to stdout and nothing else",
        r#"{"event":"#,
        r"@0       got a line\n",
        "^ not_json at byte 0",
        "send_input, relaunch, status, watch_pane, attention or log",
        again.as_str(),
        "FRM-016.ndjson",
        "NONCONFORMANT  0 passed, 1 failed",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(!text.contains('\x1b'), "no colour where nobody sees it");

    let failure = &run.report["checks"][0]["failure"];
    assert_eq!(failure["reason"], "not_a_command");
    assert_eq!(failure["stdout_offset"], 0);
    assert!(
        failure["sent"][0]["text"]
            .as_str()
            .unwrap()
            .contains("event")
    );
    assert_eq!(failure["received"][0]["text"], r"got a line\n");
    assert_eq!(run.report["checks"][0]["requirement"]["id"], "PLG-701");
    assert_eq!(run.report["checks"][0]["again"], again.as_str());
    assert_eq!(run.report["verdict"], "nonconformant");
}

#[test]
fn hostile_bytes_do_not_reach_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#!/bin/sh\nprintf '\\033]0;owned\\007\\377\\n'\nexec cat >/dev/null\n";
    let run = run(&[
        "--only",
        "FRM-016",
        "--",
        &script(folder.path(), text, 0o755),
    ]);
    assert_eq!(run.status, 1);
    assert!(
        run.stdout.contains(r"\x1b]0;owned\x07\xff\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .bytes()
            .all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte))
    );
}

#[test]
fn a_flood_is_judged_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let flood = script(
        folder.path(),
        "#!/bin/sh\nexec yes 'a flood of nonsense'\n",
        0o755,
    );
    let patience = [
        "--timeout=500ms",
        "--startup-timeout=500ms",
        "--close-grace=500ms",
    ];
    let run = run(&[
        &patience[..],
        &["--check-timeout=10m"],
        &["--only=FRM-016", "--only=LIF-002", "--", &flood],
    ]
    .concat());
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert_eq!(run.with_outcome("FAIL"), ["FRM-016", "LIF-002"]);
}

#[test]
fn strays_are_found_and_ended() {
    require_interpreters();
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let text = format!(
        "#!/bin/sh\nsetsid sh -c 'echo $$ >>{}; : >$TMPDIR/up; exec sleep 600' &\n\
         until [ -e $TMPDIR/up ]; do sleep 0.01; done\nexec cat >/dev/null\n",
        pids.display()
    );
    let run = run(&[
        "--only",
        "LIF-002",
        "--",
        &script(folder.path(), &text, 0o755),
    ]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let pids = fs::read_to_string(pids).unwrap();
    // The first start and the check.
    assert!(pids.split_whitespace().count() >= 2, "{pids:?}");
    for pid in pids.split_whitespace() {
        let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(!command.contains("sleep"), "process {pid} was left behind");
    }
}

#[test]
fn the_environment_is_private_unless_told_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let text = format!(
        "#!/bin/sh\necho \"$HOME|$TMPDIR|$NIGHTCROW_PLUGIN_RUNTIME_DIR|$GREETING|$NIGHTCROW_PANE_TOKEN|$PWD\" >{}\n\
         exec cat >/dev/null\n",
        seen.display()
    );
    let plugin = script(folder.path(), &text, 0o755);
    let look = |options: &[&str]| {
        let arguments = [&["--only=LIF-002"], options, &["--", &plugin]].concat();
        let run = run(&arguments);
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        let line = fs::read_to_string(&seen).unwrap();
        line.trim_end()
            .split('|')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let home = std::env::var("HOME").unwrap();
    let private = look(&["--env", "GREETING=hello there", "--cwd", "/"]);
    assert_ne!(private[0], home);
    assert!(
        private[..3].iter().all(|folder| folder.contains("/nc-")),
        "{private:?}"
    );
    assert_eq!(private[3..], ["hello there", "", "/"]);
    let kept = look(&["--keep-home"]);
    assert_eq!(kept[0], home);
    assert!(
        kept[1..3].iter().all(|folder| folder.contains("/nc-")),
        "{kept:?}"
    );
    let gone = Path::new(&private[2]);
    assert!(!gone.exists(), "private folders are removed");
}

#[test]
fn fail_fast_starts_nothing_more() {
    require_interpreters();
    let path = subject("logs_on_stdout.py");
    let arguments = ["--jobs=1", "--fail-fast", "--only=FRM-*", "--", &path];
    let run = run(&arguments);
    assert_eq!(run.status, 1);
    assert_eq!(run.report["not_started"], 3);
    assert!(
        run.stdout.contains("3 more checks were not started"),
        "{}",
        run.stdout
    );
}

#[test]
fn transcripts_are_always_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = conformance()
        .args(["run", "--only=LIF-003", "--report=json", "--results"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let path = report["checks"][0]["transcript"].as_str().unwrap();
    let transcript = fs::read_to_string(path).unwrap();
    assert!(transcript.lines().count() > 3);
    assert!(
        transcript.starts_with(r#"{"format":"nightcrow-recording","version":1,"source":"check""#)
    );
    for line in transcript.lines().skip(1) {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(entry["t"].is_number() && entry["dir"].is_string());
    }
}

#[test]
fn list_and_explain_speak_with_the_words_of_the_specification() {
    let list = conformance().args(["list", "--json"]).output().unwrap();
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(
        list.as_array().unwrap().len(),
        nightcrow_conformance::checks::all().count()
    );
    let plain = conformance().arg("list").output().unwrap();
    assert_eq!(
        String::from_utf8(plain.stdout).unwrap().lines().count(),
        list.as_array().unwrap().len()
    );
    let roles = ["plugin", "command-decoder", "event-decoder"].map(|role| {
        let some = conformance().args(["list", "--role", role]).output();
        let some = String::from_utf8(some.unwrap().stdout).unwrap();
        let word = role.replace('-', " ");
        assert!(some.lines().all(|line| line.contains(&word)), "{some}");
        some.lines().count()
    });
    assert_eq!(roles.iter().sum::<usize>(), list.as_array().unwrap().len());
    for check in list.as_array().unwrap() {
        let id = check["id"].as_str().unwrap();
        let explained = conformance().args(["explain", id]).output().unwrap();
        let explained = String::from_utf8(explained.stdout).unwrap();
        let explained = explained.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in ["sentence", "stimulus", "accepted", "proves"] {
            let words = check[part]
                .as_str()
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert!(explained.contains(&words), "{id}: {words}");
        }
    }
    let requirement = conformance().args(["explain", "plg-714"]).output().unwrap();
    let requirement = String::from_utf8(requirement.stdout).unwrap();
    assert!(
        requirement.contains("LIF-009") && requirement.contains("LIF-026"),
        "{requirement}"
    );
}

#[test]
fn several_checks_are_explained_at_once() {
    let explained = conformance().args(["explain", "ver-*"]).output().unwrap();
    let explained = String::from_utf8(explained.stdout).unwrap();
    for id in ["VER-001", "VER-005", "VER-006"] {
        assert!(explained.contains(&format!("{id}  ")), "{explained}");
    }
    assert!(!explained.contains("FRM-"), "{explained}");
}

#[test]
fn an_option_behind_the_plugin_is_the_plugins_and_that_is_said() {
    require_interpreters();
    let plugin = subject("talks_on_stderr.py");
    let noted = "`--timeout=9s` stands behind the program";
    let behind = run(&["--only=VER-005", &plugin, "--timeout=9s"]);
    assert!(behind.stderr.contains(noted), "{}", behind.stderr);
    for fine in [
        &["--timeout=9s", "--only=VER-005", &plugin][..],
        &["--only=VER-005", "--", &plugin, "--timeout=9s"],
        &["--only=VER-005", &plugin, "--its-own"],
    ] {
        let run = run(fine);
        assert!(!run.stderr.contains("stands behind"), "{}", run.stderr);
    }
}

#[test]
fn every_reason_is_explained() {
    for reason in nightcrow_conformance::outcome::Reason::ALL {
        let explained = conformance().args(["explain", reason.as_str()]).output();
        let explained = explained.unwrap();
        assert!(explained.status.success());
        let explained = String::from_utf8(explained.stdout).unwrap();
        let meaning = explained.split_once("meaning").unwrap().1;
        assert!(meaning.trim().len() > 10, "{explained}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = conformance()
        .args(["run", "--only=FRM-*", "--results"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // The reader is gone after its first line.
    BufReader::new(run.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.starts_with("Plugin contract v3"), "{line:?}");
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

/// Waits until something has been written to a file by a run that goes on; returns what.
fn wait_for_line(file: &Path, run: &mut Child) -> String {
    let begun = Instant::now();
    loop {
        let words = fs::read_to_string(file).unwrap_or_default();
        if words.ends_with('\n') {
            return words.trim_end().to_owned();
        }
        let ended = run.try_wait().unwrap();
        assert!(ended.is_none(), "the run ended before the subject started");
        assert!(begun.elapsed() < DEADLINE, "the subject does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let text = format!(
        "#!/bin/sh\necho $$ $TMPDIR >{}\nexec sleep 600\n",
        started.display()
    );
    let mut run = conformance()
        .args([
            "run",
            "--startup-timeout=60s",
            "--",
            &script(folder.path(), &text, 0o755),
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let words = wait_for_line(&started, &mut run);
    let (pid, tmp) = words.split_once(' ').unwrap();
    rustix::process::kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "conformance: interrupted\n"
    );
    assert!(!Path::new(tmp).exists(), "{tmp} was left behind");
    assert!(
        !Path::new("/proc").join(pid).exists(),
        "process {pid} was left behind"
    );
}
