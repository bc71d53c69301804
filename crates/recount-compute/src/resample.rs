//! Which samples to use: a span of time, every n-th, or one per interval.
//!
//! As in relog, samples are dropped *before* cooking. A value then spans the longer interval and is computed
//! from the raw values at its ends. That is exact, while an average of values would not be.

use std::collections::BTreeMap;

#[cfg(doc)]
use recount_model::Source;
use recount_model::{SampleTime, Timestamp};

/// Which samples of a capture to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleFilter {
    /// The first time, inclusive.
    pub begin: Option<Timestamp>,
    /// The last time, inclusive.
    pub end: Option<Timestamp>,
    /// Every n-th sample, counted from the first in the span; 0 and 1 mean all.
    pub every: u32,
    /// One sample per interval of this many ticks, counted from the first in the span: the one nearest to
    /// each multiple.
    pub interval: Option<i64>,
}

impl SampleFilter {
    /// Indices of the samples to use, ascending. `times` must be ascending. `round` is [`Source::round`].
    pub fn select(&self, times: &[SampleTime], round: impl Fn(usize) -> u32) -> Vec<u32> {
        let inside = |time: &SampleTime| {
            self.begin.is_none_or(|begin| time.utc >= begin) && self.end.is_none_or(|end| time.utc <= end)
        };
        let samples = (0_u32..).zip(times).filter(|(_, time)| inside(time)).map(|(sample, _)| sample);
        let interval = self.interval.filter(|interval| *interval > 0);
        if self.every <= 1 && interval.is_none() {
            return samples.collect();
        }
        let mut rounds: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for sample in samples {
            rounds.entry(round(sample as usize)).or_default().push(sample);
        }
        let thinned = rounds.into_values().flat_map(|samples| {
            let samples: Vec<u32> = samples.into_iter().step_by(self.every.max(1) as usize).collect();
            interval.map_or(samples.clone(), |interval| nearest_per_interval(&samples, times, interval))
        });
        let mut samples: Vec<u32> = thinned.collect();
        samples.sort_unstable();
        samples
    }
}

/// The nearest of the samples around each multiple of `interval` (within half an interval).
fn nearest_per_interval(samples: &[u32], times: &[SampleTime], interval: i64) -> Vec<u32> {
    let Some(&first) = samples.first() else { return Vec::new() };
    let start = times[first as usize].utc.0;
    let mut kept: Vec<(i64, i64, u32)> = Vec::new();
    for &sample in samples {
        let elapsed = times[sample as usize].utc.0.saturating_sub(start);
        let step = elapsed.saturating_add(interval / 2).div_euclid(interval);
        let distance = elapsed.saturating_sub(step.saturating_mul(interval)).saturating_abs();
        match kept.last_mut() {
            Some(last) if last.0 == step => {
                if distance < last.1 {
                    *last = (step, distance, sample);
                }
            }
            _ => kept.push((step, distance, sample)),
        }
    }
    kept.into_iter().map(|(_, _, sample)| sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(seconds: &[f64]) -> Vec<SampleTime> {
        let time = |s: &f64| SampleTime { utc: Timestamp((s * 1e7) as i64), offset_min: 0 };
        seconds.iter().map(time).collect()
    }

    #[test]
    fn spans_include_both_ends() {
        let filter = SampleFilter {
            begin: Some(Timestamp(10_000_000)),
            end: Some(Timestamp(30_000_000)),
            ..SampleFilter::default()
        };
        assert_eq!(filter.select(&times(&[0.0, 1.0, 2.0, 3.0, 4.0]), |_| 0), [1, 2, 3]);
    }

    #[test]
    fn every_nth_counts_from_the_first_in_the_span() {
        let filter = SampleFilter { begin: Some(Timestamp(10_000_000)), every: 2, ..SampleFilter::default() };
        assert_eq!(filter.select(&times(&[0.0, 1.0, 2.0, 3.0, 4.0]), |_| 0), [1, 3]);
    }

    #[test]
    fn every_round_keeps_some_samples() {
        let seconds = [0.0, 0.1, 1.0, 2.0, 3.0, 3.1, 4.0];
        let round = |sample: usize| u32::from(seconds[sample] % 1.0 > 0.0);
        let every = SampleFilter { every: 2, ..SampleFilter::default() };
        assert_eq!(every.select(&times(&seconds), round), [0, 1, 3, 6]);
        let interval = SampleFilter { interval: Some(30_000_000), ..SampleFilter::default() };
        assert_eq!(interval.select(&times(&seconds), round), [0, 1, 4, 5]);
    }

    #[test]
    fn intervals_take_the_nearest_sample_and_survive_jitter_and_gaps() {
        let filter = SampleFilter { interval: Some(20_000_000), ..SampleFilter::default() };
        let seconds = [0.0, 1.01, 1.98, 3.02, 4.03, 5.0, 6.1, 17.0, 18.0];
        assert_eq!(filter.select(&times(&seconds), |_| 0), [0, 2, 4, 6, 8]);
        assert_eq!(filter.select(&[], |_| 0), [] as [u32; 0]);
    }
}
