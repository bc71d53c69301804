//! Number literals of PowerShell: `.015`, `1e3`, `0x1F`, `10MB` (of 1024), `5L`.

use super::super::obstacle::Obstacle;
use super::super::text::{LEN_SNIPPET, one_line};

const MULTIPLIERS: [(&str, f64); 5] = [
    ("kb", 1024.0),
    ("mb", 1_048_576.0),
    ("gb", 1_073_741_824.0),
    ("tb", 1_099_511_627_776.0),
    ("pb", 1_125_899_906_842_624.0),
];

/// The number in a word, with an optional sign; `None` if the word isn't a number.
pub(super) fn whole(word: &str) -> Result<Option<f64>, Obstacle> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, word.strip_prefix('+').unwrap_or(word)),
    };
    match prefix(digits)? {
        Some((number, "")) => Ok(Some(sign * number)),
        _ => Ok(None),
    }
}

/// The number at the beginning of a text, and the rest of the text.
pub(super) fn prefix(text: &str) -> Result<Option<(f64, &str)>, Obstacle> {
    let is_hexadecimal = text.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"));
    let read = if is_hexadecimal { hexadecimal(text)? } else { decimal(text) };
    let Some((number, rest)) = read else { return Ok(None) };
    // Type suffixes (long, decimal) change the type, not the value.
    let rest = rest.strip_prefix(['l', 'L', 'd', 'D']).unwrap_or(rest);
    let multiplier = MULTIPLIERS.iter().find_map(|(suffix, factor)| {
        let (head, rest) = rest.split_at_checked(suffix.len())?;
        head.eq_ignore_ascii_case(suffix).then_some((factor, rest))
    });
    let (number, rest) = multiplier.map_or((number, rest), |(factor, rest)| (number * factor, rest));
    let ends_well = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    if ends_well && !number.is_finite() {
        return Err(Obstacle::NoResult);
    }
    Ok(ends_well.then_some((number, rest)))
}

fn hexadecimal(text: &str) -> Result<Option<(f64, &str)>, Obstacle> {
    let behind = text.get(2..).unwrap_or_default();
    let end = behind.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(behind.len());
    let (digits, rest) = behind.split_at(end);
    if digits.is_empty() {
        return Ok(None);
    }
    // PowerShell reads 0x80000000 and above as negative 32-bit numbers, and likewise for 64 bits.
    match u64::from_str_radix(digits, 16) {
        Ok(number)
            if i32::try_from(number).is_ok()
                || u32::try_from(number).is_err() && i64::try_from(number).is_ok() =>
        {
            Ok(Some((number as f64, rest)))
        }
        _ => Err(Obstacle::Hexadecimal(one_line(&format!("0x{digits}"), LEN_SNIPPET))),
    }
}

fn decimal(text: &str) -> Option<(f64, &str)> {
    let digits_from = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        at + rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
    };
    let mut end = digits_from(0);
    let mut num_digits = end;
    if text.get(end..).is_some_and(|rest| rest.starts_with('.')) {
        let start = end + 1;
        end = digits_from(start);
        num_digits += end - start;
    }
    if num_digits == 0 {
        return None;
    }
    if let Some(rest) = text.get(end..).and_then(|rest| rest.strip_prefix(['e', 'E'])) {
        let start = end + 1 + usize::from(rest.starts_with(['+', '-']));
        let end_of_exponent = digits_from(start);
        end = if end_of_exponent > start { end_of_exponent } else { end };
    }
    let (number, rest) = text.split_at_checked(end)?;
    Some((number.parse().ok()?, rest))
}
