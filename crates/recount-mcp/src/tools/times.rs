//! Times as text.

use recount_model::Period;

/// Seconds since 1970 of a time as the command prints it, `2013-02-20T02:55:00Z`, in whichever zone.
pub(super) fn seconds(time: &str) -> Option<u64> {
    let part = |from: usize, to: usize| time.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    // Days of the calendar, from March on, so that a leap day is the last of its year.
    let (year, month) =
        if month < 3 { (year.checked_sub(1)?, month + 9) } else { (year, month.checked_sub(3)?) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    Some(days.checked_sub(719_469)? * 86_400 + part(11, 13)? * 3_600 + part(14, 16)? * 60 + part(17, 19)?)
}

/// The span before another one: of the same length, or all before it if it has no end. `None` if nothing is before it, or its ends have
/// neither the form of `seconds` nor that of times from the first sample (`+30s`) or the last (`-30s`), or the second isn't after the first.
pub(super) fn span_before(begin: &str, end: &str) -> Option<(String, String)> {
    if end.is_empty() {
        return (!is_first(begin)).then(|| (String::new(), begin.to_owned()));
    }
    for sign in ['+', '-'] {
        if let (Some(from), Some(to)) = (from_end(begin, sign), from_end(end, sign)) {
            let len = to.abs_diff(from);
            let before = if sign == '-' { from.checked_add(len)? } else { from.saturating_sub(len) };
            let is_ascending = if sign == '-' { from > to } else { from < to };
            let is_part = is_ascending && !is_first(begin);
            return is_part.then(|| (format!("{sign}{before}ms"), begin.to_owned()));
        }
    }
    let len = seconds(end)?.checked_sub(seconds(begin)?).filter(|len| *len > 0)?;
    let zone = if begin.ends_with('Z') { "Z" } else { "" };
    Some((stated(seconds(begin)?.checked_sub(len)?) + zone, begin.to_owned()))
}

/// Whether a time is that of the first sample.
fn is_first(time: &str) -> bool {
    time.is_empty() || from_end(time, '+') == Some(0)
}

/// The milliseconds of a time that is counted from the first sample (`+`) or the last (`-`).
fn from_end(time: &str, sign: char) -> Option<u64> {
    let duration = Period::parse_or_zero(time.strip_prefix(sign)?).ok()?;
    u64::try_from(duration.as_millis()).ok()
}

/// A time in the form of `seconds`, without its zone.
fn stated(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400 + 719_468, seconds % 86_400);
    // Years begin in March, so that a leap day is the last of its year; 400 of them have the same number of days.
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = 400 * era + year + u64::from(month > 9);
    let month = if month > 9 { month - 9 } else { month + 3 };
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2013-02-20T10:01:45.5Z"), Some(1_361_354_505));
        assert_eq!(seconds("2024-03-01T00:00:00"), Some(1_709_251_200));
        for odd in ["", "2013", "1601-01-01T00:00:00Z", "é013-02-20T10:01:45Z"] {
            assert_eq!(seconds(odd), None, "{odd}");
        }
    }

    #[test]
    fn times_that_are_read_are_stated() {
        for time in [
            "1970-01-01T00:00:00",
            "2013-02-20T10:01:45",
            "2024-02-29T23:59:59",
            "2024-03-01T00:00:00",
            "2099-12-31T12:00:00",
        ] {
            assert_eq!(seconds(time).map(stated).as_deref(), Some(time));
        }
        for day in 0..60_000 {
            assert_eq!(seconds(&stated(day * 86_400)), Some(day * 86_400));
        }
    }

    #[test]
    fn the_span_before_is_as_long() {
        let before = span_before("2024-03-01T00:00:00Z", "2024-03-01T00:10:00Z");
        assert_eq!(before, Some(("2024-02-29T23:50:00Z".into(), "2024-03-01T00:00:00Z".into())));
        let before = span_before("2013-02-20T10:00:00.5", "2013-02-20T10:00:05");
        assert_eq!(before, Some(("2013-02-20T09:59:55".into(), "2013-02-20T10:00:00.5".into())));
        for (span, expected) in [
            (("+30s", "+60s"), Some(("+0ms", "+30s"))),
            (("+30s", "+5m"), Some(("+0ms", "+30s"))),
            (("+5m", "+6m"), Some(("+240000ms", "+5m"))),
            (("-1m", "-30s"), Some(("-90000ms", "-1m"))),
            (("+30s", ""), Some(("", "+30s"))),
            (("2024-03-01T00:00:00Z", ""), Some(("", "2024-03-01T00:00:00Z"))),
            (("+0s", "+30s"), None),
            (("+0s", ""), None),
            (("", "-30s"), None),
            (("+60s", "+30s"), None),
            (("-30s", "-60s"), None),
            (("+30s", "-30s"), None),
        ] {
            let expected = expected.map(|(begin, end)| (begin.to_owned(), end.to_owned()));
            assert_eq!(span_before(span.0, span.1), expected, "{span:?}");
        }
        for (begin, end) in [("14:00", "14:10"), ("2024-03-01T00:00:00Z", "2024-03-01T00:00:00Z"), ("", "")] {
            assert_eq!(span_before(begin, end), None);
        }
    }
}
