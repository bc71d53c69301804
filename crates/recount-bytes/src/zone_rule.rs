//! Windows time zone rules as a POSIX TZ string, which can express the same rules.

use crate::SystemTime;

/// No zone is further from UTC than this, in minutes.
const MAX_OFFSET_MIN: i32 = 15 * 60;

/// What `TIME_ZONE_INFORMATION` says about time. Windows has no abbreviations, and its names aren't allowed
/// in a POSIX rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneRule {
    /// `Bias`: UTC minus local, minutes.
    pub bias: i32,
    /// `StandardBias`, added in standard time.
    pub standard_bias: i32,
    /// `StandardDate`: when standard time begins, in daylight time. Month 0: there is no daylight saving time.
    pub standard_date: SystemTime,
    /// `DaylightBias`, added in daylight saving time.
    pub daylight_bias: i32,
    /// `DaylightDate`: when daylight saving time begins, in standard time.
    pub daylight_date: SystemTime,
}

impl ZoneRule {
    /// The rule as a POSIX TZ string, with `<STD>` and `<DST>` for abbreviations; `None` if the biases aren't
    /// possible for a time zone. If the dates are invalid, the zone has standard time only.
    pub fn posix(&self) -> Option<String> {
        let standard = posix_offset(self.bias.checked_add(self.standard_bias)?)?;
        let daylight = posix_offset(self.bias.checked_add(self.daylight_bias)?)?;
        Some(match (posix_date(self.daylight_date), posix_date(self.standard_date)) {
            (Some(begin), Some(end)) => format!("<STD>{standard}<DST>{daylight},{begin},{end}"),
            _ => format!("<STD>{standard}"),
        })
    }
}

/// Offsets have the same sign in both: positive is west of Greenwich.
fn posix_offset(minutes: i32) -> Option<String> {
    if !(-MAX_OFFSET_MIN..=MAX_OFFSET_MIN).contains(&minutes) {
        return None;
    }
    let sign = if minutes < 0 { "-" } else { "" };
    Some(format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60))
}

/// A transition as a POSIX rule: `M11.1.0/02:00` for the first Sunday in November at 2:00; `None` if there is
/// none.
///
/// `SYSTEMTIME` as a rule: with year 0, `day` is the occurrence of the weekday in the month, 5 meaning the
/// last; otherwise it is a date in that year, and the rule applies to that year only.
pub fn posix_date(date: SystemTime) -> Option<String> {
    let SystemTime { year, month, day_of_week, day, hour, minute, second, milliseconds } = date;
    if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let on = if year == 0 {
        ((1..=5).contains(&day) && day_of_week <= 6).then(|| format!("M{month}.{day}.{day_of_week}"))?
    } else {
        format!("J{}", day_of_common_year(month, day)?)
    };
    // Zones that change at midnight use the last millisecond of the previous day.
    let seconds = (u32::from(hour) * 60 + u32::from(minute)) * 60 + u32::from(second);
    let seconds = seconds + u32::from(milliseconds >= 500);
    let mut at = format!("{:02}:{:02}", seconds / 3_600, seconds / 60 % 60);
    if !seconds.is_multiple_of(60) {
        at.push_str(&format!(":{:02}", seconds % 60));
    }
    Some(format!("{on}/{at}"))
}

/// The day of the year from 1. POSIX counts it without 29 February, so that day can't be expressed.
fn day_of_common_year(month: u16, day: u16) -> Option<u16> {
    const LEN_MONTHS: [u16; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (before, from) = LEN_MONTHS.split_at_checked(usize::from(month).checked_sub(1)?)?;
    let len_month = from.first()?;
    (1..=*len_month).contains(&day).then(|| before.iter().sum::<u16>() + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(bias: i32, begin: (u16, u16, u16), end: (u16, u16, u16)) -> ZoneRule {
        let date =
            |(month, day, hour)| SystemTime { month, day, day_of_week: 0, hour, ..SystemTime::default() };
        let (daylight_date, standard_date) = (date(begin), date(end));
        ZoneRule { bias, daylight_bias: -60, daylight_date, standard_date, ..ZoneRule::default() }
    }

    #[test]
    fn zones_become_rules() {
        let pacific = zone(480, (3, 2, 2), (11, 1, 2));
        assert_eq!(pacific.posix().as_deref(), Some("<STD>08:00<DST>07:00,M3.2.0/02:00,M11.1.0/02:00"));
        let berlin = zone(-60, (3, 5, 2), (10, 5, 3));
        assert_eq!(berlin.posix().as_deref(), Some("<STD>-01:00<DST>-02:00,M3.5.0/02:00,M10.5.0/03:00"));
        let india = ZoneRule { bias: -330, ..ZoneRule::default() };
        assert_eq!(india.posix().as_deref(), Some("<STD>-05:30"));
        assert_eq!(ZoneRule::default().posix().as_deref(), Some("<STD>00:00"));
    }

    #[test]
    fn a_change_at_midnight_or_in_one_year() {
        let last_moment =
            |milliseconds| SystemTime { hour: 23, minute: 59, second: 59, milliseconds, ..at(0, 4, 1, 6) };
        assert_eq!(posix_date(last_moment(999)).as_deref(), Some("M4.1.6/24:00"));
        assert_eq!(posix_date(last_moment(0)).as_deref(), Some("M4.1.6/23:59:59"));
        assert_eq!(posix_date(at(2024, 3, 1, 0)).as_deref(), Some("J60/00:00"));
        assert_eq!(posix_date(at(2024, 12, 31, 0)).as_deref(), Some("J365/00:00"));
        assert_eq!(posix_date(at(2024, 2, 29, 0)), None);
        assert_eq!(posix_date(at(2024, 13, 1, 0)), None);
    }

    #[test]
    fn nonsense_is_no_rule() {
        assert_eq!(ZoneRule { bias: i32::MIN, standard_bias: -1, ..ZoneRule::default() }.posix(), None);
        assert_eq!(ZoneRule { bias: 24 * 60, ..ZoneRule::default() }.posix(), None);
        let standard_only = Some("<STD>08:00");
        assert_eq!(zone(480, (3, 6, 2), (11, 1, 2)).posix().as_deref(), standard_only);
        assert_eq!(zone(480, (3, 2, 24), (11, 1, 2)).posix().as_deref(), standard_only);
    }

    fn at(year: u16, month: u16, day: u16, day_of_week: u16) -> SystemTime {
        SystemTime { year, month, day_of_week, day, ..SystemTime::default() }
    }
}
