//! A time zone for captures that don't name theirs.

use std::sync::Arc;

use jiff::tz::{Offset, TimeZone};
use recount_model::{
    Change, Changed, Decoded, FindingKind, Health, Opened, SampleTime, Selection, Source, Timestamp, Zone,
};

/// The change to local time of a given zone.
struct Zoned {
    zone: TimeZone,
    /// How far the source's times are ahead of UTC, in minutes: 0 unless they are local times.
    shift_min: i64,
}

/// The capture in a given zone. If the capture names its own, it stays, and a note says which.
///
/// Local times of an unknown zone are assumed to keep the first one's offset, as `recount convert` writes them
/// (`formats/tables.md`, "Reading back"). The reader of PDH text knows the order of rows, so it has already done
/// better.
pub(crate) fn in_zone(source: Arc<dyn Source>, zone: &TimeZone, notes: &mut Health) -> Arc<dyn Source> {
    let info = source.info();
    let (Some(first), Some(last)) = (source.times().first(), source.times().last()) else { return source };
    if let Some(own) = &info.zone {
        if [first, last].iter().any(|time| offset_min(zone, time.utc) != time.offset_min) {
            let what = format!(
                "the zone asked for isn't used: the capture names its own, {}",
                own.name_at(first.offset_min)
            );
            notes.note(FindingKind::Time, None, what);
        }
        return source;
    }
    let shift_min = if info.is_zone_unknown { offset_of_local(zone, first.utc) } else { 0 };
    let is_local = info.is_zone_unknown;
    let zoned = Changed::of(source, Zoned { zone: zone.clone(), shift_min });
    let offset_min = |time: Option<&SampleTime>| time.map(|time| time.offset_min);
    if is_local && offset_min(zoned.times().first()) != offset_min(zoned.times().last()) {
        let what = "the zone asked for changes its offset within the capture: times go on by the first one's";
        notes.note(FindingKind::Time, None, what);
    }
    zoned
}

/// Sets the offsets of times, which are ahead of UTC by so many minutes.
pub(crate) fn set_zone(times: &mut [SampleTime], zone: &TimeZone, shift_min: i64) {
    for time in times {
        let utc = time.utc.plus_minutes(-shift_min);
        *time = SampleTime { utc, offset_min: offset_min(zone, utc) };
    }
}

/// Local time minus UTC at a moment, in minutes.
fn offset_min(zone: &TimeZone, utc: Timestamp) -> i16 {
    utc.to_jiff().map_or(0, |moment| (zone.to_offset(moment).seconds() / 60) as i16)
}

/// Local time minus UTC at a local time, in minutes.
fn offset_of_local(zone: &TimeZone, local: Timestamp) -> i64 {
    let civil = local.to_jiff().map(|local| Offset::UTC.to_datetime(local));
    let moment = civil.and_then(|civil| zone.to_timestamp(civil).ok());
    moment.map_or(0, |moment| i64::from(offset_min(zone, Timestamp::from_jiff(moment))))
}

impl Change for Zoned {
    fn opened(&self, source: &dyn Source) -> Opened {
        let Opened { mut info, health, times } = source.opened().clone();
        let mut times = times.to_vec();
        set_zone(&mut times, &self.zone, self.shift_min);
        info.zone = times.first().map(|first| Zone::of(&self.zone, first.utc));
        info.is_zone_asked = info.is_zone_unknown;
        info.is_zone_unknown = false;
        Opened { info, health, times: times.into() }
    }

    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        let set = |times: &mut Vec<SampleTime>| set_zone(times, &self.zone, self.shift_min);
        decoded.runs.iter_mut().for_each(|run| set(&mut run.clocks.time));
        decoded.cooked.iter_mut().for_each(|cooked| set(&mut cooked.times));
        decoded
    }
}
