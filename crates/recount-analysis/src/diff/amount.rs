//! Amounts as people write them, in the unit in which a counter has its values: 1 ms of `Request ms` is 1, of `Avg. Disk sec/Read`
//! 0.001.

use crate::rules::quantity_of;
use crate::shown::bytes_in;

/// A difference between two values of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    /// In seconds, bytes, or the counter's own unit.
    number: f64,
    dimension: Dimension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Own,
    Seconds,
    Bytes,
}

impl Amount {
    /// `10 MiB`, `1 ms`, `5 %`, or a number in the counter's unit.
    pub(super) fn parse(text: &str) -> Result<Amount, String> {
        let number = quantity_of(text)?;
        let dimension = match text.trim_end().chars().next_back() {
            Some('s') => Dimension::Seconds,
            Some('B') => Dimension::Bytes,
            _ => Dimension::Own,
        };
        Ok(Amount { number, dimension })
    }

    /// In the unit of a counter, which its name and `unit` tell.
    pub(super) fn in_unit_of(self, counter: &str, unit: &str) -> f64 {
        match self.dimension {
            Dimension::Own => self.number,
            Dimension::Seconds => self.number / seconds_in(counter),
            Dimension::Bytes => self.number / bytes_in(unit).unwrap_or(1.0),
        }
    }
}

/// How many seconds a value of 1 is, by the counter's name.
fn seconds_in(counter: &str) -> f64 {
    let is_of = |names: &[&str]| {
        let mut words = counter.split(|c: char| !c.is_alphanumeric());
        words.any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    match () {
        () if is_of(&["ms", "msec", "millisecond", "milliseconds"]) => 1e-3,
        () if is_of(&["us", "µs", "usec", "microsecond", "microseconds"]) => 1e-6,
        () if is_of(&["ns", "nsec", "nanosecond", "nanoseconds"]) => 1e-9,
        () => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_in_the_counters_unit() {
        let amount = |text: &str, counter: &str, unit: &str| {
            Amount::parse(text).map(|amount| amount.in_unit_of(counter, unit))
        };
        assert_eq!(amount("1 ms", "Avg. Disk sec/Read", "sec"), Ok(0.001));
        assert_eq!(amount("1 ms", "Request ms", ""), Ok(1.0));
        assert_eq!(amount("2 s", "Latency (milliseconds)", ""), Ok(2_000.0));
        assert_eq!(amount("10 MiB", "Working Set", "bytes"), Ok(10_485_760.0));
        assert_eq!(amount("10 MiB", "Available MBytes", "MiB"), Ok(10.0));
        assert_eq!(amount("5", "Request ms", ""), Ok(5.0));
        assert_eq!(amount("5 %", "% Processor Time", "%"), Ok(5.0));
        assert!(amount("5 parsecs", "Request ms", "").is_err());
    }
}
