//! Texts and numbers for people: safe display of foreign names, quantities with units, counts.

use recount_model::{Instance, NumberStyle};

pub use recount_model::{answer_len, table_cell, visible};

/// Longest name shown in full, in characters.
pub const MAX_SHOWN: usize = 256;

/// A visible text of bounded length.
pub fn short(text: &str) -> String {
    // Cut first: a name may be megabytes long.
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(MAX_SHOWN).collect();
    let mut shown = visible(&head);
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Names are foreign input, so any markup in them is escaped.
pub(crate) fn markdown_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut before = ' ';
    let text = visible(text);
    for (at, c) in text.char_indices() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' => cell.extend(['\\', c]),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            // GitHub turns plain addresses into links and `@name` into mentions.
            ':' if !is_plain_colon(before, &text[at + 1..]) => cell.push_str("&#58;"),
            '.' if before.eq_ignore_ascii_case(&'w') => cell.push_str("&#46;"),
            '@' => cell.push_str("@&#8203;"),
            c => cell.push(c),
        }
        before = c;
    }
    cell
}

/// Whether a colon is that of a time of the day, or ends a clause: nothing that becomes an address or a picture.
fn is_plain_colon(before: char, rest: &str) -> bool {
    let mut next = rest.chars();
    let (first, second, third) = (next.next(), next.next(), next.next());
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_of_time = before.is_ascii_digit() && is_digit(first) && is_digit(second) && !is_digit(third);
    is_of_time || matches!(first, None | Some(' '))
}

/// The id by which people know an instance: that of a process or thread. The id of anything else only says that it is
/// another thing under the same name, such as the processors of another boot.
pub fn task_id(object: &str, instance: Option<&Instance>) -> Option<u64> {
    // `_Global_` of .NET is no process.
    instance?.id.filter(|id| if is_of_clr(object) { *id != 0 } else { is_of_tasks(object) })
}

/// How people call a series. `_Total` goes without saying, and `id` is that of a process or thread.
pub(crate) fn series_label(object: &str, instance: Option<&str>, id: Option<u64>, counter: &str) -> String {
    let (object, counter) = (short(object), short(counter));
    match instance.filter(|name| *name != "_Total") {
        None => format!("{object} {counter}"),
        Some(name) => match id {
            Some(id) => format!("{object} {} (pid {id}) {counter}", short(name)),
            None => format!("{object}({}) {counter}", short(name)),
        },
    }
}

/// Whether the instances of an object are processes or threads, whose ids people know.
pub(crate) fn is_of_tasks(object: &str) -> bool {
    const TASKS: [&str; 4] = ["Process", "Thread", "Process V2", "Job Object Details"];
    TASKS.iter().any(|task| object.eq_ignore_ascii_case(task)) || is_of_clr(object)
}

/// Whether the instances of an object are processes that execute .NET: `.NET CLR Memory`.
pub(crate) fn is_of_clr(object: &str) -> bool {
    object.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(".NET CLR "))
}

/// The unit in which a counter's values are shown. The type of a raw count has no unit, but many raw counts
/// are bytes, or thousands or millions of them, which Windows and `esxtop` count by 1,024. A share of bytes isn't bytes.
pub fn unit_of<'u>(counter: &str, unit: &'u str) -> &'u str {
    const SIZES: [&str; 5] =
        ["Working Set", "Working Set Peak", "Working Set - Private", "Cache Size", "Commit Limit"];
    /// Of ASP.NET: their explain texts say so.
    const MILLISECONDS: [&str; 2] = ["Request Execution Time", "Request Wait Time"];
    const SECONDS: [&str; 3] = ["Elapsed Time", "System Up Time", "Page life expectancy"];
    let has_word = |words: &[&str]| counter.split([' ', '/']).any(|word| words.contains(&word));
    let (size, rate) = if SIZES.contains(&counter) || has_word(&["Bytes", "bytes"]) {
        ("bytes", "bytes/sec")
    } else if has_word(&["MBytes", "Megabytes", "(MB)"]) {
        ("MiB", "MiB/sec")
    } else if has_word(&["KBytes", "Kilobytes", "(KB)"]) {
        ("KiB", "KiB/sec")
    } else {
        ("", "")
    };
    match unit {
        // PDH texts have no types, only names.
        "" if counter.starts_with('%') => "%",
        "/sec" | "" if !rate.is_empty() && counter.ends_with("/sec") => rate,
        "" if is_percentage(counter) => "%",
        "" if counter.split(' ').any(|word| word.starts_with("sec/")) => "sec",
        "" if !size.is_empty() && !counter.contains('/') => size,
        "" if MILLISECONDS.contains(&counter) => "ms",
        "" if SECONDS.contains(&counter) => "sec",
        unit => unit,
    }
}

/// How many bytes the unit of a size has, and of a rate of sizes. `None` for any other unit.
pub(crate) fn bytes_in(unit: &str) -> Option<f64> {
    match unit.strip_suffix("/sec").unwrap_or(unit) {
        "bytes" => Some(1.0),
        "KiB" => Some(1024.0),
        "MiB" => Some(1_048_576.0),
        _ => None,
    }
}

/// A size, or a rate of sizes, as people read it: `5.9 GiB`. `None` for any other unit.
pub fn size(value: f64, unit: &str) -> Option<String> {
    bytes_in(unit).map(|_| quantity(value, unit))
}

/// Whether a counter's name says that it counts hundredths: `% Disk Time`, `Percent Log Used`, `Copy Read Hits %`, `Buffer cache hit ratio`.
fn is_percentage(counter: &str) -> bool {
    let name = counter.to_lowercase();
    let has_word = name.split([' ', '(', ')']).any(|word| matches!(word, "%" | "percent" | "percentage"));
    has_word && !name.contains('/') || name.starts_with("% ") || name.ends_with("hit ratio")
}

/// A value with its unit, for people: three digits or so.
pub fn quantity(value: f64, unit: &str) -> String {
    if let Some(factor) = bytes_in(unit) {
        let behind = if unit.ends_with("/sec") { "/s" } else { "" };
        return format!("{}{behind}", bytes(value * factor));
    }
    match unit {
        "%" => format!("{} %", digits(value)),
        "/sec" => format!("{}/s", digits(value)),
        "sec" if value.abs() < 1e-3 => format!("{} µs", digits(value * 1e6)),
        "sec" if value.abs() < 1.0 => format!("{} ms", digits(value * 1e3)),
        "sec" => format!("{} s", digits(value)),
        "" => digits(value),
        unit => format!("{} {}", digits(value), short(unit)),
    }
}

fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut scaled = value;
    let mut at = 0;
    while scaled.abs() >= 1024.0 && at + 1 < UNITS.len() {
        scaled /= 1024.0;
        at += 1;
    }
    format!("{} {}", digits(scaled), UNITS[at])
}

/// Smaller numbers have an exponent.
const SMALL: f64 = 1e-4;

/// How many decimals a number has that is shown with so many from 0.1 on: smaller ones have more, for as many digits.
fn decimals(size: f64, usual: usize) -> usize {
    const FROM: f64 = 0.1;
    if size >= FROM || size == 0.0 {
        return usual;
    }
    usual + (-size.log10()).ceil() as usize - 1
}

/// About three digits, and all digits before the decimal point.
fn digits(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return value.to_string();
    }
    if size >= 1e9 || (size > 0.0 && size < SMALL) {
        return format!("{value:.2e}");
    }
    let decimals = match size {
        100.0.. => 0,
        10.0.. => 1,
        _ => decimals(size, 2),
    };
    let text = format!("{value:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    grouped(&text)
}

/// A number with up to three decimals, or three digits if it is small; thousands in groups.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    if value != 0.0 && !(SMALL..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    let decimals = decimals(size, 3);
    let text = format!("{value:.decimals$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { grouped(text) }
}

/// A number as its counter's type and attributes ask for (MS-PCQ 2.2.4.2). One that isn't whole can't be hexadecimal. Of a
/// larger one than 2^53 the last digits aren't certain: it begins with `~`.
pub fn styled_number(value: f64, style: NumberStyle) -> String {
    /// From here on, not every whole number is a double.
    const LIMIT: f64 = (1_u64 << 53) as f64;
    /// The first one that needs more than 64 bits; 2^64 - 1 is rounded to it.
    const LIMIT_LARGE: f64 = u64::MAX as f64;
    let is_whole = value.fract() == 0.0 && (0.0..=LIMIT_LARGE).contains(&value);
    let as_real = |text: String| {
        let is_plain = value.is_finite() && !text.contains(['.', 'e']);
        if is_plain { text + ".0" } else { text }
    };
    match style {
        NumberStyle::Hexadecimal if is_whole && value <= LIMIT => format!("0x{:X}", value as u64),
        NumberStyle::Hexadecimal if is_whole => format!("~0x{:X}", value as u64),
        NumberStyle::Grouped | NumberStyle::Hexadecimal => number(value),
        NumberStyle::Ungrouped => number(value).replace(',', ""),
        NumberStyle::Real => as_real(number(value)),
        NumberStyle::UngroupedReal => as_real(number(value).replace(',', "")),
    }
}

/// Thousands in groups.
fn grouped(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, decimals) = rest.split_once('.').map_or((rest, None), |(whole, part)| (whole, Some(part)));
    let mut shown = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    decimals.map_or(shown.clone(), |decimals| format!("{shown}.{decimals}"))
}

/// A number with a noun: `1 note`, `2 notes`.
pub fn plural<N: std::fmt::Display + PartialEq + From<u8> + Copy>(count: N, what: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// A length of time, for people.
pub fn duration(seconds: f64) -> String {
    /// From here on in days.
    const LONG_H: f64 = 72.0;
    let whole = seconds.round();
    if seconds < 0.1 {
        return format!("{} s", digits((seconds * 1000.0).round() / 1000.0));
    }
    if seconds < 10.0 {
        return format!("{} s", digits((seconds * 10.0).round() / 10.0));
    }
    let (hours, minutes, rest) = ((whole / 3600.0).floor(), (whole % 3600.0 / 60.0).floor(), whole % 60.0);
    match (hours, minutes) {
        (hours, _) if hours >= LONG_H => {
            let days = format!("{} days", grouped(&(hours / 24.0).floor().to_string()));
            if hours % 24.0 == 0.0 { days } else { format!("{days} {} h", hours % 24.0) }
        }
        (0.0, 0.0) => format!("{whole} s"),
        (0.0, minutes) if rest == 0.0 => format!("{minutes} min"),
        (0.0, minutes) => format!("{minutes} min {rest} s"),
        (hours, 0.0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_their_counter_asks() {
        let shown = |style| [4_990_865.0, 0.5].map(|value| styled_number(value, style));
        assert_eq!(shown(NumberStyle::Grouped), ["4,990,865", "0.5"]);
        assert_eq!(shown(NumberStyle::Ungrouped), ["4990865", "0.5"]);
        assert_eq!(shown(NumberStyle::Real), ["4,990,865.0", "0.5"]);
        assert_eq!(shown(NumberStyle::UngroupedReal), ["4990865.0", "0.5"]);
        assert_eq!(shown(NumberStyle::Hexadecimal), ["0x4C2791", "0.5"]);
        let hex = |value: u64| styled_number(value as f64, NumberStyle::Hexadecimal);
        assert_eq!(hex(1 << 53), "0x20000000000000");
        assert_eq!(hex(0xF000_0000_0000_0001), "~0xF000000000000000");
        assert_eq!(hex(u64::MAX), "~0xFFFFFFFFFFFFFFFF");
    }

    #[test]
    fn only_processes_and_threads_are_known_by_ids() {
        let total = Instance { id: Some(1_769_904_000), ..Instance::named("_Total") };
        let id = |object| task_id(object, Some(&total));
        assert_eq!((id("Processor"), id("Soft Net"), id("PhysicalDisk")), (None, None, None));
        assert_eq!((id("Process"), id("thread"), task_id("Process", None)), (total.id, total.id, None));
    }

    #[test]
    fn numbers_are_readable() {
        for (value, expected) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (-1_234_567.891_3, "-1,234,567.891"),
            (999.999_9, "1,000"),
            (100_000.0, "100,000"),
            (0.012_345, "0.0123"),
            (0.000_123, "0.000123"),
            (0.000_012_3, "1.230e-5"),
            (1e18, "1.000e18"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn long_names_are_cut() {
        let long = short(&"x".repeat(40_000));
        assert_eq!(long.chars().count(), MAX_SHOWN + 1);
        assert_eq!(short("abc"), "abc");
    }

    #[test]
    fn quantities_are_readable() {
        for (value, unit, expected) in [
            (98.72, "%", "98.7 %"),
            (1_572_864.0, "bytes", "1.5 MiB"),
            (52_428_800.0, "bytes/sec", "50 MiB/s"),
            (0.0042, "sec", "4.2 ms"),
            (12_345.6, "", "12,346"),
            (0.0, "/sec", "0/s"),
            (-3.456_78, "", "-3.46"),
            (300.0, "MiB", "300 MiB"),
            (9_139.0, "MiB", "8.92 GiB"),
            (512.0, "KiB", "512 KiB"),
            (0.5, "MiB/sec", "512 KiB/s"),
        ] {
            assert_eq!(quantity(value, unit), expected);
        }
        for (seconds, expected) in [
            (0.04, "0.04 s"),
            (0.5, "0.5 s"),
            (41.0, "41 s"),
            (60.0, "1 min"),
            (95.2, "1 min 35 s"),
            (7_320.0, "2 h 2 min"),
            (3_600.0, "1 h"),
            (259_200.0, "3 days"),
            (389_940.0, "4 days 12 h"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }

    #[test]
    fn bytes_are_known_by_their_names() {
        for (counter, unit, expected) in [
            ("Working Set", "", "bytes"),
            ("Private Bytes", "", "bytes"),
            ("IO Write Bytes/sec", "/sec", "bytes/sec"),
            ("Avg. Disk Bytes/Read", "", ""),
            ("Avg. Disk sec/Read", "", "sec"),
            ("Avg. sec/Data Request", "", "sec"),
            ("Disk Reads/sec", "", ""),
            ("Available MBytes", "", "MiB"),
            ("Available KBytes", "", "KiB"),
            ("Free Megabytes", "", "MiB"),
            ("Total Server Memory (KB)", "", "KiB"),
            ("Swap Read MBytes/sec", "", "MiB/sec"),
            ("Memctl Current MBytes", "", "MiB"),
            ("MBytes/Command", "", ""),
            ("Bytes Received/sec", "/sec", "bytes/sec"),
            ("Page Faults/sec", "/sec", "/sec"),
            ("% Processor Time", "", "%"),
            ("% Committed Bytes In Use", "", "%"),
            ("% Committed Bytes In Use", "%", "%"),
            ("Free Bytes %", "", "%"),
            ("Percent Bytes Used", "", "%"),
            ("%Used Bytes", "", "%"),
            ("% Bytes/sec", "", "%"),
            ("Percent Log Used", "", "%"),
            ("Copy Read Hits %", "", "%"),
            ("Cache Hits (%)", "", "%"),
            ("Buffer cache hit ratio", "", "%"),
            ("Percentile 99", "", ""),
            ("Buffer cache hit ratio base", "", ""),
        ] {
            assert_eq!(unit_of(counter, unit), expected, "{counter}");
        }
    }
}
