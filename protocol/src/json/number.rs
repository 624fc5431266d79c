use super::{Expected, Result};

/// Digits that fit any finite double; beyond them, or with an exponent, the value has to be looked at.
const SURELY_FINITE_BYTES: usize = 300;

/// Checks the number that starts at `start` and returns where it ends.
pub(super) fn pass_number(text: &str, start: usize) -> Result<usize> {
    let bytes = text.as_bytes();
    let first = start + usize::from(bytes[start] == b'-');
    let mut end = match bytes.get(first) {
        Some(b'0') => first + 1,
        _ => digits(bytes, first)?,
    };
    if bytes.get(end) == Some(&b'.') {
        end = digits(bytes, end + 1)?;
    }
    let exponent = matches!(bytes.get(end), Some(b'e' | b'E'));
    if exponent {
        let sign = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        end = digits(bytes, end + 1 + usize::from(sign))?;
    }
    if (exponent || end - start > SURELY_FINITE_BYTES) && !is_finite(&text[start..end]) {
        return Err(Expected::FiniteNumber.at(start));
    }
    Ok(end)
}

/// Passes at least one digit.
fn digits(bytes: &[u8], start: usize) -> Result<usize> {
    let count = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if count == 0 {
        return Err(Expected::Digit.at(start));
    }
    Ok(start + count)
}

fn is_finite(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left behind the number.
    fn rest(text: &str) -> std::result::Result<&str, u32> {
        pass_number(text, 0)
            .map(|end| &text[end..])
            .map_err(|error| error.at)
    }

    #[test]
    fn takes_the_whole_grammar_and_stops_behind_it() {
        for number in [
            "0",
            "-0",
            "10",
            "1.5",
            "-0.0e0",
            "1E+2",
            "1e-400",
            "12345678901234567890",
        ] {
            assert_eq!(rest(number), Ok(""), "{number}");
            assert_eq!(rest(&format!("{number},")), Ok(","), "{number}");
        }
        assert_eq!(rest("03"), Ok("3"), "a leading zero ends the number");
        assert_eq!(rest("1.5.5"), Ok(".5"));
        assert_eq!(rest("1e5e5"), Ok("e5"));
    }

    #[test]
    fn refuses_where_a_digit_is_missing() {
        assert_eq!(rest("-"), Err(1));
        assert_eq!(rest("-a"), Err(1));
        assert_eq!(rest("1."), Err(2));
        assert_eq!(rest("1.e1"), Err(2));
        assert_eq!(rest("1e"), Err(2));
        assert_eq!(rest("1e+"), Err(3));
    }

    #[test]
    fn refuses_what_no_double_can_hold() {
        assert_eq!(rest("1e308"), Ok(""));
        assert_eq!(rest("1e309"), Err(0));
        assert_eq!(rest("-1e400"), Err(0));
        assert_eq!(rest(&"9".repeat(308)), Ok(""));
        assert_eq!(rest(&"9".repeat(309)), Err(0));
        assert_eq!(rest(&format!("0.{}", "9".repeat(5_000))), Ok(""));
    }
}
