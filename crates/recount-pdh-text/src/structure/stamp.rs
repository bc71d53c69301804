//! Local times as text, in any locale's form, before the position of the month is known.

use jiff::civil::Date;
use jiff::tz::Offset;
use recount_model::Timestamp;

use crate::error::RowFault;

const TICKS_PER_MINUTE: i64 = 60 * Timestamp::TICKS_PER_SECOND;
const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;

/// The first field of a row, split into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The components of the date, in the order of the text.
    pub(crate) date: [u16; 3],
    /// The character between them: `/`, `.` or `-`.
    pub(crate) date_separator: u8,
    /// Whether the year comes first, followed by month and day; otherwise it comes last.
    pub(crate) year_first: bool,
    /// Whether it is written as PDH itself writes it, with the month first: `03/02/2026 09:00:00.000`.
    pub(crate) is_of_pdh: bool,
    /// Time of day, 100 ns ticks.
    pub(crate) ticks_of_day: i64,
    pub(crate) precision: Precision,
    /// Local time minus UTC in minutes, if the field says so: `2026-01-15T10:00:00Z`.
    pub(crate) offset_min: Option<i16>,
}

/// The smallest unit of a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Spreadsheets drop the rest.
    Minutes,
    Seconds,
    Fractions,
}

/// Which of the first two components is the month, if the year comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// `MM/dd/yyyy`: what PDH writes in every locale.
    MonthFirst,
    /// `dd.MM.yyyy` and similar forms.
    DayFirst,
}

impl DateOrder {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            DateOrder::MonthFirst => "month first",
            DateOrder::DayFirst => "day first",
        }
    }
}

impl Stamp {
    /// Reads a date with a four-digit year and a time of day (UTF-8), `None` if it isn't valid in any order.
    pub(crate) fn parse(field: &[u8]) -> Option<Stamp> {
        let mut at = Cursor(field.trim_ascii());
        let (first, len_first) = at.number(4)?;
        let date_separator = at.one_of(b"/.-")?;
        at.blanks();
        let (second, len_second) = at.number(2)?;
        at.byte(date_separator)?;
        at.blanks();
        let (third, len_third) = at.number(4)?;
        let year_first = len_first == 4;
        if year_first == (len_third == 4) || (len_first > 2 && !year_first) || (len_third > 2 && year_first) {
            return None;
        }
        // `2007-10-05T15:40`, `10/05/2007, 3:40 PM`, `2007. 10. 5. 15:40`.
        at.one_of(b"T,.");
        at.blanks();
        let (ticks_of_day, precision) = at.time_of_day()?;
        let offset_min = if at.0.is_empty() { None } else { Some(at.offset_min().filter(|_| year_first)?) };
        let date = [first, second, third];
        let is_of_pdh =
            date_separator == b'/' && [len_first, len_second] == [2, 2] && precision == Precision::Fractions;
        at.0.is_empty().then_some(Stamp {
            date,
            date_separator,
            year_first,
            is_of_pdh,
            ticks_of_day,
            precision,
            offset_min,
        })
    }

    /// Why [`Stamp::parse`] can't read a field.
    pub(crate) fn fault(field: &[u8]) -> RowFault {
        let mut at = Cursor(field.trim_ascii());
        let Some(_) = at.number(2) else { return RowFault::NoTime };
        let Some(separator) = at.one_of(b"/.-:") else { return RowFault::NoTime };
        if separator == b':' {
            return RowFault::NoDate;
        }
        at.blanks();
        let has_two_parts = at.number(2).is_some() && at.byte(separator).is_some();
        at.blanks();
        if has_two_parts && at.number(2).is_some() { RowFault::ShortYear } else { RowFault::NoTime }
    }

    /// The local time, in ticks since 1601-01-01 of the local calendar; `None` if there is no such day.
    pub(crate) fn local(self, order: DateOrder) -> Option<Timestamp> {
        let [first, second, third] = self.date;
        let (year, month, day) = match (self.year_first, order) {
            (true, _) => (first, second, third),
            (false, DateOrder::MonthFirst) => (third, first, second),
            (false, DateOrder::DayFirst) => (third, second, first),
        };
        let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
        let midnight = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
        Some(Timestamp(Timestamp::from_jiff(midnight).0 + self.ticks_of_day))
    }
}

/// The rest of a field.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    /// A number of at most `max_digits` digits, and how many it has.
    fn number(&mut self, max_digits: usize) -> Option<(u16, usize)> {
        let len = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if len == 0 || len > max_digits {
            return None;
        }
        let (digits, rest) = self.0.split_at(len);
        self.0 = rest;
        Some((digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0')), len))
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        bytes.contains(&first).then(|| {
            self.0 = rest;
            first
        })
    }

    fn byte(&mut self, byte: u8) -> Option<u8> {
        self.one_of(&[byte])
    }

    /// Skips blanks, including the no-break spaces that some locales put before AM.
    fn blanks(&mut self) {
        const WIDE: [&str; 3] = ["\u{202F}", "\u{A0}", "\u{3000}"];
        loop {
            self.0 = self.0.trim_ascii_start();
            match WIDE.iter().find_map(|blank| self.0.strip_prefix(blank.as_bytes())) {
                Some(rest) => self.0 = rest,
                None => return,
            }
        }
    }

    /// `Z`, `+01:00`, `-0330`, `+01`: an offset from UTC, in minutes, as ISO 8601 writes it.
    fn offset_min(&mut self) -> Option<i16> {
        const MAX_HOURS: u16 = 18;
        if self.one_of(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if self.one_of(b"+-")? == b'+' { 1 } else { -1 };
        let (hours, minutes) = match self.number(4)? {
            (packed, 4) => (packed / 100, packed % 100),
            (hours, 2) if self.byte(b':').is_some() => {
                (hours, self.number(2).filter(|(_, len)| *len == 2)?.0)
            }
            (hours, 2) => (hours, 0),
            _ => return None,
        };
        (hours <= MAX_HOURS && minutes < 60).then(|| sign * (hours * 60 + minutes) as i16)
    }

    /// `15:40:38.659`, `15.40.38,659`, `3:40 PM`: a time of day, as ticks, and its unit.
    fn time_of_day(&mut self) -> Option<(i64, Precision)> {
        let half_in_front = self.half();
        self.blanks();
        let (hour, _) = self.number(2)?;
        let separator = self.one_of(b":.")?;
        let (minute, _) = self.number(2)?;
        let (mut second, mut fraction) = (0, 0);
        let mut precision = Precision::Minutes;
        if self.byte(separator).is_some() {
            precision = Precision::Seconds;
            (second, _) = self.number(2)?;
            if self.one_of(b".,:").is_some() {
                precision = Precision::Fractions;
                fraction = self.fraction()?;
            }
        }
        self.blanks();
        let half = half_in_front.or_else(|| self.half());
        let hour = match half {
            None => hour,
            Some(half) if hour <= 12 => hour % 12 + half,
            Some(_) => return None,
        };
        self.blanks();
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let ticks = i64::from(hour) * TICKS_PER_HOUR
            + i64::from(minute) * TICKS_PER_MINUTE
            + i64::from(second) * Timestamp::TICKS_PER_SECOND
            + fraction;
        Some((ticks, precision))
    }

    /// AM or PM at this point, as the hour with which it begins.
    fn half(&mut self) -> Option<u16> {
        const MARKS: [(&str, u16); 14] = [
            ("AM", 0),
            ("PM", 12),
            ("a.m.", 0),
            ("p.m.", 12),
            ("a. m.", 0),
            ("p. m.", 12),
            ("a.\u{A0}m.", 0),
            ("p.\u{A0}m.", 12),
            ("午前", 0),
            ("午後", 12),
            ("上午", 0),
            ("下午", 12),
            ("오전", 0),
            ("오후", 12),
        ];
        let is_here = |mark: &str| {
            self.0.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark.as_bytes()))
        };
        let &(mark, half) = MARKS.iter().find(|(mark, _)| is_here(mark))?;
        self.0 = &self.0[mark.len()..];
        Some(half)
    }

    /// Digits after the decimal mark of the seconds, truncated to 100 ns.
    fn fraction(&mut self) -> Option<i64> {
        let len = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if len == 0 {
            return None;
        }
        let (digits, rest) = self.0.split_at(len);
        self.0 = rest;
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(7);
        Some(padded.fold(0, |ticks, digit| ticks * 10 + i64::from(digit - b'0')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn civil(text: &str, order: DateOrder) -> Option<String> {
        let local = Stamp::parse(text.as_bytes())?.local(order)?;
        Some(Offset::UTC.to_datetime(local.to_jiff()?).to_string())
    }

    #[test]
    fn every_locale_is_read() {
        use DateOrder::{DayFirst, MonthFirst};
        for (text, order, expected) in [
            ("10/05/2007 15:40:38.659", MonthFirst, "2007-10-05T15:40:38.659"),
            ("10/05/2007 15:40:38.659", DayFirst, "2007-05-10T15:40:38.659"),
            ("05.10.2007 15:40:38,659", DayFirst, "2007-10-05T15:40:38.659"),
            ("2007-10-05 15:40:38", DayFirst, "2007-10-05T15:40:38"),
            ("2007/10/05T15:40:38.1234567", MonthFirst, "2007-10-05T15:40:38.1234567"),
            ("05-10-2007 15.40.38.65", DayFirst, "2007-10-05T15:40:38.65"),
            ("5.1.2007 5:04", DayFirst, "2007-01-05T05:04:00"),
            ("10/5/2007 12:00:01 AM", MonthFirst, "2007-10-05T00:00:01"),
            ("10/5/2007, 12:00:01\u{202F}pm", MonthFirst, "2007-10-05T12:00:01"),
            (" 10/5/2007 3:40:38.5 PM ", MonthFirst, "2007-10-05T15:40:38.5"),
            ("5/10/2007 3:40:38 p.\u{A0}m.", DayFirst, "2007-10-05T15:40:38"),
            ("2007/10/5 午後 3:40:38", DayFirst, "2007-10-05T15:40:38"),
            ("2007/10/5 下午 12:40", DayFirst, "2007-10-05T12:40:00"),
            ("2007-10-05 오전 12:40:38", DayFirst, "2007-10-05T00:40:38"),
            ("2007. 10. 5. 오후 3:40", DayFirst, "2007-10-05T15:40:00"),
            ("5. 10. 2007 15:40", DayFirst, "2007-10-05T15:40:00"),
            ("3/26/2015 22:42", MonthFirst, "2015-03-26T22:42:00"),
        ] {
            assert_eq!(civil(text, order).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn iso_times_may_have_an_offset() {
        for (text, offset_min) in [
            ("2026-01-15T10:00:00.123Z", Some(0)),
            ("2026-01-15 10:00:00+01:00", Some(60)),
            ("2026-01-15T10:00:00.123 -0330", Some(-210)),
            ("2026-01-15T10:00-08", Some(-480)),
            ("2026-01-15T10:00:00", None),
        ] {
            assert_eq!(Stamp::parse(text.as_bytes()).expect(text).offset_min, offset_min, "{text}");
        }
    }

    #[test]
    fn what_a_time_lacks_is_known() {
        for (text, fault) in [
            ("42:15.1", RowFault::NoDate),
            ("10:42 PM", RowFault::NoDate),
            ("3/26/15 22:42", RowFault::ShortYear),
            ("26.03.15 22:42", RowFault::ShortYear),
            ("42089.9442", RowFault::NoTime),
            ("3/26/201", RowFault::NoTime),
            ("", RowFault::NoTime),
        ] {
            assert_eq!(Stamp::fault(text.as_bytes()), fault, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "10/05/07 15:40",
            "10/05/2007",
            "10/05-2007 15:40",
            "13/13/2007 15:40",
            "02/30/2007 15:40",
            "10/05/2007 24:00",
            "10/05/2007 15:60",
            "10/05/2007 13:00 PM",
            "10/05/2007 1:00 PM PM",
            "10/05/2007 1:00 PX",
            "40:38.7",
            "10/05/2007 15:40:38.659Z",
            "2007-10-05T15:40:38+1",
            "2007-10-05T15:40:38+01:00:00",
            "2007-10-05T15:40:38 CET",
            "10/05/2007 15:40:38.",
            "2007/10/2007 15:40",
            "99999/10/05 15:40",
        ] {
            assert_eq!(civil(text, DateOrder::MonthFirst), None, "{text}");
        }
    }
}
