//! Times as people write them: `250ms`, `2.5s`, `1m`.

use std::time::Duration;

/// Reads a time. A bare number is in seconds.
///
/// # Errors
/// If it is none, is zero, or is longer than eleven days, as a sentence.
pub fn parse(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(
        text.find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(text.len()),
    );
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        _ => {
            return Err(format!(
                "`{unit}` is no unit of time; there are ms, s and m"
            ));
        }
    };
    let number: f64 = number
        .parse()
        .map_err(|_| "a time is a number and ms, s or m".to_owned())?;
    match Duration::try_from_secs_f64(number * seconds) {
        Ok(duration) if !duration.is_zero() && number * seconds < 1e6 => Ok(duration),
        _ => Err("a time is more than nothing, and less than days".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse("2"), Ok(Duration::from_secs(2)));
        assert_eq!(parse("2.5s"), Ok(Duration::from_millis(2_500)));
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("1m"), Ok(Duration::from_secs(60)));
        for wrong in ["", "s", "0", "-1s", "2h", "1e99", "NaN", "inf"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
