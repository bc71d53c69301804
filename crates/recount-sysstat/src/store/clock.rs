//! Times: seconds of UTC, the zone of the producer's clock, and ticks of uptime.

use recount_model::SampleTime;

use crate::structure::header::Header;
use crate::structure::record::RecordHeader;
use crate::structure::seconds::utc;

const DAY: i64 = 86_400;

/// The time of a record, with the UTC offset that follows from the time of day next to it.
pub(super) fn time_of(header: &Header, record: RecordHeader) -> SampleTime {
    let seconds = (record.time % DAY as u64) as i64;
    let east = (record.second_of_day() - seconds).rem_euclid(DAY);
    SampleTime { utc: utc(record.time), offset_min: ((fold(header, east) + 30).div_euclid(60)) as i16 }
}

/// An offset modulo a day to one between -12 h and +14 h. For the few that could be either, the file's date decides,
/// which is a local date.
fn fold(header: &Header, east: i64) -> i64 {
    const EASTMOST: i64 = 14 * 3600;
    const WESTMOST: i64 = -12 * 3600;
    let west = east - DAY;
    if east > EASTMOST {
        return west;
    }
    let is_local = |offset: i64| {
        let created = SampleTime { utc: utc(header.created), offset_min: (offset / 60) as i16 };
        created.civil().is_some_and(|local| {
            (local.month() - 1, local.day()) == (header.month.cast_signed(), header.day.cast_signed())
        })
    };
    if west >= WESTMOST && !is_local(east) && is_local(west) { west } else { east }
}

/// Ticks per second of the uptime in the older formats, which don't state it: 100 in all files examined, else whichever
/// value that Linux can be built with is nearest to the rate by the clock.
pub(super) fn ticks_per_second(ticks: u64, seconds: u64) -> u64 {
    const USUAL: f64 = 100.0;
    /// Fewer seconds are too coarse a measure.
    const SECONDS_NEEDED: u64 = 40;
    if seconds < SECONDS_NEEDED {
        return USUAL as u64;
    }
    let found = ticks as f64 / seconds as f64;
    if (found / USUAL - 1.0).abs() <= 0.05 {
        return USUAL as u64;
    }
    let far = |hz: &u64| (found / *hz as f64).ln().abs();
    [100, 250, 300, 1000, 1024]
        .into_iter()
        .min_by(|one, other| far(one).total_cmp(&far(other)))
        .unwrap_or(100)
}
