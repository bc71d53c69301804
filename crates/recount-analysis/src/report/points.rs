//! Series reduced for drawing: the minimum, maximum and mean of every stretch of time, so that no peak is
//! lost.

use std::ops::RangeInclusive;

use rayon::prelude::*;
use recount_model::{SampleTime, Status, Timestamp};

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

/// The points of one series. Few samples may fill many buckets, so only the first of several buckets that one value
/// fills is stored: a point without values stands for all buckets up to the next point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeriesPoints<'a>(pub(crate) &'a [Point]);

impl<'a> SeriesPoints<'a> {
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Those in whose buckets samples were taken.
    pub(crate) fn sampled(self) -> impl Iterator<Item = &'a Point> {
        self.0.iter().filter(|point| point.count > 0)
    }

    /// A point for every bucket that is filled.
    pub(crate) fn filled(self) -> impl Iterator<Item = Point> {
        self.0.iter().enumerate().flat_map(move |(at, point)| {
            let next = self.0.get(at + 1).filter(|_| point.count == 0).map(|next| next.bucket);
            let end = next.unwrap_or(0).max(point.bucket + 1);
            (point.bucket..end).map(|bucket| Point { bucket, ..*point })
        })
    }
}

/// The points of all series, by object, counter and instance of the roster.
#[derive(Debug)]
pub(crate) struct Points {
    buckets: Buckets,
    /// Longest interval that a value may fill, in seconds.
    longest: f64,
    objects: Vec<Vec<Vec<Vec<Point>>>>,
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
        let before = interval_s.map(|seconds| (seconds * Timestamp::TICKS_PER_SECOND as f64).round() as i64);
        let first = before.map(|ticks| self.bucket_of(Timestamp(time.0.saturating_sub(ticks))) + 1);
        first.map_or(last, |first| first.min(last))..=last
    }
}

impl Points {
    /// A value covers an interval, so it fills all buckets since the previous sample; otherwise samples that
    /// are slightly late would leave holes. Intervals longer than `longest` seconds are gaps and stay empty.
    pub(crate) fn new(buckets: Buckets, longest: Option<f64>) -> Points {
        Points { buckets, longest: longest.unwrap_or(0.0), objects: Vec::new() }
    }

    pub(crate) fn buckets(&self) -> Buckets {
        self.buckets
    }

    /// The points of a series, by bucket.
    pub(crate) fn of(&self, object: usize, instance: usize, counter: usize) -> SeriesPoints<'_> {
        let series = self.objects.get(object).and_then(|counters| counters.get(counter)?.get(instance));
        series.map_or(SeriesPoints(&[]), |points| SeriesPoints(points))
    }

    /// Adds a batch, in parallel over counters.
    pub(crate) fn add(&mut self, batch: &[Placed<'_>]) {
        let num_objects = batch.iter().map(|placed| placed.object + 1).max().unwrap_or(0);
        if self.objects.len() < num_objects {
            self.objects.resize_with(num_objects, Vec::new);
        }
        let (buckets, longest) = (self.buckets, self.longest);
        let of_object = by_object(batch, self.objects.len());
        self.objects.par_iter_mut().zip(of_object).for_each(|(counters, stretches)| {
            for placed in stretches {
                add_stretch(counters, placed, &buckets, longest);
            }
        });
    }
}

fn add_stretch(counters: &mut Vec<Vec<Vec<Point>>>, placed: &Placed<'_>, buckets: &Buckets, longest: f64) {
    let most = placed.counters.iter().max().map_or(0, |most| *most as usize + 1);
    if counters.len() < most {
        counters.resize_with(most, Vec::new);
    }
    let num_slots = placed.slots.iter().max().map_or(0, |slot| *slot as usize + 1);
    let cooked = placed.cooked;
    let filled = |(time, interval_s): (&SampleTime, &Option<f64>)| {
        buckets.filled(time.utc, interval_s.filter(|seconds| *seconds <= longest))
    };
    let at_sample: Vec<RangeInclusive<u32>> =
        cooked.times.iter().zip(&cooked.interval_s).map(filled).collect();
    let num_points = num_points(&at_sample);
    let columns = placed.columns(counters.len());
    counters.par_iter_mut().zip(columns).for_each(|(series, column)| {
        let Some(column) = column.map(|column| &cooked.columns[column]) else { return };
        if series.len() < num_slots {
            series.resize_with(num_slots, Vec::new);
        }
        let num_slots = placed.slots.len();
        let is_value = |sample: usize, at: usize| column.status_at(sample * num_slots + at) == Status::Ok;
        for (at, slot) in placed.slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
            let points = &mut series[*slot as usize];
            if points.is_empty() {
                let num_values = (0..at_sample.len()).filter(|sample| is_value(*sample, at)).count();
                points.reserve_exact(num_points.min(2 * num_values));
            }
            for (sample, filled) in at_sample.iter().enumerate().filter(|(sample, _)| is_value(*sample, at)) {
                // A new instance has no earlier values.
                let is_known = sample > 0 || cooked.continued[at];
                let known = if is_known { filled.clone() } else { *filled.end()..=*filled.end() };
                add_filled(points, &known, column.values[sample * num_slots + at]);
            }
        }
    });
}

/// How many points a stretch of samples makes at most.
fn num_points(at_sample: &[RangeInclusive<u32>]) -> usize {
    let mut latest = None;
    let mut num = 0;
    for filled in at_sample {
        num += usize::from(filled.start() < filled.end());
        num += usize::from(latest.replace(*filled.end()) != Some(*filled.end()));
    }
    num
}

/// Adds a value to the buckets that it fills; the sample was taken in the last of them.
#[inline]
fn add_filled(points: &mut Vec<Point>, filled: &RangeInclusive<u32>, value: f64) {
    let (mut first, own) = (*filled.start(), *filled.end());
    if first < own && points.last().is_some_and(|last| last.bucket == first) {
        add_value(points, first, value, false);
        first += 1;
    }
    if first < own {
        points.push(Point { bucket: first, count: 0, min: value, max: value, sum: value });
    }
    add_value(points, own, value, true);
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

    #[test]
    fn peaks_stay() {
        let mut points = Vec::new();
        for value in [1.0, 900.0, -2.0] {
            add_value(&mut points, 3, value, true);
        }
        add_value(&mut points, 5, 7.0, true);
        assert_eq!(points[0], Point { bucket: 3, count: 3, min: -2.0, max: 900.0, sum: 899.0 });
        assert_eq!(points[1], Point { bucket: 5, count: 1, min: 7.0, max: 7.0, sum: 7.0 });
    }

    /// As if every filled bucket were stored.
    fn add_each(points: &mut Vec<Point>, filled: &RangeInclusive<u32>, value: f64) {
        for bucket in filled.clone() {
            add_value(points, bucket, value, bucket == *filled.end());
        }
    }

    #[test]
    fn few_samples_take_few_points_and_fill_the_same_buckets() {
        // Late, early and overlapping samples, several in a bucket, and one that comes too late (of another capture).
        let filled =
            [0..=0, 1..=66, 67..=132, 132..=133, 133..=140, 140..=140, 141..=300, 200..=280, 281..=599];
        let (mut stored, mut each) = (Vec::new(), Vec::new());
        for (value, filled) in filled.iter().enumerate() {
            add_filled(&mut stored, filled, value as f64);
            add_each(&mut each, filled, value as f64);
        }
        let found: Vec<Point> = SeriesPoints(&stored).filled().collect();
        assert_eq!(found, each);
        assert!(stored.len() <= num_points(&filled), "{} points", stored.len());
        assert!(num_points(&filled) <= 2 * filled.len());
        let of_samples = |points: &[Point]| SeriesPoints(points).sampled().copied().collect::<Vec<_>>();
        assert_eq!(of_samples(&stored), of_samples(&each));
    }
}
