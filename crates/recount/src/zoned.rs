//! A time zone for captures that don't name theirs.

use std::sync::Arc;

use jiff::tz::{Offset, TimeZone};
use recount_model::{
    CountsSince, Decoded, FindingKind, Health, ObjectDef, Opened, SampleTime, Selection, Source, Timestamp,
    Zone,
};

/// A capture with local time of a given zone.
struct Zoned {
    source: Arc<dyn Source>,
    zone: TimeZone,
    /// How far the source's times are ahead of UTC, in minutes: 0 unless they are local times.
    shift_min: i64,
    opened: Opened,
}

/// The capture in a given zone. If the capture names its own, it stays, and a note says which.
///
/// Local times of an unknown zone are assumed to keep the first one's offset, as `recount convert` writes them
/// (`formats/tables.md`, "Reading back"). The reader of PDH text knows the order of rows, so it has already done
/// better.
pub(crate) fn in_zone(source: Arc<dyn Source>, zone: &TimeZone, notes: &mut Health) -> Arc<dyn Source> {
    let mut info = source.info().clone();
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
    let mut times = source.times().to_vec();
    set_zone(&mut times, zone, shift_min);
    if info.is_zone_unknown
        && times.first().map(|time| time.offset_min) != times.last().map(|time| time.offset_min)
    {
        let what = "the zone asked for changes its offset within the capture: times go on by the first one's";
        notes.note(FindingKind::Time, None, what);
    }
    info.zone = times.first().map(|first| Zone::of(zone, first.utc));
    info.is_zone_unknown = false;
    let opened = Opened { info, health: source.health().clone(), times: times.into() };
    Arc::new(Zoned { source, zone: zone.clone(), shift_min, opened })
}

fn set_zone(times: &mut [SampleTime], zone: &TimeZone, shift_min: i64) {
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

impl Source for Zoned {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.source.epoch(sample)
    }

    fn round(&self, sample: usize) -> u32 {
        self.source.round(sample)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.source.counts_since(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.source.len_sample(sample)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.source.objects()
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        Some(Arc::new(Zoned {
            source: self.source.canonical()?,
            zone: self.zone.clone(),
            shift_min: self.shift_min,
            opened: self.opened.clone(),
        }))
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.source.survey(samples, selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoded = self.source.decode(samples, selection);
        let set = |times: &mut Vec<SampleTime>| set_zone(times, &self.zone, self.shift_min);
        decoded.runs.iter_mut().for_each(|run| set(&mut run.clocks.time));
        decoded.cooked.iter_mut().for_each(|cooked| set(&mut cooked.times));
        decoded
    }
}
