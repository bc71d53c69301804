//! Every n-th sample of a recording, or one per interval, whichever files its samples are in.

use std::collections::BTreeMap;

use recount_compute::SampleFilter;
use recount_model::SampleTime;

use super::seams::Seams;
use super::strands::Stretch;

/// So many moments of one time are looked at: stretches with samples of the same time are few.
const MAX_AT_ONCE: usize = 16;

/// Thins out the samples of each recording, whichever files its parts are in.
pub(super) fn thinned(mut stretches: Vec<Stretch>, seams: &Seams<'_>, filter: &SampleFilter) -> Vec<Stretch> {
    /// Stretches and numbers of the samples that one recorder took at one time, of different objects.
    type Moment = (SampleTime, Vec<(usize, u32)>);
    if *filter == SampleFilter::default() {
        return stretches;
    }
    let mut recordings: BTreeMap<usize, Vec<(SampleTime, usize, u32)>> = BTreeMap::new();
    for (at, key) in counted_through(&stretches, seams).into_iter().enumerate() {
        let input = &mut stretches[at].input;
        let samples = std::mem::take(&mut input.samples).into_iter();
        let times = input.source.times();
        let placed = samples.map(|sample| (times[sample as usize], at, sample));
        recordings.entry(key).or_default().extend(placed);
    }
    for mut samples in recordings.into_values() {
        samples.sort_by_key(|(time, at, sample)| (time.utc, *at, *sample));
        let round = |(at, sample): (usize, u32)| stretches[at].input.source.round(sample as usize);
        let mut moments: Vec<Moment> = Vec::new();
        for (time, at, sample) in samples {
            // Samples of one stretch are never one, even if they have the same time.
            let is_of = |(moment, parts): &&mut Moment| {
                moment.utc == time.utc
                    && round(parts[0]) == round((at, sample))
                    && parts.iter().all(|(other, _)| *other != at)
            };
            match moments.iter_mut().rev().take(MAX_AT_ONCE).find(is_of) {
                Some((_, parts)) => parts.push((at, sample)),
                None => moments.push((time, vec![(at, sample)])),
            }
        }
        let times: Vec<SampleTime> = moments.iter().map(|(time, _)| *time).collect();
        for kept in filter.select(&times, |place| round(moments[place].1[0])) {
            for &(at, sample) in &moments[kept as usize].1 {
                stretches[at].input.samples.push(sample);
            }
        }
    }
    stretches.retain(|stretch| !stretch.input.samples.is_empty());
    stretches
}

/// Per stretch, the first of those through which samples are counted: the parts of a recording, the stretches of a capture, and those that
/// continue them.
fn counted_through(stretches: &[Stretch], seams: &Seams<'_>) -> Vec<usize> {
    let mut first_of: Vec<usize> = Vec::with_capacity(stretches.len());
    for (at, stretch) in stretches.iter().enumerate() {
        let is_part = |other: &Stretch| match (stretch.recording, other.recording) {
            (Some(recording), Some(other)) => recording == other,
            _ => stretch.capture == other.capture,
        };
        let before = stretches[..at].iter().position(is_part);
        let before = before.or_else(|| seams.continued(stretches, at));
        first_of.push(before.map_or(at, |before| first_of[before]));
    }
    first_of
}
