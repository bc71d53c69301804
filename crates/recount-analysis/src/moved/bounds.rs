//! The span that is asked about, the time it is compared with, and the bins of both.

use std::ops::Range;

use recount_model::{SampleTime, Timestamp};
use serde::{Serialize, Serializer};

use super::MAX_BINS;
use super::chance::median;

/// From a moment to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// Its begin.
    #[serde(serialize_with = "as_text")]
    pub begin: Timestamp,
    /// Its end.
    #[serde(serialize_with = "as_text")]
    pub end: Timestamp,
}

impl Interval {
    /// Whether it is so short that people call it a moment.
    pub(super) fn is_moment(self) -> bool {
        /// Seconds.
        const LONGEST: f64 = 2.5;
        self.end.seconds_since(self.begin) <= LONGEST
    }
}

/// UTC, as RFC 3339.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// What is compared with what. A value belongs to the time at its end: one of exactly the begin of the span lies before it, if
/// the values before it are compared. That is so of rates; a level may have changed at this moment, and people don't know the
/// begin to the sample: the values next to the span don't say what is usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The span that is asked about.
    pub span: Interval,
    /// The time it is compared with. What is in both belongs to the span.
    pub against: Interval,
}

impl Bounds {
    /// Whether the time it is compared with comes after the span.
    pub(crate) fn is_later(&self) -> bool {
        self.against.begin >= self.span.end
    }

    fn is_in_span(&self, time: Timestamp) -> bool {
        let Interval { begin, end } = self.span;
        // The value at the begin is about the time before.
        let is_after = if self.against.end == begin { begin < time } else { begin <= time };
        is_after && time <= end
    }

    fn is_before(&self, time: Timestamp) -> bool {
        self.against.begin <= time && time <= self.against.end && !self.is_in_span(time)
    }
}

/// The samples of both, each in its bin. Those before come first, whatever their times.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// Ascending, each with its bin.
    times: Vec<(Timestamp, u32)>,
    /// Per bin: the sample before its first, and its last.
    pub(crate) of_bins: Vec<(Timestamp, Timestamp)>,
    /// How many of the bins are before the span.
    pub(crate) num_before: usize,
    /// The bins that say what is usual: those before without the ones next to the span.
    pub(crate) usual: Range<usize>,
    /// Whether the span follows the time before, or is followed by the time after, without other samples in between.
    pub(crate) is_joined: bool,
    bin_samples: usize,
}

/// How many of the bins before the span are too close to it to say what is usual.
fn num_close(num_before: usize) -> usize {
    match num_before {
        0..12 => 0,
        12..40 => 1,
        _ => 2,
    }
}

impl Axis {
    /// `times` are ascending.
    pub(crate) fn new(bounds: &Bounds, times: &[SampleTime]) -> Axis {
        let places = |is_of: &dyn Fn(Timestamp) -> bool| -> Vec<usize> {
            (0..times.len()).filter(|at| is_of(times[*at].utc)).collect()
        };
        let before = places(&|time| bounds.is_before(time));
        let inside = places(&|time| bounds.is_in_span(time));
        let size = (before.len() + inside.len()).div_ceil(MAX_BINS).max(1);
        let follows = |one: &[usize], other: &[usize]| {
            one.last().zip(other.first()).is_some_and(|(last, first)| last + 1 == *first)
        };
        let (is_close, is_close_after) = (follows(&before, &inside), follows(&inside, &before));
        let mut axis = Axis::of_parts(&[before, inside], size, times);
        axis.is_joined = is_close || is_close_after;
        let num_close = num_close(axis.num_before);
        if is_close {
            axis.usual.end -= num_close;
        } else if is_close_after {
            axis.usual.start += num_close;
        }
        axis
    }

    /// All samples, in at most `most` bins: none is before another time.
    pub(crate) fn whole(times: &[SampleTime], most: usize) -> Axis {
        let size = times.len().div_ceil(most).max(1);
        Axis::of_parts(&[(0..times.len()).collect()], size, times)
    }

    /// Each part by the places of its samples.
    fn of_parts(parts: &[Vec<usize>], size: usize, times: &[SampleTime]) -> Axis {
        let mut axis = Axis {
            times: Vec::new(),
            of_bins: Vec::new(),
            num_before: 0,
            usual: 0..0,
            is_joined: false,
            bin_samples: size,
        };
        for part in parts {
            axis.num_before = axis.of_bins.len();
            for bin in part.chunks(size) {
                let number = axis.of_bins.len() as u32;
                axis.times.extend(bin.iter().map(|at| (times[*at].utc, number)));
                let previous = times[bin[0].saturating_sub(1)].utc;
                axis.of_bins.push((previous, times[bin[bin.len() - 1]].utc));
            }
        }
        axis.times.sort_unstable();
        axis.usual = 0..axis.num_before;
        axis
    }

    pub(crate) fn len(&self) -> usize {
        self.of_bins.len()
    }

    /// How many usual bins would be between the time before and the span.
    pub(crate) fn lag(&self) -> f64 {
        let Some(last) = self.num_before.checked_sub(1) else { return 0.0 };
        let both = self.of_bins.get(last).zip(self.of_bins.get(self.num_before));
        let between_s = both.map_or(0.0, |((_, end), (begin, _))| begin.seconds_since(*end));
        let usual_s = self.bin_s();
        if usual_s > 0.0 { (between_s / usual_s).max(0.0) } else { 0.0 }
    }

    /// How many samples are compared.
    pub(crate) fn num_samples(&self) -> usize {
        self.times.len()
    }

    /// How many of them are before the span.
    pub(crate) fn num_samples_before(&self) -> usize {
        self.times.iter().filter(|(_, bin)| (*bin as usize) < self.num_before).count()
    }

    /// Samples per bin.
    pub(crate) fn bin_samples(&self) -> usize {
        self.bin_samples
    }

    /// The usual length of a bin, in seconds.
    pub(crate) fn bin_s(&self) -> f64 {
        let lengths = self.of_bins.iter().map(|(begin, end)| end.seconds_since(*begin)).collect();
        median(lengths)
    }

    /// The bin of a sample, if it is compared.
    pub(crate) fn bin(&self, time: Timestamp) -> Option<u32> {
        let at = self.times.binary_search_by_key(&time, |(time, _)| *time).ok()?;
        Some(self.times[at].1)
    }

    /// The time of the last value before that of a bin: what happened in it may have happened since then. A series may have values
    /// less often than there are samples.
    pub(crate) fn known_before(&self, values: &[f64], bin: usize) -> Timestamp {
        let is_next = |at: usize| at > 0 && self.of_bins[at - 1].1 == self.of_bins[at].0;
        let mut first = bin;
        while is_next(first) {
            first -= 1;
            if !values[first].is_nan() {
                return self.of_bins[first].1;
            }
        }
        self.of_bins[bin].0
    }

    /// The time of a run of bins of a series, from its value before it on.
    pub(crate) fn known(&self, values: &[f64], run: &Range<usize>) -> Interval {
        Interval { begin: self.known_before(values, run.start), end: self.of_bins[run.end - 1].1 }
    }

    /// The time that the values of a run are about. If values are missing before the first, this is about as long as others are.
    pub(crate) fn lasted(&self, values: &[f64], run: &Range<usize>) -> Interval {
        let first = (run.start + 1).saturating_sub(usual_step(values)).min(run.start);
        let known = self.known(values, run);
        Interval { begin: known.begin.max(self.of_bins[first].0), ..known }
    }

    /// From the time of a value to that of another.
    pub(crate) fn between(&self, (first, last): (usize, usize)) -> Interval {
        Interval { begin: self.of_bins[first].1, end: self.of_bins[last].1 }
    }

    /// From the begin of a bin to the end of another.
    pub(crate) fn interval(&self, first: usize, last: usize) -> Interval {
        Interval { begin: self.of_bins[first].0, end: self.of_bins[last].1 }
    }
}

/// The usual distance of the values of a series, in bins: a series may have values less often than there are samples.
fn usual_step(values: &[f64]) -> usize {
    let known: Vec<usize> = (0..values.len()).filter(|at| !values[*at].is_nan()).collect();
    let steps = known.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    (median(steps) as usize).max(1)
}

/// How many of the values of runs are missing, and how many there would be with them.
pub(super) fn missing(values: &[f64], runs: &[Range<usize>]) -> (usize, usize) {
    let usual = usual_step(values);
    let known = |run: &Range<usize>| run.clone().filter(|at| !values[*at].is_nan()).collect::<Vec<usize>>();
    runs.iter().map(known).fold((0, 0), |(missing, all), known| {
        let few: usize = known.windows(2).map(|pair| ((pair[1] - pair[0]) / usual).saturating_sub(1)).sum();
        (missing + few, all + known.len() + few)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp(second * Timestamp::TICKS_PER_SECOND)
    }

    fn axis(against: (i64, i64), span: (i64, i64)) -> Axis {
        let times: Vec<SampleTime> =
            (0..=200).map(|second| SampleTime { utc: at(second), ..SampleTime::default() }).collect();
        let interval = |(begin, end): (i64, i64)| Interval { begin: at(begin), end: at(end) };
        Axis::new(&Bounds { span: interval(span), against: interval(against) }, &times)
    }

    #[test]
    fn values_next_to_the_span_do_not_say_what_is_usual() {
        // Bins 0 to 100 are those of the seconds 0 to 100, of which the last is the begin of the span.
        let next = axis((0, 100), (100, 120));
        assert_eq!((next.num_before, next.usual), (101, 0..99));
        let apart = axis((0, 80), (100, 120));
        assert_eq!((apart.num_before, apart.usual), (81, 0..81));
        let later = axis((120, 200), (100, 120));
        assert_eq!((later.num_before, later.usual), (80, 2..80));
        let few = axis((95, 100), (100, 105));
        assert_eq!((few.num_before, few.usual), (6, 0..6));
    }

    /// A series with a value every ten samples.
    #[test]
    fn something_may_have_happened_since_the_last_value() {
        let axis = axis((0, 100), (100, 120));
        let mut values = vec![f64::NAN; axis.len()];
        values.iter_mut().step_by(10).for_each(|value| *value = 1.0);
        assert_eq!(axis.known_before(&values, 110), at(100));
        assert_eq!(axis.known_before(&values, 0), at(0));
        values[109] = 1.0;
        assert_eq!(axis.known_before(&values, 110), at(109));
    }

    #[test]
    fn missing_values_are_counted_by_the_usual_distance() {
        let mut values = vec![f64::NAN; 121];
        values.iter_mut().step_by(10).for_each(|value| *value = 1.0);
        assert_eq!(missing(&values, &[20..41, 60..61]), (0, 4));
        values[30] = f64::NAN;
        assert_eq!(missing(&values, &[20..41, 60..61]), (1, 4));
        // The stretch begins with its first value, not with the last one before a gap.
        let axis = axis((0, 100), (100, 120));
        let mut values = vec![1.0; axis.len()];
        values[60..90].fill(f64::NAN);
        let run = Range { start: 90, end: 100 };
        assert_eq!((axis.known(&values, &run).begin, axis.lasted(&values, &run).begin), (at(59), at(89)));
        assert_eq!(missing(&values, std::slice::from_ref(&(50..100))), (30, 50));
    }
}
