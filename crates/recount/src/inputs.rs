//! Captures to inputs of the pipeline: which samples, and which capture continues which.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use recount_compute::{Feed, Input, SampleFilter};
use recount_model::{CaptureInfo, SampleTime, Timestamp};

use crate::Capture;

/// One end of a span of time, as a user states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeBound {
    /// A moment.
    Utc(Timestamp),
    /// A local time of the capture.
    Local(Timestamp),
    /// That much after the first sample.
    FromStart(SignedDuration),
    /// That much before the last sample.
    FromEnd(SignedDuration),
}

/// Which samples of the captures to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// From here on, inclusive.
    pub begin: Option<TimeBound>,
    /// To here, inclusive.
    pub end: Option<TimeBound>,
    /// Every n-th sample; 0 and 1: all.
    pub every: u32,
    /// One sample per interval.
    pub interval: Option<SignedDuration>,
}

/// Boot times told by two logs of the same boot differ by as much as the clock was set in between.
const BOOT_TOLERANCE_TICKS: u64 = 30 * Timestamp::TICKS_PER_SECOND as u64;

/// The captures as inputs of the pipeline, in order of their first samples.
pub fn inputs(captures: &[Capture], span: &Span) -> Vec<Input> {
    let first = captures.iter().filter_map(|capture| capture.feed.times().first()).min().copied();
    let last = captures.iter().filter_map(|capture| capture.feed.times().last()).max().copied();
    // Each with the number of its capture.
    let mut inputs: Vec<(usize, Input)> = Vec::with_capacity(captures.len());
    for (number, capture) in captures.iter().enumerate() {
        let times = capture.feed.times();
        let resolve = |bound: TimeBound| resolve(bound, times, first, last);
        let filter = SampleFilter {
            begin: span.begin.and_then(resolve),
            end: span.end.and_then(resolve),
            every: span.every,
            interval: span.interval.map(ticks),
        };
        for samples in by_epoch(&capture.feed, filter.select(times)) {
            inputs.push((number, Input { feed: capture.feed.clone(), samples, continues: None }));
        }
    }
    inputs.sort_by_key(|(_, input)| span_of(input).map(|(first, _)| first));
    for later in 1..inputs.len() {
        inputs[later].1.continues = (0..later).rev().find(|&earlier| {
            // Epochs of one capture are apart because its clock jumped between them.
            inputs[earlier].0 != inputs[later].0 && continues(&inputs[earlier].1, &inputs[later].1)
        });
    }
    inputs.into_iter().map(|(_, input)| input).collect()
}

/// Samples that may be compared with each other, apart from those of other epochs.
fn by_epoch(feed: &Feed, samples: Vec<u32>) -> Vec<Vec<u32>> {
    let Feed::Raw(source) = feed else { return vec![samples] };
    let mut epochs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for sample in samples {
        epochs.entry(source.epoch(sample as usize)).or_default().push(sample);
    }
    epochs.into_values().collect()
}

fn ticks(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_nanos() / 100).unwrap_or(i64::MAX)
}

/// A bound as UTC.
fn resolve(
    bound: TimeBound,
    times: &[SampleTime],
    first: Option<SampleTime>,
    last: Option<SampleTime>,
) -> Option<Timestamp> {
    match bound {
        TimeBound::Utc(time) => Some(time),
        TimeBound::Local(local) => {
            // The offset in force at that local time is that of the samples there.
            let at = times.partition_point(|time| time.local() < local);
            let near = times.get(at).or(times.last())?;
            Some(local.plus_minutes(-i64::from(near.offset_min)))
        }
        TimeBound::FromStart(after) => Some(Timestamp(first?.utc.0.saturating_add(ticks(after)))),
        TimeBound::FromEnd(before) => Some(Timestamp(last?.utc.0.saturating_sub(ticks(before)))),
    }
}

fn span_of(input: &Input) -> Option<(Timestamp, Timestamp)> {
    let time = |sample: &u32| input.feed.times().get(*sample as usize).map(|time| time.utc);
    Some((time(input.samples.first()?)?, time(input.samples.last()?)?))
}

/// Whether counters went on counting from one capture to the other: the same machine, not booted in between, and
/// nothing overlaps. Anything less certain begins anew, with first samples.
fn continues(earlier: &Input, later: &Input) -> bool {
    let (Feed::Raw(_), Feed::Raw(_)) = (&earlier.feed, &later.feed) else { return false };
    let (Some((_, end)), Some((begin, _))) = (span_of(earlier), span_of(later)) else { return false };
    end < begin && same_boot(earlier.feed.info(), later.feed.info())
}

fn same_boot(one: &CaptureInfo, other: &CaptureInfo) -> bool {
    let same_hosts = one.hosts.len() == 1 && one.hosts == other.hosts;
    match (one.boot_time, other.boot_time) {
        (Some(one), Some(other)) => same_hosts && one.0.abs_diff(other.0) <= BOOT_TOLERANCE_TICKS,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_become_moments() {
        let time = |s: i64| SampleTime { utc: Timestamp(s * 10_000_000), offset_min: -60 };
        let times: Vec<SampleTime> = (100_000..100_010).map(time).collect();
        let (first, last) = (times.first().copied(), times.last().copied());
        let seconds = |bound| resolve(bound, &times, first, last).map(|time| time.0 / 10_000_000);
        assert_eq!(seconds(TimeBound::FromStart(SignedDuration::from_secs(3))), Some(100_003));
        assert_eq!(seconds(TimeBound::FromEnd(SignedDuration::from_secs(3))), Some(100_006));
        let local = Timestamp((100_004 - 3_600) * 10_000_000);
        assert_eq!(seconds(TimeBound::Local(local)), Some(100_004));
    }
}
