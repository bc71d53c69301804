//! The values of a series, and what describes a stretch of them: a level, or a line.

use super::lines::Sums;
use super::partition::{LEAST, Piece};
use crate::moved::chance::{OF_MEDIAN, deviation, median};
use crate::moved::{Axis, Interval, Track};

/// Than the time of a value: then nobody sampled.
pub(super) const MOST_LONGER: f64 = 3.0;

/// A value and the time that it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bin {
    pub(super) interval: Interval,
    pub(super) value: f64,
    /// How many samples it is the mean of, at most.
    pub(super) num_samples: usize,
    /// Whether there is no value in the bin before it: of a series that has values in some bins only, it may be a single one.
    pub(super) is_alone: bool,
}

impl Bin {
    /// How many seconds it covers.
    pub(super) fn width_s(&self) -> f64 {
        self.interval.end.seconds_since(self.interval.begin)
    }
}

/// The values of a series with their times.
pub(super) fn bins(track: &Track, axis: &Axis) -> Vec<Bin> {
    let means = track.means().unwrap_or_default();
    let present = means.iter().enumerate().filter(|(_, value)| value.is_finite());
    let interval = |at: usize| Interval { begin: axis.known_before(means, at), ..axis.interval(at, at) };
    let bin = |(at, value): (usize, &f64)| {
        let interval = interval(at);
        let is_alone = interval.begin != axis.interval(at, at).begin;
        Bin { interval, value: *value, num_samples: axis.bin_samples(), is_alone }
    };
    present.map(bin).collect()
}

/// What a stretch is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ValueStretch {
    pub(crate) shape: Shape,
    /// With what it begins and ends; of all but lines, its median. What rose or fell, but not steadily, ends with the median of its
    /// last values.
    pub(crate) ends: (f64, f64),
    /// Per second; 0 if it is no line.
    pub(crate) slope: f64,
    /// The smallest and the largest of a few values that are so far apart that no level says what they are.
    pub(crate) scattered: Option<(f64, f64)>,
}

/// What describes a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Level,
    Line,
    /// It goes up and down, or bends.
    Mixed,
}

/// So many values have a median that says what they are, whatever their spread.
const LEAST_SETTLED: usize = 12;
/// Of a level: fewer values with such a spread are at no level.
const LARGE_NOISE: f64 = 0.5;

/// Of the deviation of all values: most have no less.
const LEAST_OF_NOISE: f64 = 0.3;

/// A stretch with its values as they are.
pub(super) struct Fit {
    pub(super) first: usize,
    pub(super) end: usize,
    middle: f64,
    /// Per value.
    pub(super) slope: f64,
    pub(super) noise: f64,
    /// Of most values: means of samples on both sides of a change, which may be among these, don't count.
    pub(super) usual_noise: f64,
    pub(super) stretch: ValueStretch,
}

impl Fit {
    pub(super) fn of(bins: &[Bin], piece: Piece) -> Fit {
        let part = &bins[piece.first..piece.end];
        let values: Vec<f64> = part.iter().map(|bin| bin.value).collect();
        let slope = if piece.is_sloped { slope(&values) } else { 0.0 };
        let centre = (values.len() as f64 - 1.0) / 2.0;
        let flat: Vec<f64> =
            values.iter().enumerate().map(|(at, value)| value - slope * (at as f64 - centre)).collect();
        let noise = deviation(&flat);
        let middle = median(flat.clone());
        let usual_noise = OF_MEDIAN * median(flat.iter().map(|value| (value - middle).abs()).collect());
        // Most may be equal, and the others not.
        let usual_noise = usual_noise.max(LEAST_OF_NOISE * noise);
        let seconds =
            part[part.len() - 1].interval.end.seconds_since(part[0].interval.end) / (2.0 * centre).max(1.0);
        let is_level = !piece.is_sloped && !piece.is_mixed;
        let shape = if is_level { Shape::Level } else { Shape::Mixed };
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let is_scattered = values.len() < LEAST_SETTLED && noise > LARGE_NOISE * middle.abs();
        let scattered = is_scattered.then_some((low, high));
        let level = ValueStretch { shape, ends: (middle, middle), slope: 0.0, scattered };
        // A line that misses the values at its ends isn't said.
        let is_line = piece.is_sloped && !piece.is_mixed;
        let stretch = if is_line && fits_ends(&values, (middle, slope), noise) {
            let end = |side: f64| (middle + side * slope * centre).clamp(low, high);
            let slope = if seconds > 0.0 { slope / seconds } else { 0.0 };
            ValueStretch { shape: Shape::Line, ends: (end(-1.0), end(1.0)), slope, scattered: None }
        } else if piece.is_sloped {
            let middle = median(values.clone());
            ValueStretch {
                ends: (middle, end_of_way(&values, (middle, slope), noise).unwrap_or(middle)),
                ..level
            }
        } else {
            level
        };
        Fit { first: piece.first, end: piece.end, middle, slope, noise, usual_noise, stretch }
    }

    /// Moves the ends of a line to the middles of the places where the changes before and after it may have been.
    pub(super) fn end_at(
        &mut self,
        values: &[f64],
        begin: Option<(usize, usize)>,
        end: Option<(usize, usize)>,
    ) {
        if !self.is_line() {
            return;
        }
        let (begin, end) = (begin.unwrap_or((self.first, self.first)), end.unwrap_or((self.end, self.end)));
        let middle = |(first, last): (usize, usize)| (first + last) as f64 / 2.0;
        let (low, high) = values[begin.0..end.1.min(values.len())]
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(*value), high.max(*value))
            });
        let centre = (self.first + self.end - 1) as f64 / 2.0;
        let value = |place: f64| (self.middle + self.slope * (place - centre)).clamp(low, high);
        if middle(begin) < middle(end) - 1.0 {
            self.stretch.ends = (value(middle(begin)), value(middle(end) - 1.0));
        }
    }

    pub(super) fn is_line(&self) -> bool {
        self.stretch.shape == Shape::Line
    }

    pub(super) fn at(&self, place: usize) -> f64 {
        self.middle + self.slope * (place as f64 - (self.first + self.end - 1) as f64 / 2.0)
    }
}

/// Whether a line goes on as it did across a gap: values are counted, and time isn't, so it has a step there.
pub(super) fn goes_on(bins: &[Bin], before: &Fit, after: &Fit) -> bool {
    /// Of the slope, and of the step; and in units of the noise.
    const SLACK: (f64, f64, f64) = (0.25, 0.1, 3.0);
    let (last, first) = (&bins[after.first - 1], &bins[after.first]);
    let across_s = first.interval.end.seconds_since(last.interval.end);
    let usual_s = last.width_s();
    if before.slope * after.slope <= 0.0 || across_s <= MOST_LONGER * usual_s {
        return false;
    }
    let expected = before.slope * across_s / usual_s;
    let off = after.at(after.first) - before.at(before.end - 1) - expected;
    let noise = SLACK.2 * before.usual_noise.max(after.usual_noise);
    (after.slope - before.slope).abs() <= SLACK.0 * before.slope.abs()
        && off.abs() <= noise.max(SLACK.1 * expected.abs())
}

/// Whether the first and the last values are where a line says.
fn fits_ends(values: &[f64], (middle, slope): (f64, f64), noise: f64) -> bool {
    let centre = (values.len() as f64 - 1.0) / 2.0;
    let few = values.len().min(LEAST);
    let rest = |range: std::ops::Range<usize>| {
        let at = |place: usize| values[place] - middle - slope * (place as f64 - centre);
        median(range.map(at).collect()).abs()
    };
    let most = (1.5 * noise).max(0.6 * step_of_stairs(values));
    rest(0..few).max(rest(values.len() - few..values.len())) <= most
}

/// The usual step of values that mostly stand still; 0 of others.
fn step_of_stairs(values: &[f64]) -> f64 {
    let steps: Vec<f64> =
        values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).filter(|step| *step > 0.0).collect();
    if steps.is_empty() || 3 * steps.len() > values.len() { 0.0 } else { median(steps) }
}

/// The median of the last values, if all of them rose or fell to there.
fn end_of_way(values: &[f64], (middle, slope): (f64, f64), noise: f64) -> Option<f64> {
    let few = values.len().min(LEAST);
    let (first, last) = (median(values[..few].to_vec()), median(values[values.len() - few..].to_vec()));
    let is_way = |from: f64, to: f64| (to - from) * slope.signum() > noise;
    (is_way(first, middle) && is_way(middle, last)).then_some(last)
}

/// The median of the slopes between values half the stretch apart, which outliers don't bend. Of stairs these are few different ones.
fn slope(values: &[f64]) -> f64 {
    if step_of_stairs(values) > 0.0 {
        return Sums::of(values).line(0, values.len()).slope;
    }
    let half = values.len().div_ceil(2).max(1);
    let slopes: Vec<f64> =
        values.iter().zip(&values[half..]).map(|(one, other)| (other - one) / half as f64).collect();
    if slopes.is_empty() { 0.0 } else { median(slopes) }
}
