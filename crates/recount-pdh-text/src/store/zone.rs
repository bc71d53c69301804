//! Local times of a known zone as UTC.

use jiff::Timestamp as Moment;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use recount_model::{SampleTime, Timestamp};

/// The UTC times of local times in the order of the file.
///
/// The order of the rows decides which of two equal hours is meant: time only progresses, so the second
/// begins where the rows step back. A time skipped by daylight saving is interpreted as if the clock had not
/// been put forward yet.
pub(crate) fn to_utc(
    local: impl Iterator<Item = Timestamp>,
    zone: &TimeZone,
) -> impl Iterator<Item = SampleTime> {
    let mut before: Option<Timestamp> = None;
    local.map(move |local| {
        let offset = match local.to_jiff().map(|local| ambiguous(local, zone)) {
            None => Offset::UTC,
            Some(AmbiguousOffset::Unambiguous { offset }) => offset,
            Some(AmbiguousOffset::Gap { before, .. }) => before,
            Some(AmbiguousOffset::Fold { before: first, after: second }) => {
                let goes_back = before.is_some_and(|before| at(local, first).utc < before);
                if goes_back { second } else { first }
            }
        };
        let time = at(local, offset);
        before = Some(time.utc);
        time
    })
}

fn ambiguous(local: Moment, zone: &TimeZone) -> AmbiguousOffset {
    zone.to_ambiguous_timestamp(Offset::UTC.to_datetime(local)).offset()
}

fn at(local: Timestamp, offset: Offset) -> SampleTime {
    let offset_min = (offset.seconds() / 60) as i16;
    SampleTime { utc: local.plus_minutes(-i64::from(offset_min)), offset_min }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(zone: &str, local: &[&str]) -> Vec<(String, i16)> {
        let zone = TimeZone::get(zone).expect(zone);
        let local = local.iter().map(|text| Timestamp::from_jiff(format!("{text}Z").parse().expect(text)));
        to_utc(local, &zone).map(|time| (time.utc.to_string(), time.offset_min)).collect()
    }

    #[test]
    fn a_zone_has_its_own_history() {
        let expected = [("2012-07-01T08:00:00Z".to_owned(), 240), ("2020-07-01T09:00:00Z".to_owned(), 180)];
        assert_eq!(utc("Europe/Moscow", &["2012-07-01T12:00:00", "2020-07-01T12:00:00"]), expected);
    }

    #[test]
    fn an_hour_that_comes_twice_is_told_apart_by_the_rows() {
        let local = [
            "2019-10-27T01:50:00",
            "2019-10-27T02:10:00",
            "2019-10-27T02:50:00",
            "2019-10-27T02:10:00",
            "2019-10-27T02:50:00",
            "2019-10-27T03:10:00",
        ];
        let found = utc("Europe/Berlin", &local);
        let times: Vec<&str> = found.iter().map(|(time, _)| &time[11..16]).collect();
        assert_eq!(times, ["23:50", "00:10", "00:50", "01:10", "01:50", "02:10"]);
        assert_eq!((found[2].1, found[3].1), (120, 60));
    }

    #[test]
    fn a_skipped_hour_is_before_the_change() {
        assert_eq!(utc("Europe/Berlin", &["2019-03-31T02:30:00"]), [("2019-03-31T01:30:00Z".to_owned(), 60)]);
    }
}
