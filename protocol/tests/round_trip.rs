//! Whatever can be said can be written, and reads back as what was said.

#![allow(clippy::unwrap_used, missing_docs)]

use arbitrary::{Arbitrary, Unstructured};
use nightcrow_protocol::{
    Command, EncodeError, Event, PaneInput, decode_command, decode_event, encode_command,
    encode_event,
};
use proptest::prelude::*;

/// Any message whose parts come from `bytes`.
fn message<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> T {
    T::arbitrary(&mut Unstructured::new(bytes)).unwrap()
}

fn is_one_line(line: &str) -> bool {
    line.find('\n') == Some(line.len() - 1) && line.len() <= 65_537
}

fn noise() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..600)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn commands(bytes in noise()) {
        let command: Command<'_> = message(&bytes);
        let line = encode_command(&command).unwrap();
        prop_assert!(is_one_line(&line));
        prop_assert_eq!(decode_command(line.trim_end().as_bytes()), Ok(Some(command)));
    }

    #[test]
    fn events(bytes in noise()) {
        let event: Event<'_> = message(&bytes);
        let line = encode_event(&event).unwrap();
        prop_assert!(is_one_line(&line));
        prop_assert_eq!(decode_event(line.trim_end().as_bytes()), Ok(Some(event)));
    }

    #[test]
    fn letting_go_of_the_line_changes_nothing(bytes in noise()) {
        let command: Command<'_> = message(&bytes);
        prop_assert_eq!(command.clone().into_owned(), command);
        let event: Event<'_> = message(&bytes);
        prop_assert_eq!(event.clone().into_owned(), event);
    }
}

#[test]
fn generated_input_is_cut_to_the_limit_between_characters() {
    let text = "€".repeat(10_000);
    // The last bytes say how much of the text to take.
    let endings = (0..=255).map(|high| [text.as_bytes(), &[high, 0]].concat());
    let longest = endings.map(|bytes| {
        let input: PaneInput<'_> = message(&bytes);
        assert!(text.starts_with(input.as_str()));
        input.as_str().len()
    });
    assert_eq!(longest.max(), Some(8_190));
}

#[test]
fn what_does_not_fit_a_line_is_refused_with_its_size() {
    let log = nightcrow_protocol::Log::new(nightcrow_protocol::Level::Info, "x".repeat(65_490));
    assert_eq!(
        encode_command(&log.into()),
        Err(EncodeError::LineTooLong { bytes: 65_537 })
    );
}

#[test]
fn the_largest_input_of_controls_fits_a_line() {
    let line = format!(
        r#"{{"cmd":"send_input","v":3,"token":"{}","generation":4294967295,"data":"{}"}}"#,
        "f".repeat(32),
        "\\u0001".repeat(8_192),
    );
    assert_eq!(line.len(), 49_255);
    let command = decode_command(line.as_bytes()).unwrap().unwrap();
    assert_eq!(encode_command(&command).unwrap().trim_end(), line);
}
