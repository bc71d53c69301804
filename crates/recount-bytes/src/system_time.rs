//! `SYSTEMTIME`.

use std::fmt;

use recount_model::Timestamp;

/// `SYSTEMTIME`, formats/perf-data-block.md#systemtime: a civil date and time to the millisecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemTime {
    /// Year.
    pub year: u16,
    /// Month, from 1.
    pub month: u16,
    /// Day of the week, Sunday 0. Redundant with the date, but kept as found.
    pub day_of_week: u16,
    /// Day of the month, from 1.
    pub day: u16,
    /// Hour.
    pub hour: u16,
    /// Minute.
    pub minute: u16,
    /// Second.
    pub second: u16,
    /// Milliseconds.
    pub milliseconds: u16,
}

impl SystemTime {
    /// The fields in the order of the structure.
    pub fn words(self) -> [u16; 8] {
        [
            self.year,
            self.month,
            self.day_of_week,
            self.day,
            self.hour,
            self.minute,
            self.second,
            self.milliseconds,
        ]
    }

    /// From the fields in the order of the structure.
    pub(crate) fn from_words(words: [u16; 8]) -> SystemTime {
        let [year, month, day_of_week, day, hour, minute, second, milliseconds] = words;
        SystemTime { year, month, day_of_week, day, hour, minute, second, milliseconds }
    }

    /// The point in time, if the civil time is UTC; `None` if the date or time doesn't exist.
    pub fn as_utc(self) -> Option<Timestamp> {
        let small = |value: u16| i8::try_from(value).ok();
        let nanoseconds = i32::from(self.milliseconds).checked_mul(1_000_000)?;
        let civil = jiff::civil::DateTime::new(
            i16::try_from(self.year).ok()?,
            small(self.month)?,
            small(self.day)?,
            small(self.hour)?,
            small(self.minute)?,
            small(self.second)?,
            nanoseconds,
        );
        let time = jiff::tz::Offset::UTC.to_timestamp(civil.ok()?).ok()?;
        Some(Timestamp::from_jiff(time))
    }

    /// The civil time of a point in time in UTC, rounded down to the millisecond; `None` if out of range.
    pub fn from_utc(time: Timestamp) -> Option<SystemTime> {
        let civil = jiff::tz::Offset::UTC.to_datetime(time.to_jiff()?);
        let word = |value: i8| u16::try_from(value).ok();
        Some(SystemTime {
            year: u16::try_from(civil.year()).ok()?,
            month: word(civil.month())?,
            day_of_week: word(civil.weekday().to_sunday_zero_offset())?,
            day: word(civil.day())?,
            hour: word(civil.hour())?,
            minute: word(civil.minute())?,
            second: word(civil.second())?,
            milliseconds: u16::try_from(civil.millisecond()).ok()?,
        })
    }
}

/// `2017-01-17 21:34:40.302, day of week 2`.
impl fmt::Display for SystemTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SystemTime { year, month, day_of_week, day, hour, minute, second, milliseconds } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{milliseconds:03}")?;
        write!(f, ", day of week {day_of_week}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_both_ways() {
        // Tuesday 2017-01-17 21:34:40.302, from the real block.
        let time = SystemTime::from_words([2017, 1, 2, 17, 21, 34, 40, 302]);
        let utc = time.as_utc().expect("a real date");
        assert_eq!(utc.to_string(), "2017-01-17T21:34:40.302Z");
        assert_eq!(SystemTime::from_utc(utc), Some(time));
        assert_eq!(SystemTime { month: 13, ..time }.as_utc(), None);
        assert_eq!(SystemTime { milliseconds: u16::MAX, ..time }.as_utc(), None);
    }
}
