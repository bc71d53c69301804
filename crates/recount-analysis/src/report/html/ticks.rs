//! Ticks of a value axis: round values, as the page's charts have them (`chart/scales.js`).

use crate::shown::{bytes_in, quantity};

/// Ticks are at least this share of the axis apart.
const CLOSEST: f64 = 0.2;
const MAX_TICKS: usize = 8;

/// Round values within a range, with their texts.
pub(super) fn ticks(unit: &str, (low, high): (f64, f64)) -> Vec<(f64, String)> {
    // Parts first: the difference of two large numbers may be infinite.
    let wanted = high * CLOSEST - low * CLOSEST;
    let Some(step) = round_step(unit, wanted) else { return Vec::new() };
    let first = (low / step - 1e-9).ceil();
    let at = |k: usize| (first + k as f64) * step;
    let values: Vec<f64> = (0..MAX_TICKS).map(at).take_while(|tick| *tick <= high + step * 1e-9).collect();
    let texts = texts(&values, unit, step);
    values.into_iter().zip(texts).collect()
}

/// The least round step that isn't less: powers of two for bytes.
fn round_step(unit: &str, least: f64) -> Option<f64> {
    if !least.is_normal() || least < 0.0 {
        return None;
    }
    let step = if is_binary(unit) && least > 0.5 {
        least.log2().ceil().exp2()
    } else {
        let power = 10f64.powf(least.log10().floor());
        let fits = |digit: &f64| digit * power >= least * (1.0 - 1e-9);
        [1.0, 2.0, 5.0].into_iter().find(fits).unwrap_or(10.0) * power
    };
    step.is_normal().then_some(step)
}

fn is_binary(unit: &str) -> bool {
    bytes_in(unit).is_some()
}

/// With all digits that tell them apart, which may be more than a value needs.
fn texts(ticks: &[f64], unit: &str, step: f64) -> Vec<String> {
    // An unknown unit may be any text: the legend has it, the axis has no room.
    let unit = if is_binary(unit) || matches!(unit, "%" | "/sec" | "sec") { unit } else { "" };
    let largest = ticks.iter().copied().map(f64::abs).fold(0.0, f64::max);
    let texts: Vec<String> = ticks.iter().map(|tick| quantity(*tick, unit)).collect();
    let is_told_apart = texts.windows(2).all(|pair| pair[0] != pair[1]);
    if is_told_apart && step >= largest / 100.0 { texts } else { exact_texts(ticks, unit, step, largest) }
}

/// All in the unit of the largest, with as many digits as the step has.
fn exact_texts(ticks: &[f64], unit: &str, step: f64, largest: f64) -> Vec<String> {
    static SIZES: [&str; 7] = [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
    let (base, names): (f64, &[&str]) = match unit {
        "bytes" | "bytes/sec" => (1024.0, &SIZES),
        "KiB" | "KiB/sec" => (1024.0, &SIZES[1..]),
        "MiB" | "MiB/sec" => (1024.0, &SIZES[2..]),
        "%" => (f64::INFINITY, &[" %"]),
        "sec" => (f64::INFINITY, &[" s"]),
        _ if largest < 1e5 => (f64::INFINITY, &[""]),
        _ => (1e3, &["", "k", "M", "G", "T", "P", "E"]),
    };
    let behind = if unit.ends_with("/sec") { "/s" } else { "" };
    let (mut power, mut divisor) = (0, 1.0);
    while power + 1 < names.len() && largest / divisor >= base {
        (power, divisor) = (power + 1, divisor * base);
    }
    if largest / divisor >= 1e15 {
        return ticks.iter().map(|tick| format!("{tick:.6e}{behind}")).collect();
    }
    // Powers of two have more digits than they need to be told apart.
    let own =
        (-(step / divisor).log10() - 1e-9).ceil() + f64::from(u8::from(is_binary(unit) && divisor > 1.0));
    let num = own.clamp(0.0, 15.0) as usize;
    ticks.iter().map(|tick| format!("{:.num$}{}{behind}", tick / divisor, names[power])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(unit: &str, range: (f64, f64)) -> Vec<String> {
        ticks(unit, range).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(shown("%", (0.0, 207.0)), ["0 %", "50 %", "100 %", "150 %", "200 %"]);
        assert_eq!(shown("%", (0.0, 100.0)), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        assert_eq!(shown("bytes", (0.0, 3.3 * 1024.0 * 1024.0)), ["0 B", "1 MiB", "2 MiB", "3 MiB"]);
        assert_eq!(shown("MiB", (0.0, 9139.0)), ["0 B", "2 GiB", "4 GiB", "6 GiB", "8 GiB"]);
        assert_eq!(shown("", (-3.0, 3.0)), ["-2", "0", "2"]);
        assert_eq!(shown("a unit", (0.0, 1.0)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    }

    #[test]
    fn texts_of_ticks_differ() {
        assert_eq!(
            shown("", (123_456_000.0, 123_456_400.0)),
            ["123.4560M", "123.4561M", "123.4562M", "123.4563M", "123.4564M"]
        );
        assert_eq!(shown("%", (99.94, 100.0)), ["99.94 %", "99.96 %", "99.98 %", "100.00 %"]);
    }

    #[test]
    fn any_range_has_few_ticks() {
        for range in [
            (0.0, f64::MAX),
            (-f64::MAX, f64::MAX),
            (0.0, 5e-324),
            (1.0, 1.0),
            (1e15, 1e15 + 1.0),
            (f64::NAN, 1.0),
        ] {
            for unit in ["", "bytes", "%", "sec"] {
                assert!(ticks(unit, range).len() <= MAX_TICKS, "{range:?} {unit}");
            }
        }
    }
}
