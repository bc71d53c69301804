//! The changes of one series, in its values and times.

use recount_model::Timestamp;

use super::breaks::parted;
use super::lines::Sums;
use super::moments::{begin_of, begin_of_bin, is_known_to_sample, time_of};
use super::partition::{LEAST, Piece};
use super::returns::holds;
use super::scatter::Scatter;
use crate::moved::chance::{OF_MEDIAN, deviation, median};
use crate::moved::{Axis, Interval, Track};

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

/// A change of a series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn {
    /// Where the first value after it begins, if it happened at the likeliest place.
    pub(super) at: Timestamp,
    /// The earliest and the latest time.
    pub(super) time: Interval,
    /// Whether no other place fits nearly as well.
    pub(super) is_exact: bool,
    /// When the next one happened: where it most likely did, and the earliest and the latest time.
    pub(super) until: Option<(Timestamp, Interval)>,
    /// Whether values are of single samples, or of so few that the sample is known.
    pub(super) is_of_few: bool,
    pub(super) before: Stretch,
    pub(super) after: Stretch,
    pub(super) kind: TurnKind,
    /// Its size, in units of the noise about both stretches.
    pub(super) effect: f64,
    pub(super) probability: f64,
    /// Whether it goes back to what was before the change before it.
    pub(super) is_return: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnKind {
    /// To another level.
    Step,
    /// It rises or falls otherwise than before.
    Bend,
}

/// What a stretch is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
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

/// Of the size of a change: what never varies has no noise to measure it by.
const LEAST_NOISE: f64 = 1e-3;

/// The changes of a series in the order of time; `None` if there are too few values, or all are the same.
pub(super) fn turns(bins: &[Bin], most: f64) -> Option<Vec<Turn>> {
    let values: Vec<f64> = bins.iter().map(|bin| bin.value).collect();
    let parted = parted(&values, most)?;
    let scatter = Scatter::of(&values).unwrap_or(Scatter { deviation: 0.0, memory: 1.0 });
    let fits: Vec<Fit> = parted.pieces.iter().map(|piece| Fit::of(bins, *piece)).collect();
    let mut turns: Vec<Turn> = Vec::new();
    for (at, found) in parted.breaks.iter().enumerate() {
        let (before, after) = (&fits[at], &fits[at + 1]);
        let next = parted.breaks.get(at + 1);
        let back = if next.is_none() { came_back(bins, before, after) } else { None };
        let until = match next {
            Some(next) => Some((begin_of(bins, next.at, [after, &fits[at + 2]]), time_of(bins, next))),
            None => back.map(|back| (begin_of_bin(&bins[back]), bins[back].interval)),
        };
        if goes_on(bins, before, after) {
            if let Some(turn) = turns.last_mut() {
                turn.until = until;
            }
            continue;
        }
        let jump = after.at(found.at) - before.at(found.at);
        let noise = before.noise.max(after.noise);
        let is_bend = (before.is_line() || after.is_line()) && jump.abs() < 3.0 * noise;
        let (from, to) = (before.stretch.ends.1, after.stretch.ends.0);
        let size = if is_bend { after.stretch.ends.1 - from } else { to - from };
        // Where it began and ended isn't known better.
        let end = next.map_or(back.unwrap_or(after.end), |next| next.between.0);
        let first = found.between.1.min(after.end - 1);
        // Nothing is said of a time that isn't as the sentence says.
        let is_level = !is_bend && !after.is_line();
        if is_level && !holds(&values[first..end.max(first + 1)], (from, to), scatter) {
            continue;
        }
        let noise = noise.max(LEAST_NOISE * size.abs()).max(f64::MIN_POSITIVE);
        let is_return = at > 0 && {
            let earlier = fits[at - 1].stretch.ends.1;
            (to - earlier).abs() <= 0.25 * (from - earlier).abs()
        };
        turns.push(Turn {
            at: begin_of(bins, found.at, [before, after]),
            time: time_of(bins, found),
            is_exact: found.between.0 == found.between.1,
            until,
            is_of_few: is_known_to_sample(&bins[found.at], [before, after]),
            before: before.stretch,
            after: after.stretch,
            kind: if is_bend { TurnKind::Bend } else { TurnKind::Step },
            effect: size / noise,
            probability: found.probability,
            is_return,
        });
    }
    Some(turns)
}

/// Whether a line goes on as it did across a gap: values are counted, and time isn't, so it has a step there.
pub(super) fn goes_on(bins: &[Bin], before: &Fit, after: &Fit) -> bool {
    /// Than the time of a value: then nobody sampled.
    const MOST_LONGER: f64 = 3.0;
    /// Of the slope, and of the step; and in units of the noise.
    const SLACK: (f64, f64, f64) = (0.25, 0.1, 3.0);
    let (last, first) = (&bins[after.first - 1], &bins[after.first]);
    let across_s = first.interval.end.seconds_since(last.interval.end);
    let usual_s = last.interval.end.seconds_since(last.interval.begin);
    if before.slope * after.slope <= 0.0 || across_s <= MOST_LONGER * usual_s {
        return false;
    }
    let expected = before.slope * across_s / usual_s;
    let off = after.at(after.first) - before.at(before.end - 1) - expected;
    let noise = SLACK.2 * before.usual_noise.max(after.usual_noise);
    (after.slope - before.slope).abs() <= SLACK.0 * before.slope.abs()
        && off.abs() <= noise.max(SLACK.1 * expected.abs())
}

/// The first of the last values, too few for a stretch, if these are back at the level before the last change.
fn came_back(bins: &[Bin], before: &Fit, after: &Fit) -> Option<usize> {
    /// In units of the noise: a single value that is nearer to the level before isn't one of the new level.
    const FAR: f64 = 4.0;
    let (was, is) = (before.stretch.ends.1, after.stretch.ends.0);
    let is_back = |bin: &&Bin| (bin.value - was).abs() < (bin.value - is).abs();
    let num_back = bins.iter().rev().take_while(is_back).count();
    let is_certain = num_back as f64 * (is - was).abs() >= FAR * after.noise;
    if num_back == 0
        || num_back >= after.end - after.first
        || before.is_line()
        || after.is_line()
        || !is_certain
    {
        return None;
    }
    Some(bins.len() - num_back)
}

/// So many values have a median that says what they are, whatever their spread.
const LEAST_SETTLED: usize = 12;
/// Of a level: fewer values with such a spread are at no level.
const LARGE_NOISE: f64 = 0.5;

/// Of the deviation of all values: most have no less.
const LEAST_OF_NOISE: f64 = 0.3;

/// A stretch with its values as they are.
pub(super) struct Fit {
    first: usize,
    end: usize,
    middle: f64,
    /// Per value.
    slope: f64,
    noise: f64,
    /// Of most values: means of samples on both sides of a change, which may be among these, don't count.
    pub(super) usual_noise: f64,
    pub(super) stretch: Stretch,
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
        let level = Stretch { shape, ends: (middle, middle), slope: 0.0, scattered };
        // A line that misses the values at its ends isn't said.
        let is_line = piece.is_sloped && !piece.is_mixed;
        let stretch = if is_line && fits_ends(&values, (middle, slope), noise) {
            let end = |side: f64| (middle + side * slope * centre).clamp(low, high);
            let slope = if seconds > 0.0 { slope / seconds } else { 0.0 };
            Stretch { shape: Shape::Line, ends: (end(-1.0), end(1.0)), slope, scattered: None }
        } else if piece.is_sloped {
            let middle = median(values.clone());
            Stretch { ends: (middle, end_of_way(&values, (middle, slope), noise).unwrap_or(middle)), ..level }
        } else {
            level
        };
        Fit { first: piece.first, end: piece.end, middle, slope, noise, usual_noise, stretch }
    }

    fn is_line(&self) -> bool {
        self.stretch.shape == Shape::Line
    }

    fn at(&self, place: usize) -> f64 {
        self.middle + self.slope * (place as f64 - (self.first + self.end - 1) as f64 / 2.0)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    /// Where the first value after it begins, also if that is within a mean of several.
    #[test]
    fn a_change_within_a_mean_is_found_there() {
        let second = |at: usize| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND);
        for num_samples in [1, 2, 3] {
            for begin in 300..312 {
                let mut random = noise(5);
                let values: Vec<f64> = (0..900)
                    .map(|at| if (begin..begin + 200).contains(&at) { 98.0 } else { 12.0 } + random())
                    .collect();
                let bins: Vec<Bin> = (0..900 / num_samples)
                    .map(|at| {
                        let (first, end) = (at * num_samples, (at + 1) * num_samples);
                        let value = values[first..end].iter().sum::<f64>() / num_samples as f64;
                        Bin {
                            interval: Interval { begin: second(first), end: second(end) },
                            value,
                            num_samples,
                            is_alone: false,
                        }
                    })
                    .collect();
                let turns = turns(&bins, 0.01).expect("it varies");
                // A value is about the second that ends with it, so it begins with the one before.
                let found: Vec<Timestamp> = turns.iter().map(|turn| turn.at).collect();
                let expected = [second(begin), second(begin + 200)];
                assert_eq!(found, expected, "{num_samples} {begin}");
                assert_eq!(turns[0].until.map(|until| until.0), Some(expected[1]));
            }
        }
    }

    fn bins(seed: u64, count: usize, course: impl Fn(usize) -> f64) -> Vec<Bin> {
        let mut random = noise(seed);
        let time = |at: usize| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND);
        let bin = |at: usize| Bin {
            interval: Interval { begin: time(at), end: time(at + 1) },
            value: course(at) + random(),
            num_samples: 1,
            is_alone: false,
        };
        (0..count).map(bin).collect()
    }

    fn stretch_median(bins: &[Bin], first: Timestamp, end: Option<Timestamp>) -> f64 {
        let is_of = |bin: &&Bin| bin.interval.end > first && end.is_none_or(|end| bin.interval.end <= end);
        median(bins.iter().filter(is_of).map(|bin| bin.value).collect())
    }

    /// A load that takes some seconds to come up, and then stays.
    #[test]
    fn a_level_is_the_median_of_its_span() {
        let mut num_found = 0;
        for seed in 1..30 {
            let load = |at: usize| match at % 150 {
                low if low < 20 => 1.0,
                at => 90.0 - 60.0 * (-(at as f64 - 20.0) / 4.0).exp(),
            };
            let bins = bins(seed, 300, load);
            let turns = turns(&bins, 0.01).expect("it varies");
            num_found += usize::from(turns.len() >= 3);
            for turn in &turns {
                let Stretch { shape, ends, .. } = turn.after;
                let expected = stretch_median(&bins, turn.at, turn.until.map(|(at, _)| at));
                let is_known = shape == Shape::Line || (ends.0 - expected).abs() < 1e-9;
                assert!(is_known, "{seed}: {ends:?} is not {expected}");
            }
        }
        assert!(num_found >= 20, "{num_found} of 29");
    }

    /// It rises ever more slowly, which no line describes, and is 40 higher then.
    #[test]
    fn what_rose_before_a_step_has_the_value_at_the_step() {
        let mut num_found = 0;
        for seed in 1..30 {
            let rise = |at: usize| 30.0 * (1.0 - (-(at as f64) / 80.0).exp());
            let bins = bins(seed, 260, |at| if at < 160 { rise(at) } else { 70.0 });
            let turns = turns(&bins, 0.01).expect("it varies");
            let Some(step) = turns.iter().find(|turn| turn.at == bins[160].interval.begin) else { continue };
            num_found += 1;
            let before = step.before.ends.1;
            assert!((before - 26.0).abs() < 2.5, "{seed}: {step:?}");
        }
        assert!(num_found >= 25, "{num_found} of 29");
    }

    #[test]
    fn a_step_is_no_slope() {
        for seed in 1..60 {
            let height = [3.0, 5.0, 8.0][seed as usize % 3];
            let bins = bins(seed, 160, |at| if at < 90 { 0.0 } else { height });
            let turns = turns(&bins, 0.01).expect("it varies");
            assert_eq!(turns.len(), 1, "{seed}: {turns:?}");
            let Turn { kind, before, after, .. } = &turns[0];
            assert!(
                *kind == TurnKind::Step && ![before.shape, after.shape].contains(&Shape::Line),
                "{seed}: {turns:?}"
            );
            assert!((after.ends.0 - before.ends.1 - height).abs() < 0.8, "{seed}: {turns:?}");
        }
    }

    /// It is back for the last three values, which are too few for a change.
    #[test]
    fn what_came_back_at_the_end_does_not_last() {
        for seed in 1..30 {
            let bins = bins(seed, 163, |at| if (90..160).contains(&at) { 8.0 } else { 0.0 });
            let turns = turns(&bins, 0.01).expect("it varies");
            assert_eq!(turns.len(), 1, "{seed}: {turns:?}");
            assert_eq!(turns[0].until.map(|(at, _)| at), Some(bins[160].interval.begin), "{seed}: {turns:?}");
        }
        let lasts =
            turns(&self::bins(3, 160, |at| if at >= 90 { 8.0 } else { 0.0 }), 0.01).expect("it varies");
        assert_eq!(lasts[0].until, None);
    }

    /// It goes up and down at no regular times: what is said of a time is so for nearly all of it.
    #[test]
    fn a_level_holds_for_its_time() {
        for seed in 1..30 {
            let mut random = noise(seed);
            let mut places = vec![0];
            while places[places.len() - 1] < 600 {
                places.push(places[places.len() - 1] + 8 + (20.0 * random().abs()) as usize);
            }
            let is_high = |at: usize| places.iter().filter(|place| **place <= at).count() % 2 == 0;
            let bins = bins(seed, 600, |at| if is_high(at) { 92.0 } else { 18.0 });
            for turn in turns(&bins, 0.01).expect("it varies") {
                let is_of = |bin: &&Bin| {
                    bin.interval.end > turn.at
                        && turn.until.is_none_or(|(until, _)| bin.interval.end <= until)
                };
                let values: Vec<f64> = bins.iter().filter(is_of).map(|bin| bin.value).collect();
                let (from, to) = (turn.before.ends.1, turn.after.ends.0);
                let num_back =
                    values.iter().filter(|value| (*value - from).abs() < (*value - to).abs()).count();
                assert!(10 * num_back <= values.len(), "{seed}: {num_back} of {}: {turn:?}", values.len());
            }
        }
    }

    /// A disk that begins to fill, in whole percent.
    #[test]
    fn equal_stairs_are_one_steady_fall() {
        let time = |at: usize| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND);
        let interval = |at: usize| Interval { begin: time(at), end: time(at + 1) };
        let free = |at: usize| (90.5 - (at as f64 - 200.0).max(0.0) / 400.0 * 10.0).floor();
        let bins: Vec<Bin> = (0..600)
            .map(|at| Bin { interval: interval(at), value: free(at), num_samples: 1, is_alone: false })
            .collect();
        let turns = turns(&bins, 0.01).expect("it varies");
        assert_eq!(turns.len(), 1, "{turns:?}");
        let Turn { kind, after, .. } = &turns[0];
        assert_eq!((*kind, after.shape), (TurnKind::Bend, Shape::Line));
        assert!((after.ends.0 - 90.0).abs() < 1.1 && (after.ends.1 - 80.0).abs() < 1.1, "{turns:?}");
    }

    /// Nobody sampled for a while in which it went on.
    #[test]
    fn a_line_across_a_gap_is_no_change() {
        let time = |at: usize| Timestamp(at as i64 * 60 * Timestamp::TICKS_PER_SECOND);
        for (seed, len_gap) in (1..20).flat_map(|seed| [30, 150].map(|len| (seed, len))) {
            let mut random = noise(seed);
            let places = (0..400).map(|at| if at < 200 { at } else { at + len_gap });
            let mut last = 0;
            let bins: Vec<Bin> = places
                .map(|at| {
                    let interval = Interval { begin: time(last), end: time(at + 1) };
                    last = at + 1;
                    let value = 8_000.0 - 12.0 * at as f64 + 5.0 * random();
                    Bin { interval, value, num_samples: 1, is_alone: false }
                })
                .collect();
            let turns = turns(&bins, 0.01).expect("it varies");
            assert!(turns.is_empty(), "{seed} {len_gap}: {turns:?}");
        }
    }

    #[test]
    fn stairs_are_no_steady_rise() {
        for seed in 1..30 {
            let bins = bins(seed, 240, |at| 6.0 * (at / 80) as f64);
            let turns = turns(&bins, 0.01).expect("it varies");
            assert!(turns.iter().all(|turn| turn.after.shape != Shape::Line), "{seed}: {turns:?}");
        }
    }

    #[test]
    fn a_ramp_has_the_values_at_its_ends() {
        for seed in 1..30 {
            let bins = bins(seed, 300, |at| (at as f64 - 100.0).clamp(0.0, 100.0) * 0.3);
            let turns = turns(&bins, 0.01).expect("it varies");
            let ramp = turns.iter().find(|turn| turn.after.shape == Shape::Line).expect("a ramp");
            let (from, to) = ramp.after.ends;
            let first = bins.iter().position(|bin| bin.interval.begin == ramp.at).expect("a value");
            let of_first = median(bins[first..first + 5].iter().map(|bin| bin.value).collect());
            assert!((from - of_first).abs() < 2.0 && from < 4.0, "{seed}: {turns:?}");
            assert!((to - 30.0).abs() < 3.0, "{seed}: {turns:?}");
        }
    }
}
