//! Series reduced for drawing: the samples themselves as long as they are few, else the minimum, maximum and mean of
//! every stretch of time, so that no peak is lost.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use rayon::prelude::*;
use recount_model::Timestamp;

use crate::roster::{Placed, by_object};

/// The stretches of time into which values are grouped.
///
/// Bucket `k` holds the values of times `t` with `begin + k * width < t <= begin + (k + 1) * width`, and the
/// first also those at `begin`: the time of a cooked value is the end of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Buckets {
    pub(crate) begin: Timestamp,
    /// 100 ns; may be a fraction.
    pub(crate) width: f64,
    pub(crate) count: u32,
}

/// What is drawn for a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) bucket: u32,
    /// Number of values; 0 if the only one belongs to a later bucket, but its interval began before this one.
    pub(crate) count: u32,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) sum: f64,
}

/// A value at the time of its sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Time since the begin of the first bucket, 100 ns.
    pub(crate) at: i64,
    /// NaN: the sample has the series, but no value of it.
    pub(crate) value: f64,
    /// The buckets since the previous sample, of which the last is its own.
    first: u32,
    own: u32,
}

#[cfg(test)]
impl Sample {
    pub(crate) fn at(at: i64, value: f64) -> Sample {
        Sample { at, value, first: 0, own: 0 }
    }
}

/// What is known of a series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Course {
    /// Every sample, as there are few. The first has a value.
    Samples(Vec<Sample>),
    /// Stretches of time, ascending.
    Stretches(Vec<Point>),
}

/// The points of all series, by object, counter and instance of the roster.
#[derive(Debug)]
pub(crate) struct Points {
    buckets: Buckets,
    /// Series with up to this many values keep their samples.
    most: u32,
    objects: Vec<Vec<Vec<Course>>>,
}

impl Buckets {
    /// As many as there are intervals, but at most `most`.
    pub(crate) fn new(begin: Timestamp, end: Timestamp, num_samples: usize, most: u32) -> Buckets {
        let count = u32::try_from(num_samples.saturating_sub(1)).unwrap_or(most).clamp(1, most);
        let span = (end.0.saturating_sub(begin.0)) as f64;
        let width = if span > 0.0 { span / f64::from(count) } else { Timestamp::TICKS_PER_SECOND as f64 };
        Buckets { begin, width, count }
    }

    pub(crate) fn bucket_of(&self, time: Timestamp) -> u32 {
        let behind = time.0.saturating_sub(self.begin.0) as f64 / self.width;
        // A tick too much is rounding.
        let bucket = (behind - 1e-6).ceil() - 1.0;
        (bucket.max(0.0) as u32).min(self.count - 1)
    }

    /// The buckets after that of the previous sample, up to the bucket of a time; only the latter if there is
    /// no previous sample.
    fn filled(&self, time: Timestamp, interval_s: Option<f64>) -> RangeInclusive<u32> {
        let last = self.bucket_of(time);
        let first = interval_s.map(|seconds| self.bucket_of(time.minus_seconds(seconds)) + 1);
        first.map_or(last, |first| first.min(last))..=last
    }
}

impl Default for Course {
    fn default() -> Course {
        Course::Samples(Vec::new())
    }
}

impl Course {
    /// Samples whose number exceeds `most` are joined in stretches. Samples without a value count as well: of those
    /// in a row one is kept, and the others change nothing.
    pub(crate) fn add(&mut self, sample: Sample, most: u32) {
        match self {
            Course::Samples(samples) => {
                let is_gap = samples.last().is_none_or(|last| last.value.is_nan());
                if sample.value.is_nan() && is_gap {
                    return;
                }
                samples.push(sample);
                if samples.len() > most as usize {
                    *self = Course::Stretches(stretches(samples));
                }
            }
            Course::Stretches(points) => add_sample(points, &sample),
        }
    }

    /// Whether there is no value.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Course::Samples(samples) => samples.is_empty(),
            Course::Stretches(points) => points.is_empty(),
        }
    }

    /// Its stretches of time.
    pub(crate) fn stretches(&self) -> Cow<'_, [Point]> {
        match self {
            Course::Samples(samples) => Cow::Owned(stretches(samples)),
            Course::Stretches(points) => Cow::Borrowed(points),
        }
    }

    /// Its samples in the order of time, if there are at most `most` and no two at the same time.
    pub(crate) fn samples(&self, most: usize) -> Option<Cow<'_, [Sample]>> {
        let Course::Samples(samples) = self else { return None };
        if samples.is_empty() || samples.len() > most {
            return None;
        }
        let is_ascending = |samples: &[Sample]| samples.windows(2).all(|pair| pair[0].at < pair[1].at);
        if is_ascending(samples) {
            return Some(Cow::Borrowed(samples));
        }
        // Streams of one object may overlap.
        let mut sorted = samples.clone();
        sorted.sort_by_key(|sample| sample.at);
        is_ascending(&sorted).then_some(Cow::Owned(sorted))
    }
}

fn stretches(samples: &[Sample]) -> Vec<Point> {
    let mut points = Vec::new();
    for sample in samples {
        add_sample(&mut points, sample);
    }
    points
}

fn add_sample(points: &mut Vec<Point>, sample: &Sample) {
    if sample.value.is_nan() {
        return;
    }
    for bucket in sample.first..=sample.own {
        add_value(points, bucket, sample.value, bucket == sample.own);
    }
}

impl Points {
    /// A value covers an interval, so it fills all buckets since the previous sample; otherwise samples that
    /// are slightly late would leave holes. Gaps stay empty.
    /// Series of up to `most` values keep their samples, and fill nothing.
    pub(crate) fn new(buckets: Buckets, most: u32) -> Points {
        Points { buckets, most, objects: Vec::new() }
    }

    pub(crate) fn buckets(&self) -> Buckets {
        self.buckets
    }

    /// The course of a series.
    pub(crate) fn of(&self, object: usize, instance: usize, counter: usize) -> &Course {
        const NOTHING: &Course = &Course::Samples(Vec::new());
        let series = self.objects.get(object).and_then(|counters| counters.get(counter)?.get(instance));
        series.unwrap_or(NOTHING)
    }

    /// Adds a batch, in parallel over counters.
    pub(crate) fn add(&mut self, batch: &[Placed<'_>]) {
        let num_objects = batch.iter().map(|placed| placed.object + 1).max().unwrap_or(0);
        if self.objects.len() < num_objects {
            self.objects.resize_with(num_objects, Vec::new);
        }
        let stage = Stage { buckets: self.buckets, most: self.most };
        let of_object = by_object(batch, self.objects.len());
        self.objects.par_iter_mut().zip(of_object).for_each(|(counters, stretches)| {
            for placed in stretches {
                add_stretch(counters, placed, &stage);
            }
        });
    }
}

/// How values become points.
struct Stage {
    buckets: Buckets,
    most: u32,
}

fn add_stretch(counters: &mut Vec<Vec<Course>>, placed: &Placed<'_>, stage: &Stage) {
    let Stage { buckets, most } = stage;
    let num_counters = placed.counters.iter().max().map_or(0, |most| *most as usize + 1);
    if counters.len() < num_counters {
        counters.resize_with(num_counters, Vec::new);
    }
    let num_slots = placed.slots.iter().max().map_or(0, |slot| *slot as usize + 1);
    let cooked = placed.cooked;
    let filled = |sample: usize| {
        let interval_s = cooked.interval_s[sample].filter(|_| !cooked.is_gap(sample));
        (cooked.times[sample].utc, buckets.filled(cooked.times[sample].utc, interval_s))
    };
    let at_sample: Vec<(Timestamp, RangeInclusive<u32>)> = (0..cooked.num_samples()).map(filled).collect();
    let columns = placed.columns(counters.len());
    counters.par_iter_mut().zip(columns).for_each(|(series, column)| {
        let Some(column) = column.map(|column| &cooked.columns[column]) else { return };
        if series.len() < num_slots {
            series.resize_with(num_slots, Course::default);
        }
        for (number, (time, filled)) in at_sample.iter().enumerate() {
            let row = number * placed.slots.len();
            for (at, slot) in placed.slots.iter().enumerate() {
                if !column.covers(at) {
                    continue;
                }
                let is_value = column.status_at(row + at).has_value();
                // A new instance has no earlier values.
                let is_known = number > 0 || cooked.continued[at];
                let own = *filled.end();
                let sample = Sample {
                    at: time.0.saturating_sub(buckets.begin.0),
                    value: if is_value { column.values[row + at] } else { f64::NAN },
                    first: if is_known { *filled.start() } else { own },
                    own,
                };
                series[*slot as usize].add(sample, *most);
            }
        }
    });
}

/// `is_own`: the sample was taken in this bucket.
#[inline]
fn add_value(points: &mut Vec<Point>, bucket: u32, value: f64, is_own: bool) {
    match points.last_mut() {
        Some(last) if last.bucket == bucket => {
            last.min = last.min.min(value);
            last.max = last.max.max(value);
            if is_own {
                last.sum = if last.count == 0 { value } else { last.sum + value };
                last.count += 1;
            }
        }
        _ => points.push(Point { bucket, count: u32::from(is_own), min: value, max: value, sum: value }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(s: f64) -> Timestamp {
        Timestamp((s * Timestamp::TICKS_PER_SECOND as f64) as i64)
    }

    #[test]
    fn values_belong_to_the_interval_that_they_end() {
        let buckets = Buckets::new(seconds(100.0), seconds(110.0), 11, 600);
        assert_eq!(buckets.count, 10);
        let of = |s: f64| buckets.bucket_of(seconds(s));
        assert_eq!([of(100.0), of(101.0), of(101.5), of(102.0), of(110.0), of(120.0)], [0, 0, 1, 1, 9, 9]);
        let few = Buckets::new(seconds(0.0), seconds(86_400.0), 86_401, 600);
        assert_eq!((few.count, few.bucket_of(seconds(144.0)), few.bucket_of(seconds(145.0))), (600, 0, 1));
        assert_eq!(Buckets::new(seconds(5.0), seconds(5.0), 1, 600).count, 1);
    }

    #[test]
    fn late_samples_leave_no_holes_and_gaps_stay() {
        let buckets = Buckets::new(seconds(0.0), seconds(10.0), 11, 600);
        let filled = |s: f64, interval_s: Option<f64>| buckets.filled(seconds(s), interval_s);
        assert_eq!(
            [filled(1.0, Some(1.0)), filled(4.3, Some(1.3)), filled(5.0, Some(0.7))],
            [0..=0, 3..=4, 4..=4]
        );
        assert_eq!(filled(2.05, Some(1.1)), 1..=2);
        assert_eq!([filled(7.0, None), filled(7.2, Some(0.1))], [6..=6, 7..=7]);
    }

    fn sample(at: i64, value: f64, buckets: RangeInclusive<u32>) -> Sample {
        Sample { at, value, first: *buckets.start(), own: *buckets.end() }
    }

    #[test]
    fn few_samples_stay_what_they_are() {
        let mut course = Course::default();
        assert!(course.is_empty() && course.samples(9).is_none());
        let all = [
            sample(0, f64::NAN, 0..=0),
            sample(10, 5.0, 0..=0),
            sample(70, 9.0, 1..=6),
            sample(75, f64::NAN, 7..=7),
            sample(76, f64::NAN, 7..=7),
            sample(90, 1.0, 8..=8),
        ];
        for sample in all {
            course.add(sample, 4);
        }
        // Nothing before the first value, and one of several samples without a value.
        let kept: Vec<(i64, bool)> =
            course.samples(4).expect("samples").iter().map(|s| (s.at, s.value.is_nan())).collect();
        assert_eq!(kept, [(10, false), (70, false), (75, true), (90, false)]);
        assert!(course.samples(3).is_none(), "there are four");
        assert_eq!(
            course.stretches().iter().map(|point| point.bucket).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6, 8]
        );
        course.add(sample(95, 2.0, 9..=9), 4);
        assert!(matches!(course, Course::Stretches(ref points) if points.len() == 9), "{course:?}");
    }

    #[test]
    fn two_values_at_one_time_are_a_stretch() {
        let mut course = Course::default();
        for value in [3.0, 8.0] {
            course.add(sample(10, value, 0..=0), 9);
        }
        assert!(course.samples(9).is_none());
        assert_eq!(*course.stretches(), [Point { bucket: 0, count: 2, min: 3.0, max: 8.0, sum: 11.0 }]);
        let mut mixed = Course::default();
        for at in [10, 30, 20] {
            mixed.add(sample(at, 1.0, 0..=0), 9);
        }
        assert_eq!(mixed.samples(9).expect("samples").iter().map(|s| s.at).collect::<Vec<_>>(), [10, 20, 30]);
    }

    #[test]
    fn peaks_stay() {
        let mut points = Vec::new();
        for value in [1.0, 900.0, -2.0] {
            add_value(&mut points, 3, value, true);
        }
        add_value(&mut points, 5, 7.0, false);
        add_value(&mut points, 5, 8.0, true);
        assert_eq!(points[0], Point { bucket: 3, count: 3, min: -2.0, max: 900.0, sum: 899.0 });
        assert_eq!(points[1], Point { bucket: 5, count: 1, min: 7.0, max: 8.0, sum: 8.0 });
    }
}
