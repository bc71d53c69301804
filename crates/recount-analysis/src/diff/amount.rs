//! Amounts as people write them, in the unit in which a counter has its values: 1 ms of `Request ms` is 1, of `Avg. Disk sec/Read`
//! 0.001.

use crate::rules::quantity_of;
use crate::shown::bytes_in;

/// A difference between two values of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    /// In seconds, bytes, per cent, or the counter's own unit.
    number: f64,
    dimension: Dimension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Own,
    Seconds,
    Bytes,
    Percent,
}

impl Amount {
    /// `10 MiB`, `1 ms`, `5 %`, or a number in the counter's unit.
    pub(super) fn parse(text: &str) -> Result<Amount, String> {
        let number = quantity_of(text)?;
        let dimension = match text.trim_end().chars().next_back() {
            Some('s') => Dimension::Seconds,
            Some('B') => Dimension::Bytes,
            Some('%') => Dimension::Percent,
            _ => Dimension::Own,
        };
        Ok(Amount { number, dimension })
    }

    pub(super) fn is_negative(self) -> bool {
        self.number < 0.0
    }

    /// In the unit of a counter, which its name and `unit` tell; `None` if that isn't known, or of another kind.
    pub(super) fn in_unit_of(self, counter: &str, unit: &str) -> Option<f64> {
        match self.dimension {
            Dimension::Own => Some(self.number),
            Dimension::Seconds => Some(self.number / seconds_in(counter, unit)?),
            Dimension::Bytes => Some(self.number / bytes_in(unit).or_else(|| bytes_by_name(counter, unit))?),
            Dimension::Percent => (unit == "%").then_some(self.number),
        }
    }
}

const SECONDS: [(&[&str], f64); 4] = [
    (&["ms", "msec", "millisecond", "milliseconds"], 1e-3),
    (&["us", "µs", "usec", "microsecond", "microseconds"], 1e-6),
    (&["ns", "nsec", "nanosecond", "nanoseconds"], 1e-9),
    (&["s", "sec", "second", "seconds"], 1.0),
];

const BYTES: [(&[&str], f64); 5] = [
    (&["kb", "kib", "kbytes", "kilobytes"], 1024.0),
    (&["mb", "mib", "mbytes", "megabytes"], 1_048_576.0),
    (&["gb", "gib", "gbytes", "gigabytes"], 1_073_741_824.0),
    (&["tb", "tib", "terabytes"], 1_099_511_627_776.0),
    (&["bytes"], 1.0),
];

/// How many seconds a value of 1 is.
fn seconds_in(counter: &str, unit: &str) -> Option<f64> {
    // A rate per second isn't a time; `Avg. Disk sec/Read` is one.
    let name = counter.to_lowercase();
    let is_rate =
        unit.ends_with("/sec") || name.ends_with("/sec") || name.ends_with("/s") || name.contains("per sec");
    if is_rate { None } else { by_word(unit, &SECONDS).or_else(|| by_word(counter, &SECONDS)) }
}

/// How many bytes a value of 1 is, if only the counter's name says so.
fn bytes_by_name(counter: &str, unit: &str) -> Option<f64> {
    by_word(counter, &BYTES).filter(|_| unit.is_empty())
}

fn by_word(text: &str, units: &[(&[&str], f64)]) -> Option<f64> {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let factor = |word: &str| {
        let is_of = |(names, _): &&(&[&str], f64)| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        units.iter().find(is_of).map(|(_, factor)| *factor)
    };
    words.find_map(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_in_the_counters_unit() {
        let amount = |text: &str, counter: &str, unit: &str| {
            Amount::parse(text).map(|amount| amount.in_unit_of(counter, unit))
        };
        for (text, counter, unit, expected) in [
            ("1 ms", "Avg. Disk sec/Read", "sec", Some(0.001)),
            ("1 ms", "Request ms", "", Some(1.0)),
            ("2 s", "Latency (milliseconds)", "", Some(2_000.0)),
            ("10 MiB", "Working Set", "bytes", Some(10_485_760.0)),
            ("10 MiB", "Available MBytes", "MiB", Some(10.0)),
            ("10 MiB", "Memory Active in MB", "", Some(10.0)),
            ("8 KiB", "Size KB", "", Some(8.0)),
            ("5", "Request ms", "", Some(5.0)),
            ("5 %", "% Processor Time", "%", Some(5.0)),
            // Of another kind, or of none that is known.
            ("5 MiB", "Request ms", "", None),
            ("12 ms", "Size KB", "", None),
            ("1 ms", "Pages/sec", "/sec", None),
            ("5 s", "Requests per second", "", None),
            ("5 s", "Reads/s", "", None),
            ("50 %", "Request ms", "", None),
            ("1 ms", "Queue Length", "", None),
        ] {
            assert_eq!(amount(text, counter, unit), Ok(expected), "{text} of {counter}");
        }
        assert!(amount("5 parsecs", "Request ms", "").is_err());
    }
}
