//! A zone of local time for captures that name none.

use std::sync::Arc;

use jiff::tz::TimeZone;
use recount_model::{CaptureInfo, Decoded, Health, ObjectDef, SampleTime, Selection, Source, Zone};

/// A capture whose times are UTC, with local time by a zone that somebody names.
struct Zoned {
    source: Arc<dyn Source>,
    zone: TimeZone,
    info: CaptureInfo,
    times: Vec<SampleTime>,
}

/// The capture in a zone, unless it names its own. Where its times are local times of an unknown zone, its reader had to know.
pub(crate) fn in_zone(source: Arc<dyn Source>, zone: &TimeZone) -> Arc<dyn Source> {
    let mut info = source.info().clone();
    let Some(first) = source.times().first().filter(|_| info.zone.is_none() && !info.is_zone_unknown) else {
        return source;
    };
    info.zone = Some(Zone::of(zone, first.utc));
    let mut times = source.times().to_vec();
    set_offsets(&mut times, zone);
    Arc::new(Zoned { source, zone: zone.clone(), info, times })
}

fn set_offsets(times: &mut [SampleTime], zone: &TimeZone) {
    for time in times {
        let offset = time.utc.to_jiff().map(|moment| zone.to_offset(moment));
        time.offset_min = offset.map_or(0, |offset| (offset.seconds() / 60) as i16);
    }
}

impl Source for Zoned {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn health(&self) -> &Health {
        self.source.health()
    }

    fn times(&self) -> &[SampleTime] {
        &self.times
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.source.epoch(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.source.len_sample(sample)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.source.objects()
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.source.survey(samples, selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoded = self.source.decode(samples, selection);
        decoded.runs.iter_mut().for_each(|run| set_offsets(&mut run.clocks.time, &self.zone));
        decoded.cooked.iter_mut().for_each(|cooked| set_offsets(&mut cooked.times, &self.zone));
        decoded
    }
}
