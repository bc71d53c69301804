//! Numbers as text.

use std::fmt::Write;

/// The shortest text that reads back as the same value.
pub(crate) fn push_value(text: &mut String, value: f64) {
    // Writing to a string can't fail.
    let _ = write!(text, "{value:?}");
}

/// Seconds with three decimals.
pub(crate) fn push_seconds(text: &mut String, millis: i64) {
    let sign = if millis < 0 { "-" } else { "" };
    let millis = millis.unsigned_abs();
    let _ = write!(text, "{sign}{}.{:03}", millis / 1_000, millis % 1_000);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back_and_times_have_milliseconds() {
        for value in [0.1, -0.0, 5e-324, f64::MAX, 1e21, 100.0 / 3.0] {
            let mut text = String::new();
            push_value(&mut text, value);
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{text}");
        }
        let seconds = |millis| {
            let mut text = String::new();
            push_seconds(&mut text, millis);
            text
        };
        assert_eq!([1_714_528_530_193, 5, -1_500].map(seconds), ["1714528530.193", "0.005", "-1.500"]);
    }
}
