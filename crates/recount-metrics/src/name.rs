//! Names of metrics, of the letters that every database takes (`formats/openmetrics.md#names`).

use std::fmt::Write;

/// Units of counters, in words.
const UNITS: [(&str, &str); 20] = [
    ("%", "percent"),
    ("/sec", "per second"),
    ("sec", "seconds"),
    ("ms", "milliseconds"),
    ("°C", "celsius"),
    ("°F", "fahrenheit"),
    ("K", "kelvin"),
    ("MHz", "megahertz"),
    ("V", "volts"),
    ("mV", "millivolts"),
    ("µV", "microvolts"),
    ("A", "amperes"),
    ("mA", "milliamperes"),
    ("µA", "microamperes"),
    ("kW", "kilowatts"),
    ("W", "watts"),
    ("mW", "milliwatts"),
    ("µW", "microwatts"),
    ("/count", "per count"),
    ("/byte", "per byte"),
];

/// The words of a name: letters and digits of ASCII, in lower case.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        let word = words.last_mut().map_or(0, |word| word.len());
        if c == '%' {
            words.extend(["percent".to_owned(), String::new()]);
        } else if let Some(behind) = per_second(rest).filter(|_| word > 0) {
            words.extend(["per".to_owned(), "second".to_owned(), String::new()]);
            rest = behind;
            continue;
        } else if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            push(word, c);
        } else {
            words.push(String::new());
        }
        rest = behind;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The text after `/sec` or `/s`, if it begins with one of these.
fn per_second(text: &str) -> Option<&str> {
    let behind = text.strip_prefix("/sec").or_else(|| text.strip_prefix("/s"))?;
    (!behind.starts_with(char::is_alphanumeric)).then_some(behind)
}

fn push(word: &mut String, c: char) {
    if c.is_ascii() {
        word.push(c.to_ascii_lowercase());
    } else {
        // Writing to a string can't fail.
        let _ = write!(word, "u{:04x}", u32::from(c));
    }
}

/// The words of a unit.
pub(crate) fn unit_words(unit: &str) -> Vec<String> {
    let known = UNITS.iter().find(|(own, _)| *own == unit);
    known.map_or_else(|| words(unit), |(_, known)| known.split(' ').map(str::to_owned).collect())
}

/// A counter's name with its unit at the end, once.
pub(crate) fn with_unit(counter: &str, unit: &[String]) -> String {
    let mut words = words(counter);
    if let ([unit], Some(at)) = (unit, words.iter().position(|word| word == "percent"))
        && unit == "percent"
    {
        words.remove(at);
    }
    let overlap = (0..=unit.len().min(words.len())).rev().find(|len| words.ends_with(&unit[..*len]));
    words.extend_from_slice(&unit[overlap.unwrap_or(0)..]);
    if words.is_empty() { "value".to_owned() } else { words.join("_") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_unit_once() {
        let all = [
            ("% Processor Time", "%", "processor_time_percent"),
            ("%usr", "%", "usr_percent"),
            ("vmcom %", "%", "vmcom_percent"),
            ("Disk Reads/sec", "/sec", "disk_reads_per_second"),
            ("rxpck/s", "/sec", "rxpck_per_second"),
            ("Bytes/second hand", "", "bytes_second_hand"),
            ("read_bytes", "bytes/sec", "read_bytes_per_second"),
            ("Available Bytes", "", "available_bytes"),
            ("Avg. Disk sec/Transfer", "sec", "avg_disk_sec_transfer_seconds"),
            ("degC", "°C", "degc_celsius"),
            ("Größe", "", "gru00f6u00dfe"),
            ("%", "%", "percent"),
            ("", "", "value"),
            ("+-", "", "value"),
            ("/sec", "/sec", "sec_per_second"),
        ];
        for (name, unit, expected) in all {
            assert_eq!(with_unit(name, &unit_words(unit)), expected, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn only_letters_that_all_databases_take(name in ".{0,40}", unit in ".{0,6}") {
            let found = with_unit(&name, &unit_words(&unit));
            let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            proptest::prop_assert!(!found.is_empty() && found.chars().all(is_fine), "{found:?}");
            proptest::prop_assert!(!found.starts_with('_') && !found.ends_with('_') && !found.contains("__"));
        }
    }
}
