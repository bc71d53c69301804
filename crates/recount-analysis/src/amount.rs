//! Amounts as people write them in tolerances and limits, in the unit in which a counter has its values: 1 ms of `Request ms` is 1, of `Avg. Disk sec/Read`
//! 0.001.

use crate::shown::{bytes_in, unit_of};

/// A value of a counter, or a difference between two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Amount {
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
    pub(crate) fn parse(text: &str) -> Result<Amount, String> {
        let number = quantity_of(text)?;
        let dimension = match text.trim_end().chars().next_back() {
            Some('s') => Dimension::Seconds,
            Some('B') => Dimension::Bytes,
            Some('%') => Dimension::Percent,
            _ => Dimension::Own,
        };
        Ok(Amount { number, dimension })
    }

    pub(crate) fn is_negative(self) -> bool {
        self.number < 0.0
    }

    /// In the unit of a counter, which its name and `unit` tell; `None` if that isn't known, or of another kind.
    pub(crate) fn in_unit_of(self, counter: &str, unit: &str) -> Option<f64> {
        match self.dimension {
            Dimension::Own => Some(self.number),
            Dimension::Seconds => Some(self.number / seconds_in(counter, unit)?),
            Dimension::Bytes => Some(self.number / bytes_in(unit).or_else(|| bytes_by_name(counter, unit))?),
            Dimension::Percent => (unit == "%").then_some(self.number),
        }
    }

    /// In the unit that the names of counters tell. Of names that tell none, it is taken for the right one: bytes or seconds.
    pub(crate) fn for_counters<'c>(self, counters: impl Iterator<Item = &'c str>) -> Result<f64, String> {
        let mut of_all: Option<f64> = None;
        for counter in counters {
            let number = self.by_name(counter)?;
            if of_all.is_some_and(|known| known.to_bits() != number.to_bits()) {
                return Err("the counters have values in several units".to_owned());
            }
            of_all = Some(number);
        }
        Ok(of_all.unwrap_or(self.number))
    }

    /// Whether it is a share, in per cent or without a unit.
    pub(crate) fn is_share(self) -> bool {
        matches!(self.dimension, Dimension::Own | Dimension::Percent)
    }

    fn by_name(self, counter: &str) -> Result<f64, String> {
        if counter.contains(['*', '?']) && !self.is_share() {
            return Err(format!(
                "{counter} may be several counters: an amount with a unit needs the name of one"
            ));
        }
        let unit = unit_of(counter, "");
        match self.in_unit_of(counter, unit) {
            Some(number) => Ok(number),
            None if !unit.is_empty() => Err(format!("{counter} has values in {unit}")),
            None if is_rate(counter, unit) => Err(format!("{counter} counts per second")),
            None if by_word(counter, &SECONDS).or_else(|| by_word(counter, &BYTES)).is_some() => {
                Err(format!("{counter} has values of another kind"))
            }
            None if is_number(counter) && self.dimension != Dimension::Own => {
                Err(format!("{counter} is a number"))
            }
            None => Ok(self.number),
        }
    }
}

/// The factor from a unit to the counter's own unit, bytes or seconds.
const UNITS: [(&str, f64); 14] = [
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("%", 1.0),
    ("B", 1.0),
];

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
    if is_rate(counter, unit) { None } else { by_word(unit, &SECONDS).or_else(|| by_word(counter, &SECONDS)) }
}

/// Whether it counts per second, which isn't a time; `Avg. Disk sec/Read` is one.
fn is_rate(counter: &str, unit: &str) -> bool {
    let name = counter.to_lowercase();
    unit.ends_with("/sec")
        || name.ends_with("/sec")
        || name.ends_with("/ sec")
        || name.ends_with("/s")
        || name.contains("per sec")
}

/// Whether its name says that it counts things, or bits.
fn is_number(counter: &str) -> bool {
    const WORDS: [&str; 20] = [
        "count",
        "number",
        "length",
        "depth",
        "bandwidth",
        "threads",
        "processes",
        "handles",
        "connections",
        "sessions",
        "users",
        "requests",
        "queued",
        "operations",
        "transactions",
        "errors",
        "packets",
        "files",
        "locks",
        "objects",
    ];
    /// `Longest Transactions Running Time` is a time.
    const OTHERS: [&str; 6] = ["time", "latency", "duration", "age", "size", "memory"];
    let has_any = |known: &[&str]| {
        let mut words = counter.split(|c: char| !c.is_alphanumeric());
        words.any(|word| known.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    (counter.starts_with('#') || has_any(&WORDS)) && !has_any(&OTHERS)
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

/// A number with or without a unit.
pub(crate) fn quantity_of(text: &str) -> Result<f64, String> {
    let text = text.trim();
    // An exponent is part of the number; the unit is the trailing letters.
    let unit_at = text.rfind(|c: char| c.is_ascii_digit() || c == '.').map_or(0, |at| at + 1);
    let (number, unit) = text.split_at(unit_at);
    let value: f64 = number
        .trim()
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| format!("{text:?} is not a number"))?;
    let unit = unit.trim();
    if unit.is_empty() {
        return Ok(value);
    }
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let known = || UNITS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    factor
        .map(|factor| value * factor)
        .ok_or_else(|| format!("{unit:?} is not a unit: known are {}", known()))
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
        let of_names = |text: &str, counters: &[&str]| {
            Amount::parse(text).and_then(|amount| amount.for_counters(counters.iter().copied()))
        };
        assert_eq!(of_names("500 MiB", &["Available MBytes"]), Ok(500.0));
        assert_eq!(of_names("20 MiB", &["Disk Bytes/sec", "Disk Read Bytes/sec"]), Ok(20_971_520.0));
        assert_eq!(of_names("20 ms", &["Avg. Disk sec/Read"]), Ok(0.02));
        assert_eq!(of_names("1 s", &["Request ms"]), Ok(1_000.0));
        assert_eq!(of_names("1 s", &["Request Execution Time"]), Ok(1_000.0));
        // Nobody knows of what these are.
        assert_eq!(of_names("20 MiB", &["Cache Used"]), Ok(20_971_520.0));
        assert_eq!(of_names("20 MiB", &[]), Ok(20_971_520.0));
        for (text, counters, what) in [
            ("80 MiB", &["% Processor Time"][..], "% Processor Time has values in %"),
            ("1 ms", &["Page Faults/sec"], "Page Faults/sec counts per second"),
            ("20 MiB", &["Page Reads/sec"], "Page Reads/sec counts per second"),
            ("5 %", &["Working Set"], "Working Set has values in bytes"),
            ("100 MB", &["Handle Count"], "Handle Count is a number"),
            ("3 %", &["Handle Count"], "Handle Count is a number"),
            ("1 GiB", &["# Gen 0 Collections"], "# Gen 0 Collections is a number"),
            ("5 s", &["# of Exceps Thrown / sec"], "# of Exceps Thrown / sec counts per second"),
            ("1 MB", &["Page life expectancy"], "Page life expectancy has values in sec"),
            ("1 s", &["Current Disk Queue Length"], "Current Disk Queue Length is a number"),
            ("100 MB", &["Current Bandwidth"], "Current Bandwidth is a number"),
            ("1 MB", &["Request Execution Time"], "Request Execution Time has values in ms"),
            ("5 MiB", &["Request ms"], "Request ms has values of another kind"),
            ("1 GiB", &["Available Bytes", "Available MBytes"], "the counters have values in several units"),
        ] {
            assert_eq!(of_names(text, counters), Err(what.to_owned()));
        }
    }
}
