//! The JSON shapes, pinned as literals: what a change to the types must not change (WIRE-9).

#![allow(clippy::unwrap_used, missing_docs)]

use std::borrow::Cow;

use nightcrow_protocol::{
    Attention, Command, Event, Level, Log, Millis, PaneClosed, PaneExited, PaneGeneration,
    PaneIdle, PaneInput, PaneOpened, PaneOutput, PaneToken, Relaunch, SendInput, Shutdown, Status,
    UnixSeconds, UserInput, Version, WatchPane, decode_command, decode_event, encode_command,
    encode_event,
};

fn token() -> PaneToken {
    PaneToken::new("00112233445566778899aabbccddeeff").unwrap()
}

const GENERATION: PaneGeneration = PaneGeneration::FIRST;

/// The command writes itself as `line`, reads itself from it, and keeps when it lets go of it.
fn command(line: &str, command: impl Into<Command<'static>>) {
    let command = command.into();
    assert_eq!(encode_command(&command).unwrap(), format!("{line}\n"));
    let decoded = decode_command(line.as_bytes()).unwrap().unwrap();
    assert_eq!(decoded, command);
    assert_eq!(decoded.kind().as_str(), line.split('"').nth(3).unwrap());
    assert_eq!(decoded.into_owned(), command);
}

fn event(line: &str, event: impl Into<Event<'static>>) {
    let event = event.into();
    assert_eq!(encode_event(&event).unwrap(), format!("{line}\n"));
    let decoded = decode_event(line.as_bytes()).unwrap().unwrap();
    assert_eq!(decoded, event);
    assert_eq!(decoded.kind().as_str(), line.split('"').nth(3).unwrap());
    assert_eq!(decoded.into_owned(), event);
}

#[test]
fn send_input() {
    command(
        r#"{"cmd":"send_input","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"data":"continue\r"}"#,
        SendInput::new(token(), GENERATION, PaneInput::new("continue\r").unwrap()),
    );
}

#[test]
fn relaunch() {
    command(
        r#"{"cmd":"relaunch","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"resume_args":["resume","0199cbb1"]}"#,
        Relaunch::new(
            token(),
            GENERATION,
            vec!["resume".into(), "0199cbb1".into()],
        ),
    );
    command(
        r#"{"cmd":"relaunch","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"resume_args":[]}"#,
        Relaunch::new(token(), GENERATION, Vec::new()),
    );
}

#[test]
fn status() {
    command(
        r#"{"cmd":"status","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"state":"waiting","detail":null,"deadline_epoch":null,"attempt":0}"#,
        Status::new(token(), GENERATION, "waiting"),
    );
    let mut status = Status::new(token(), GENERATION, "waiting");
    status.detail = Some(Cow::Borrowed("resets soon"));
    status.deadline_epoch = UnixSeconds::new(1_800_000_000);
    status.attempt = 2;
    command(
        r#"{"cmd":"status","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"state":"waiting","detail":"resets soon","deadline_epoch":1800000000,"attempt":2}"#,
        status,
    );
}

#[test]
fn watch_pane() {
    command(
        r#"{"cmd":"watch_pane","v":3,"token":"00112233445566778899aabbccddeeff"}"#,
        WatchPane::new(token()),
    );
}

#[test]
fn attention() {
    command(
        r#"{"cmd":"attention","v":3,"token":"00112233445566778899aabbccddeeff","generation":1}"#,
        Attention::new(token(), GENERATION),
    );
}

#[test]
fn log() {
    for (name, level) in [
        ("error", Level::Error),
        ("warn", Level::Warn),
        ("info", Level::Info),
        ("debug", Level::Debug),
    ] {
        let line = format!(r#"{{"cmd":"log","v":3,"level":"{name}","message":"hi \"you\"\n"}}"#);
        command(&line, Log::new(level, "hi \"you\"\n"));
    }
}

#[test]
fn pane_opened() {
    event(
        r#"{"event":"pane_opened","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"title":"build","command":"make watch","cwd":"/w/repo"}"#,
        PaneOpened {
            v: Version,
            token: token(),
            generation: GENERATION,
            title: Some("build".into()),
            command: Some("make watch".into()),
            cwd: "/w/repo".into(),
        },
    );
    event(
        r#"{"event":"pane_opened","v":3,"token":"00112233445566778899aabbccddeeff","generation":4294967295,"title":null,"command":null,"cwd":""}"#,
        PaneOpened {
            v: Version,
            token: token(),
            generation: PaneGeneration::LAST,
            title: None,
            command: None,
            cwd: "".into(),
        },
    );
}

#[test]
fn pane_output() {
    event(
        r#"{"event":"pane_output","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"text":"done\r\n"}"#,
        PaneOutput {
            v: Version,
            token: token(),
            generation: GENERATION,
            text: "done\r\n".into(),
        },
    );
}

#[test]
fn pane_idle() {
    event(
        r#"{"event":"pane_idle","v":3,"token":"00112233445566778899aabbccddeeff","generation":1,"idle_ms":10007}"#,
        PaneIdle {
            v: Version,
            token: token(),
            generation: GENERATION,
            idle_ms: Millis::new(10_007).unwrap(),
        },
    );
}

#[test]
fn events_of_a_pane_alone() {
    let (token, generation) = (token(), GENERATION);
    let line = |tag| {
        format!(
            r#"{{"event":"{tag}","v":3,"token":"00112233445566778899aabbccddeeff","generation":1}}"#
        )
    };
    event(
        &line("pane_exited"),
        PaneExited {
            v: Version,
            token,
            generation,
        },
    );
    event(
        &line("pane_closed"),
        PaneClosed {
            v: Version,
            token,
            generation,
        },
    );
    event(
        &line("user_input"),
        UserInput {
            v: Version,
            token,
            generation,
        },
    );
}

#[test]
fn shutdown() {
    event(r#"{"event":"shutdown","v":3}"#, Shutdown::default());
}

#[test]
fn messages_say_which_pane_they_are_about() {
    let commands: [(Command<'_>, bool, bool); 6] = [
        (
            SendInput::new(token(), GENERATION, PaneInput::new("").unwrap()).into(),
            true,
            true,
        ),
        (
            Relaunch::new(token(), GENERATION, Vec::new()).into(),
            true,
            true,
        ),
        (Status::new(token(), GENERATION, "").into(), true, true),
        (WatchPane::new(token()).into(), true, false),
        (Attention::new(token(), GENERATION).into(), true, true),
        (Log::new(Level::Debug, "").into(), false, false),
    ];
    for (command, has_token, has_generation) in commands {
        assert_eq!(command.token(), has_token.then(token), "{command:?}");
        assert_eq!(
            command.generation(),
            has_generation.then_some(GENERATION),
            "{command:?}"
        );
    }
    let exited = PaneExited {
        v: Version,
        token: token(),
        generation: GENERATION,
    };
    assert_eq!(Event::from(exited).pane(), Some((token(), GENERATION)));
    assert_eq!(Event::from(Shutdown::default()).pane(), None);
}
