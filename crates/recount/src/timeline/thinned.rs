//! Every n-th sample of a recording, or one per interval, whichever files its samples are in.

use std::collections::{BTreeMap, HashMap, HashSet};

use recount_compute::SampleFilter;
use recount_model::SampleTime;

use super::seams::Seams;
use super::strands::InputStretch;
use crate::repeats::Repeats;

/// So many moments of one time are looked at: stretches with samples of the same time are few.
const MAX_AT_ONCE: usize = 16;

/// Thins out the samples of each recording, whichever files its parts are in.
pub(super) fn thinned(
    mut stretches: Vec<InputStretch>,
    seams: &Seams<'_>,
    repeats: &[Repeats],
    filter: &SampleFilter,
) -> Vec<InputStretch> {
    /// Stretches and numbers of the samples that one recorder took at one time, of different objects.
    type Moment = (SampleTime, Vec<(usize, u32)>);
    if *filter == SampleFilter::default() {
        return stretches;
    }
    let mut recordings: BTreeMap<usize, Vec<(SampleTime, usize, u32)>> = BTreeMap::new();
    for (at, key) in counted_through(&stretches, seams, &related(repeats)).into_iter().enumerate() {
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

/// Per stretch, the first of those through which samples are counted: those of a capture and of the captures that are parts of the same recordings, also
/// beyond a restart, and those that continue them.
fn counted_through(stretches: &[InputStretch], seams: &Seams<'_>, related: &[usize]) -> Vec<usize> {
    let mut first_of: Vec<usize> = Vec::with_capacity(stretches.len());
    let mut first_of_related: HashMap<usize, usize> = HashMap::new();
    for (at, stretch) in stretches.iter().enumerate() {
        let group = related[stretch.capture];
        let before = first_of_related.get(&group).copied().or_else(|| seams.continued(stretches, at));
        let first = before.map_or(at, |before| first_of[before]);
        first_of.push(first);
        first_of_related.entry(group).or_insert(first);
    }
    first_of
}

/// Per capture, the first of those with which it shares recordings, directly or by way of others.
fn related(repeats: &[Repeats]) -> Vec<usize> {
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (capture, repeats) in repeats.iter().enumerate() {
        for recording in repeats.recordings.values() {
            parts.entry(*recording).or_default().push(capture);
        }
    }
    let mut related: Vec<usize> = (0..repeats.len()).collect();
    for captures in parts.values() {
        let to = captures.iter().map(|capture| related[*capture]).min();
        let Some(to) = to else { continue };
        let joined: HashSet<usize> = captures.iter().map(|capture| related[*capture]).collect();
        if joined.len() > 1 {
            for group in related.iter_mut().filter(|group| joined.contains(group)) {
                *group = to;
            }
        }
    }
    related
}
