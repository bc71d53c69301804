//! From local time of the logging machine to UTC (formats/blg.md#time).
//!
//! The time stamps of a `.blg` are local. Sources for their offset from UTC, best first:
//!
//! 1. the sample itself: a `PerfTime100nSec` or the 100 ns clock of a raw value, both UTC, next to the local
//!    time stamp. It stays right when clocks change, and in a log that was rewritten elsewhere.
//! 2. the zone in the trace header with its daylight saving rule. In the hour that is repeated in autumn, the
//!    order of the samples decides.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use recount_bytes::ZoneRule;
use recount_model::{SampleTime, Timestamp, Zone};

use crate::ZoneRecord;

/// Offsets are multiples of this, which tolerates small differences between clocks.
const MINUTES_ROUNDED_TO: i64 = 15;
/// No zone is further from UTC.
const MAX_OFFSET_MIN: i64 = 15 * 60;

/// Converts local time stamps to UTC.
#[derive(Clone, Debug)]
pub(crate) struct LocalTime {
    zone: Option<TimeZone>,
    /// The last result; it decides in the repeated hour.
    last: Timestamp,
    last_offset_min: i16,
}

impl LocalTime {
    /// `started`: when the trace was started, in UTC, if known.
    pub(crate) fn new(zone: Option<&ZoneRecord>, started: Option<Timestamp>) -> LocalTime {
        let zone = zone.and_then(posix_rule).and_then(|rule| TimeZone::posix(&rule).ok());
        // The first sample's stamp is truncated to milliseconds, so it may seem to precede the start.
        let last = started.map_or(Timestamp(i64::MIN), |started| started.plus_minutes(-1));
        LocalTime { zone, last, last_offset_min: 0 }
    }

    /// The time of a sample. `evidence`: a UTC clock reading taken with it.
    pub(crate) fn sample_time(&mut self, local: Timestamp, evidence: Option<Timestamp>) -> SampleTime {
        let offset_min = evidence
            .and_then(|utc| offset_between(local, utc))
            .or_else(|| self.offset_by_zone(local))
            .unwrap_or(self.last_offset_min);
        let utc = local.plus_minutes(-i64::from(offset_min));
        (self.last, self.last_offset_min) = (utc, offset_min);
        SampleTime { utc, offset_min }
    }

    /// Whether the zone can have an offset at a local time.
    pub(crate) fn allows(&self, local: Timestamp, offset_min: i16) -> bool {
        let is_it = |offset: Offset| offset.seconds() == 60 * i32::from(offset_min);
        match self.ambiguous_offset(local) {
            Some(AmbiguousOffset::Unambiguous { offset }) => is_it(offset),
            Some(AmbiguousOffset::Gap { before, after } | AmbiguousOffset::Fold { before, after }) => {
                is_it(before) || is_it(after)
            }
            None => false,
        }
    }

    fn ambiguous_offset(&self, local: Timestamp) -> Option<AmbiguousOffset> {
        let civil: DateTime = Offset::UTC.to_datetime(local.to_jiff()?);
        Some(self.zone.as_ref()?.to_ambiguous_timestamp(civil).offset())
    }

    fn offset_by_zone(&self, local: Timestamp) -> Option<i16> {
        let offset = match self.ambiguous_offset(local)? {
            AmbiguousOffset::Unambiguous { offset } => offset,
            // A local time that the clocks skip was written by a clock that hadn't been changed yet.
            AmbiguousOffset::Gap { before, .. } => before,
            AmbiguousOffset::Fold { before, after } => {
                let minutes = -i64::from(before.seconds() / 60);
                if local.plus_minutes(minutes) > self.last { before } else { after }
            }
        };
        i16::try_from(offset.seconds() / 60).ok()
    }
}

/// Local minus UTC in minutes, rounded, if that is a possible zone offset.
pub(crate) fn offset_between(local: Timestamp, utc: Timestamp) -> Option<i16> {
    let ticks = local.0.checked_sub(utc.0)?;
    let step = MINUTES_ROUNDED_TO * 60 * Timestamp::TICKS_PER_SECOND;
    let minutes = (ticks.checked_add(step / 2)?).div_euclid(step) * MINUTES_ROUNDED_TO;
    (minutes.abs() <= MAX_OFFSET_MIN).then_some(minutes as i16)
}

/// The zone as a POSIX TZ string.
fn posix_rule(zone: &ZoneRecord) -> Option<String> {
    let rule = ZoneRule {
        bias: zone.bias,
        standard_bias: zone.standard_bias,
        standard_date: zone.standard_date,
        daylight_bias: zone.daylight_bias,
        daylight_date: zone.daylight_date,
    };
    rule.posix()
}

/// The zone in the model's form.
pub(crate) fn model_zone(zone: &ZoneRecord) -> Zone {
    let bias_min = zone.bias.wrapping_add(zone.standard_bias);
    Zone {
        standard_name: display_name(&zone.standard_name.to_text(), zone.bias),
        daylight_name: display_name(&zone.daylight_name.to_text(), zone.bias),
        bias_min,
        posix: posix_rule(zone),
    }
}

/// Zone names are often references to a Windows resource library. Those of the most common zones are resolved
/// here, if the bias matches; others stay as they are.
fn display_name(name: &str, bias: i32) -> String {
    /// Resource number of the standard name (the daylight name's is one less), bias, names.
    const KNOWN: [(u32, i32, &str, &str); 8] = [
        (112, 300, "Eastern Standard Time", "Eastern Daylight Time"),
        (162, 360, "Central Standard Time", "Central Daylight Time"),
        (192, 420, "Mountain Standard Time", "Mountain Daylight Time"),
        (212, 480, "Pacific Standard Time", "Pacific Daylight Time"),
        (262, 0, "GMT Standard Time", "GMT Daylight Time"),
        (302, -60, "Romance Standard Time", "Romance Daylight Time"),
        (322, -60, "W. Europe Standard Time", "W. Europe Daylight Time"),
        (632, -540, "Tokyo Standard Time", "Tokyo Daylight Time"),
    ];
    let number = name.strip_prefix("@tzres.dll,-").and_then(|number| number.parse::<u32>().ok());
    for (standard, known_bias, standard_name, daylight_name) in KNOWN {
        if bias == known_bias && number == Some(standard) {
            return standard_name.into();
        }
        if bias == known_bias && number == Some(standard - 1) {
            return daylight_name.into();
        }
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use recount_bytes::SystemTime;

    use super::*;

    fn pacific() -> ZoneRecord {
        let date = |month, day| SystemTime { month, day, hour: 2, ..SystemTime::default() };
        ZoneRecord {
            bias: 480,
            standard_name: "@tzres.dll,-212".into(),
            standard_date: date(11, 1),
            standard_bias: 0,
            daylight_name: "@tzres.dll,-211".into(),
            daylight_date: date(3, 2),
            daylight_bias: -60,
        }
    }

    fn local(text: &str) -> Timestamp {
        Timestamp::from_jiff(format!("{text}Z").parse().expect(text))
    }

    fn utc_of(times: &mut LocalTime, text: &str) -> String {
        times.sample_time(local(text), None).utc.to_string()
    }

    #[test]
    fn standard_and_daylight_time_by_the_rule() {
        let mut times = LocalTime::new(Some(&pacific()), None);
        assert_eq!(utc_of(&mut times, "2013-02-19T18:50:17.844"), "2013-02-20T02:50:17.844Z");
        assert_eq!(utc_of(&mut times, "2013-07-01T12:00:00"), "2013-07-01T19:00:00Z");
        // The second Sunday of March 2013 is the 10th: 01:59 is standard time, 03:00 is daylight time.
        assert_eq!(utc_of(&mut times, "2013-03-10T01:59:59"), "2013-03-10T09:59:59Z");
        assert_eq!(utc_of(&mut times, "2013-03-10T03:00:00"), "2013-03-10T10:00:00Z");
    }

    #[test]
    fn the_hour_that_comes_twice_is_known_by_its_order() {
        let mut times = LocalTime::new(Some(&pacific()), None);
        let seen: Vec<String> = ["00:45", "01:15", "01:45", "01:00", "01:30", "02:00"]
            .map(|t| utc_of(&mut times, &format!("2013-11-03T{t}:00")))
            .into();
        let expected =
            ["07:45", "08:15", "08:45", "09:00", "09:30", "10:00"].map(|t| format!("2013-11-03T{t}:00Z"));
        assert_eq!(seen, expected);
    }

    #[test]
    fn samples_an_hour_apart_are_distinguished() {
        let mut times = LocalTime::new(Some(&pacific()), None);
        let seen =
            ["00:30", "01:30", "01:30", "02:30"].map(|t| utc_of(&mut times, &format!("2013-11-03T{t}:00")));
        let expected = ["07:30", "08:30", "09:30", "10:30"].map(|t| format!("2013-11-03T{t}:00Z"));
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_log_begun_in_the_first_pass_may_precede_its_start_by_the_cut_to_milliseconds() {
        let start = Timestamp(local("2013-11-03T08:10:00.123").0 + 4_567);
        let mut times = LocalTime::new(Some(&pacific()), Some(start));
        assert_eq!(utc_of(&mut times, "2013-11-03T01:10:00.123"), "2013-11-03T08:10:00.123Z");
    }

    #[test]
    fn a_log_begun_in_the_second_pass_is_known_by_its_start() {
        let start = Timestamp::from_jiff("2013-11-03T09:10:00Z".parse().expect("time"));
        let mut times = LocalTime::new(Some(&pacific()), Some(start));
        assert_eq!(utc_of(&mut times, "2013-11-03T01:10:01"), "2013-11-03T09:10:01Z");
    }

    #[test]
    fn evidence_wins_over_the_zone() {
        let mut times = LocalTime::new(Some(&pacific()), None);
        let utc = local("2013-02-20T00:20:18.1");
        let time = times.sample_time(local("2013-02-20T05:50:17.844"), Some(utc));
        assert_eq!((time.utc, time.offset_min), (local("2013-02-20T00:20:17.844"), 330));
        // A clock reading that is far off isn't evidence.
        let time = times.sample_time(local("2013-02-19T18:50:17"), Some(Timestamp(5)));
        assert_eq!(time.utc, local("2013-02-20T02:50:17"));
    }

    #[test]
    fn names_and_rules() {
        let zone = model_zone(&pacific());
        assert_eq!((zone.standard_name.as_str(), zone.bias_min), ("Pacific Standard Time", 480));
        assert_eq!(zone.posix.as_deref(), Some("<STD>08:00<DST>07:00,M3.2.0/02:00,M11.1.0/02:00"));
        let india = ZoneRecord { bias: -330, standard_name: "India".into(), ..ZoneRecord::default() };
        assert_eq!(model_zone(&india).posix.as_deref(), Some("<STD>-05:30"));
        let mut nonsense = pacific();
        nonsense.bias = i32::MAX;
        assert_eq!(posix_rule(&nonsense), None);
    }
}
