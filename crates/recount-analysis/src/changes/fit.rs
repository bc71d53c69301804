//! The values of a series, and what describes a stretch of them: a level, or a line.

use super::lines::Sums;
use super::partition::{Break, Curve, LEAST, Piece};
use super::scatter::Scatter;
use crate::moved::chance::{OF_MEDIAN, deviation, extremes, median};
use crate::moved::{Axis, Interval, Track};

/// From one value to the next, in times that a value covers: if it is longer, nobody sampled.
pub(super) const LONGEST_WITHOUT_GAP: f64 = 3.0;

/// A value and the time that it covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bin {
    pub(crate) interval: Interval,
    pub(crate) value: f64,
    /// How many samples it is the mean of, at most.
    pub(crate) num_samples: usize,
    /// Whether there is no value in the bin before it: of a series that has values in some bins only, it may be a single one.
    pub(crate) is_alone: bool,
}

impl Bin {
    /// How many seconds it covers.
    pub(crate) fn width_s(&self) -> f64 {
        self.interval.end.seconds_since(self.interval.begin)
    }
}

/// The values of a series with their times.
pub(crate) fn bins(track: &Track, axis: &Axis) -> Vec<Bin> {
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
    /// With what it begins and ends; of all but lines and curves, its median. What rose or fell, but not steadily, ends with the median of its
    /// last values.
    pub(crate) ends: (f64, f64),
    /// Per second; 0 if it is no line or curve.
    pub(crate) slope: f64,
    /// The smallest and the largest of a few values that are so far apart that no level says what they are.
    pub(crate) scattered: Option<(f64, f64)>,
}

impl ValueStretch {
    /// Whether it rises or falls all the time, as a line or as a curve.
    pub(crate) fn is_way(self) -> bool {
        matches!(self.shape, Shape::Line | Shape::Curve { .. })
    }
}

/// What describes a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Level,
    Line,
    /// It rises or falls ever more slowly, or ever faster.
    Curve {
        is_slowing: bool,
    },
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
    /// Of a curve, those of its begin and of its end.
    lines: [PlaceLine; 2],
    /// Per value.
    pub(super) slope: f64,
    pub(super) noise: f64,
    /// Of most values: means of samples on both sides of a change, which may be among these, don't count.
    pub(super) usual_noise: f64,
    pub(super) stretch: ValueStretch,
}

/// A line by places.
#[derive(Clone, Copy)]
struct PlaceLine {
    centre: f64,
    middle: f64,
    slope: f64,
}

impl PlaceLine {
    fn at(self, place: f64) -> f64 {
        self.middle + self.slope * (place - self.centre)
    }

    fn above(self, by: f64) -> PlaceLine {
        PlaceLine { middle: self.middle + by, ..self }
    }
}

impl Fit {
    /// A line has its ends in the middles of the places where the changes before and after it may have been, if there are such.
    pub(super) fn of(bins: &[Bin], piece: Piece, changes: [Option<&Break>; 2]) -> Fit {
        if let Some(curve) = piece.curve {
            return Fit::of_curve(bins, piece, curve);
        }
        let part = &bins[piece.first..piece.end];
        let values: Vec<f64> = part.iter().map(|bin| bin.value).collect();
        let slope = if piece.is_sloped { slope(&values) } else { 0.0 };
        let centre = (values.len() as f64 - 1.0) / 2.0;
        let flat: Vec<f64> =
            values.iter().enumerate().map(|(at, value)| value - slope * (at as f64 - centre)).collect();
        let noise = deviation(&flat);
        let middle = median(flat.clone());
        let line = PlaceLine { centre: piece.first as f64 + centre, middle, slope };
        let usual_noise = OF_MEDIAN * median(flat.iter().map(|value| (value - middle).abs()).collect());
        // Most may be equal, and the others not.
        let usual_noise = usual_noise.max(LEAST_OF_NOISE * noise);
        let seconds =
            part[part.len() - 1].interval.end.seconds_since(part[0].interval.end) / (2.0 * centre).max(1.0);
        let is_level = !piece.is_sloped && !piece.is_mixed;
        let shape = if is_level { Shape::Level } else { Shape::Mixed };
        let is_scattered = values.len() < LEAST_SETTLED && noise > LARGE_NOISE * middle.abs();
        let scattered = is_scattered.then(|| extremes(values.iter().copied()));
        let level = ValueStretch { shape, ends: (middle, middle), slope: 0.0, scattered };
        // A line that misses the values at its ends isn't said.
        let is_line = piece.is_sloped && !piece.is_mixed;
        let stretch = if is_line && fits_ends(&values, (middle, slope), noise) {
            let per_second = if seconds > 0.0 { slope / seconds } else { 0.0 };
            let ends = ends_of_line(bins, piece, changes, line);
            ValueStretch { shape: Shape::Line, ends, slope: per_second, scattered: None }
        } else if piece.is_sloped {
            let middle = median(values.clone());
            // What the line misses isn't noise.
            let noise = Scatter::of(&values).map_or(noise, |scatter| scatter.deviation.min(noise));
            ValueStretch {
                ends: (middle, end_of_way(&values, (middle, slope), noise).unwrap_or(middle)),
                ..level
            }
        } else {
            level
        };
        Fit { first: piece.first, end: piece.end, lines: [line, line], slope, noise, usual_noise, stretch }
    }

    fn of_curve(bins: &[Bin], piece: Piece, curve: Curve) -> Fit {
        let (head, tail) = (Fit::of(bins, piece.head(), [None; 2]), Fit::of(bins, piece.tail(), [None; 2]));
        let lines = [head.lines[0].above(curve.beyond[0]), tail.lines[1].above(curve.beyond[1])];
        let (low, high) = extremes(bins[piece.first..piece.end].iter().map(|bin| bin.value));
        let value = |line: PlaceLine, place: usize| line.at(place as f64).clamp(low, high);
        let ends = (value(lines[0], piece.first), value(lines[1], piece.end - 1));
        let seconds = bins[piece.end - 1].interval.end.seconds_since(bins[piece.first].interval.end);
        let rise = ends.1 - ends.0;
        Fit {
            first: piece.first,
            end: piece.end,
            lines,
            slope: rise / (piece.end - piece.first) as f64,
            noise: head.noise.max(tail.noise),
            usual_noise: head.usual_noise.max(tail.usual_noise),
            stretch: ValueStretch {
                shape: Shape::Curve { is_slowing: curve.is_slowing },
                ends,
                slope: if seconds > 0.0 { rise / seconds } else { 0.0 },
                scattered: None,
            },
        }
    }

    /// Whether it rises or falls all the time, as a line or as a curve.
    pub(super) fn is_way(&self) -> bool {
        self.stretch.is_way()
    }

    /// How large a step at one of its ends has to be: of a line or a curve, a smaller one is a part of it, since how these begin and end is known
    /// less well than values are.
    pub(super) fn least_step(&self) -> f64 {
        /// Of the whole rise or fall.
        const SHARE_OF_LINE: f64 = 0.1;
        const SHARE_OF_CURVE: f64 = 0.15;
        let (from, to) = self.stretch.ends;
        match self.stretch.shape {
            Shape::Line => SHARE_OF_LINE * (to - from).abs(),
            Shape::Curve { .. } => SHARE_OF_CURVE * (to - from).abs(),
            Shape::Level | Shape::Mixed => 0.0,
        }
    }

    /// Adds a line that goes on as this one does.
    pub(super) fn extend(&mut self, next: &Fit) {
        self.end = next.end;
        self.lines[1] = next.lines[1];
        self.noise = self.noise.max(next.noise);
        self.usual_noise = self.usual_noise.max(next.usual_noise);
        self.stretch.ends.1 = next.stretch.ends.1;
    }

    /// Its value at one of its ends, or beyond.
    pub(super) fn at(&self, place: usize) -> f64 {
        self.lines[usize::from(place > self.first)].at(place as f64)
    }
}

/// The values of a line at its ends, none of which is beyond the values that are there.
fn ends_of_line(bins: &[Bin], piece: Piece, changes: [Option<&Break>; 2], line: PlaceLine) -> (f64, f64) {
    let [begin, end] = changes;
    let begin = begin.map_or((piece.first, piece.first), |change| change.between);
    let end = end.map_or((piece.end, piece.end), |change| change.between);
    let middle = |(first, last): (usize, usize)| (first + last) as f64 / 2.0;
    let (first, last) = (middle(begin), middle(end) - 1.0);
    let (first, last) =
        if first < last { (first, last) } else { (piece.first as f64, piece.end as f64 - 1.0) };
    let (low, high) = extremes(bins[begin.0..end.1.min(bins.len())].iter().map(|bin| bin.value));
    let value = |place: f64| line.at(place).clamp(low, high);
    (value(first), value(last))
}

/// Whether a line goes on as it did across a gap: values are counted, and time isn't, so it has a step there.
pub(super) fn goes_on(bins: &[Bin], before: &Fit, after: &Fit) -> bool {
    /// Of the slope, and of the step; and in units of the noise.
    const SLACK: (f64, f64, f64) = (0.25, 0.1, 3.0);
    let (last, first) = (&bins[after.first - 1], &bins[after.first]);
    let across_s = first.interval.end.seconds_since(last.interval.end);
    let usual_s = last.width_s();
    if before.slope * after.slope <= 0.0 || across_s <= LONGEST_WITHOUT_GAP * usual_s {
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
