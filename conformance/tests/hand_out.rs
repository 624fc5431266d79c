//! What the runner hands out works where it is used: schemas, vectors, completions, manual pages.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use clap::CommandFactory;
use nightcrow_conformance::cli::Arguments;
use nightcrow_conformance::schema;

use common::{conformance, file, require_interpreters};

/// What the runner prints.
#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = conformance().args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    String::from_utf8(output.stdout).unwrap()
}

/// The subcommands that are for users.
fn subcommands() -> Vec<String> {
    let command = Arguments::command();
    let all = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    all.map(|command| command.get_name().to_owned()).collect()
}

/// What a program says, which must be there and must not complain.
#[track_caller]
fn said(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(
        status.success() && stderr.is_empty(),
        "{command:?}: {status}: {stderr}"
    );
    String::from_utf8(stdout).unwrap()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn every_schema_is_listed_and_printed() {
    let list = printed(&["schema"]);
    assert_eq!(list.lines().count(), schema::ALL.len());
    for schema in schema::ALL {
        assert!(list.contains(schema.name) && list.contains(schema.about));
        assert_eq!(printed(&["schema", schema.name]), schema.text);
    }
    let unknown = conformance().args(["schema", "profil"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    let complaint = String::from_utf8(unknown.stderr).unwrap();
    assert!(complaint.contains("profile"), "{complaint}");
}

#[test]
fn exported_vectors_run_on_their_own() {
    require_interpreters();
    let folder = tempfile::tempdir().unwrap();
    let vectors = folder.path().join("vectors");
    let export = |options: &[&str]| {
        let mut command = conformance();
        let output = command
            .arg("vectors")
            .arg(&vectors)
            .args(options)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(export(&[]), (Some(0), String::new()));
    // The same once more is no conflict.
    assert_eq!(export(&[]), (Some(0), String::new()));
    let mut run = Command::new(vectors.join("run.py"));
    let decoder = file("examples/python/decoder.py");
    let verdict = said(
        run.args(["--only", "PLG-209", "--", "python3"])
            .arg(decoder),
    );
    assert!(verdict.ends_with(" passed, 0 failed\n"), "{verdict}");

    fs::write(vectors.join("run.py"), "mine").unwrap();
    let (status, complaint) = export(&[]);
    assert_eq!(status, Some(2));
    assert!(
        complaint.contains("differs: --force overwrites it"),
        "{complaint}"
    );
    assert_eq!(fs::read(vectors.join("run.py")).unwrap(), b"mine");
    assert_eq!(export(&["--force"]), (Some(0), String::new()));
    assert_ne!(fs::read(vectors.join("run.py")).unwrap(), b"mine");
}

#[test]
fn completions_know_every_subcommand_and_nothing_hidden() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for subcommand in subcommands() {
            assert!(script.contains(&subcommand), "{shell}: {subcommand}");
        }
        assert!(!script.contains("example-plugin"), "{shell}");
    }
}

#[test]
fn bash_completes() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("conformance.bash");
    fs::write(&script, printed(&["completions", "bash"])).unwrap();
    said(Command::new("bash").arg("-n").arg(&script));
    let complete = |words: &[&str]| {
        let code = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
                    _conformance conformance \"${@: -1}\" \"${@: -2:1}\"; echo \"${COMPREPLY[*]}\"";
        let mut bash = Command::new("bash");
        let bash = bash.args(["--norc", "-c", code]).arg(&script).args(words);
        said(bash).trim_end().to_owned()
    };
    assert_eq!(complete(&["conformance", "sch"]), "schema");
    assert_eq!(complete(&["conformance", "schema", "prof"]), "profile");
    assert_eq!(complete(&["conformance", "run", "--keep"]), "--keep-home");
    let all = complete(&["conformance", ""]);
    for subcommand in subcommands() {
        assert!(
            all.contains(&subcommand),
            "{subcommand} is missing in {all}"
        );
    }
    assert!(!all.contains("example-plugin"), "{all}");
}

#[test]
fn there_is_a_manual_page_for_everything() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    printed(&["man", pages.to_str().unwrap()]);
    let mut expected = vec!["conformance.1".to_owned()];
    expected.extend(
        subcommands()
            .iter()
            .map(|name| format!("conformance-{name}.1")),
    );
    let files = fs::read_dir(&pages).unwrap();
    let mut written: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    expected.sort();
    written.sort();
    assert_eq!(written, expected);
    for page in written {
        let page = pages.join(page);
        let text = fs::read_to_string(&page).unwrap();
        for section in ["\n.TH ", "\n.SH NAME", "\n.SH SYNOPSIS"] {
            assert!(text.contains(section), "{}: {section}", page.display());
        }
        if is_installed("groff") {
            let shown = said(
                Command::new("groff")
                    .args(["-man", "-Tutf8", "-ww"])
                    .arg(&page),
            );
            assert!(shown.contains("conformance"), "{shown}");
        }
    }
    let main = printed(&["man"]);
    assert!(
        main.contains(".SH NAME") && !main.contains("example"),
        "{main}"
    );
}

#[test]
fn pages_that_cannot_be_written_are_named() {
    for arguments in [["man", "/dev/null/x"], ["vectors", "/dev/null/x"]] {
        assert!(!Path::new(arguments[1]).exists());
        let output = conformance().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(
            complaint.contains("/dev/null/x") && complaint.contains("Not a directory"),
            "{complaint}"
        );
    }
}
