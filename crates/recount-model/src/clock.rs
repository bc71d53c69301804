//! Points in time, in the unit of the formats: 100 ns since 1601-01-01 (`FILETIME`).

use std::fmt;

use jiff::tz::Offset;

/// A point in time in 100 ns ticks since 1601-01-01T00:00:00 UTC: a Windows `FILETIME`.
///
/// Kept in the unit that captures use, so nothing is rounded on reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Ticks (100 ns) in one second.
    pub const TICKS_PER_SECOND: i64 = 10_000_000;
    /// Ticks from 1601-01-01 to 1970-01-01.
    pub const UNIX_EPOCH: Timestamp = Timestamp(116_444_736_000_000_000);

    /// Nanoseconds since 1970-01-01 UTC, or `None` outside the years 1677 to 2262.
    pub fn unix_nanos(self) -> Option<i64> {
        self.0.checked_sub(Self::UNIX_EPOCH.0)?.checked_mul(100)
    }

    /// From nanoseconds since 1970-01-01 UTC, rounded down to 100 ns.
    pub fn from_unix_nanos(nanos: i64) -> Timestamp {
        Timestamp(Self::UNIX_EPOCH.0 + nanos.div_euclid(100))
    }

    /// This time moved by `minutes`.
    pub fn plus_minutes(self, minutes: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(minutes.saturating_mul(60 * Self::TICKS_PER_SECOND)))
    }

    /// This time moved back by `seconds`, to the nearest tick.
    pub fn minus_seconds(self, seconds: f64) -> Timestamp {
        Timestamp(self.0.saturating_sub((seconds * Self::TICKS_PER_SECOND as f64).round() as i64))
    }

    /// Seconds from `earlier` to this time.
    pub fn seconds_since(self, earlier: Timestamp) -> f64 {
        self.0.wrapping_sub(earlier.0) as f64 / Self::TICKS_PER_SECOND as f64
    }

    /// As a [`jiff::Timestamp`], or `None` outside the years jiff knows (to 9999).
    pub fn to_jiff(self) -> Option<jiff::Timestamp> {
        let ticks = i128::from(self.0) - i128::from(Self::UNIX_EPOCH.0);
        jiff::Timestamp::from_nanosecond(ticks * 100).ok()
    }

    /// From a [`jiff::Timestamp`], rounded down to 100 ns.
    pub fn from_jiff(time: jiff::Timestamp) -> Timestamp {
        // jiff's range (years -9999 to 9999) is inside i64 ticks.
        Timestamp((time.as_nanosecond().div_euclid(100)) as i64 + Self::UNIX_EPOCH.0)
    }
}

/// How long it usually is from one time to the next, in 100 ns: the median, and of two the shorter, since the other may be a gap. Times that
/// don't advance are left out. `None` if none does.
pub fn usual_step(times: impl IntoIterator<Item = Timestamp>) -> Option<i64> {
    let mut times = times.into_iter();
    let mut before = times.next()?;
    let step = |time: Timestamp| time.0.saturating_sub(std::mem::replace(&mut before, time).0);
    let mut steps: Vec<i64> = times.map(step).filter(|step| *step > 0).collect();
    let middle = if steps.len() == 2 { 0 } else { steps.len() / 2 };
    (!steps.is_empty()).then(|| *steps.select_nth_unstable(middle).1)
}

/// RFC 3339 in UTC, with up to seven fractional digits (100 ns); trailing zeros are dropped in groups of
/// three.
impl Timestamp {
    /// The text of a local time of an unknown zone: without `Z`.
    pub fn without_zone(self) -> String {
        self.to_string().trim_end_matches('Z').to_owned()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_jiff() {
            Some(time) => write!(f, "{time}"),
            None => write!(f, "FILETIME {:#x}", self.0),
        }
    }
}

/// When a sample was taken: UTC, and the UTC offset of the local time that the capture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampleTime {
    /// Coordinated universal time.
    pub utc: Timestamp,
    /// Local time minus UTC in minutes, daylight saving included (−480 for Pacific Standard Time).
    pub offset_min: i16,
}

impl SampleTime {
    /// Local time minus UTC in nanoseconds.
    pub fn offset_nanos(self) -> i64 {
        i64::from(self.offset_min) * 60_000_000_000
    }

    /// Local time on the captured machine, in ticks.
    pub fn local(self) -> Timestamp {
        self.utc.plus_minutes(i64::from(self.offset_min))
    }

    /// Local civil date and time, or `None` outside jiff's range.
    pub fn civil(self) -> Option<jiff::civil::DateTime> {
        Some(Offset::UTC.to_datetime(self.local().to_jiff()?))
    }

    /// Local time with its offset, as RFC 3339 has it: `2026-11-21T08:10:00+01:00`, or with `Z` in UTC.
    pub fn stated(self) -> String {
        let local = self.local().to_string();
        match (i64::from(self.offset_min), local.strip_suffix('Z')) {
            (0, _) | (_, None) => self.utc.to_string(),
            (offset, Some(local)) => format!("{local}{}", offset_text(offset)),
        }
    }
}

/// An offset from UTC in minutes: `+05:30`.
pub fn offset_text(minutes: i64) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_rfc3339() {
        // 2013-02-20T02:50:17.844Z, the first sample of tx-basic.blg.
        assert_eq!(Timestamp(130_058_022_178_440_000).to_string(), "2013-02-20T02:50:17.844Z");
        assert_eq!(Timestamp(130_058_022_178_447_225).to_string(), "2013-02-20T02:50:17.8447225Z");
        assert!(Timestamp(i64::MAX).to_string().starts_with("FILETIME"));
    }

    #[test]
    fn converts_to_and_from_unix() {
        let time = Timestamp(130_058_022_178_447_225);
        assert_eq!(time.unix_nanos(), Some(1_361_328_617_844_722_500));
        assert_eq!(Timestamp::from_unix_nanos(1_361_328_617_844_722_599), time);
        assert_eq!(Timestamp::from_jiff(time.to_jiff().expect("in range")), time);
        assert_eq!(Timestamp(i64::MIN).unix_nanos(), None);
    }

    #[test]
    fn local_is_utc_plus_offset() {
        let time = SampleTime { utc: Timestamp(130_058_022_178_440_000), offset_min: -480 };
        assert_eq!(time.civil().expect("in range").to_string(), "2013-02-19T18:50:17.844");
        assert_eq!(time.stated(), "2013-02-19T18:50:17.844-08:00");
        assert_eq!(SampleTime { offset_min: 0, ..time }.stated(), "2013-02-20T02:50:17.844Z");
    }
}
