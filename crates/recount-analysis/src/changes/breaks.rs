//! Where one series changes.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::curves;
use super::lines::Sums;
use super::partition::{Break, LEAST, Piece, Price, pieces};
use super::plateaus;
use super::regular::is_regular;
use super::returns;
use super::scatter::{Scatter, of_differences, without_edges, without_outliers};
use super::season::{WAVES, course, periods};
use super::stairs;
use super::straight::{described, straightened};
use crate::moved::chance::{extremes, least_by_ranks, median, memory, spread, student};

/// What a series does: its stretches, and the changes between them, one fewer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parted {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) breaks: Vec<Break>,
}

/// Fewer values say nothing.
const LEAST_VALUES: usize = 2 * LEAST + 2;

/// Divides a series, all of whose values are known. Changes whose own probability is above `most` are left out.
pub(crate) fn parted(values: &[f64], most: f64) -> Option<Parted> {
    if values.len() < LEAST_VALUES {
        return None;
    }
    let calm = without_outliers(values);
    let scatter = scatter(&calm)?;
    let calm = without_edges(&calm, scatter.deviation);
    let plain = Model::of(&calm, scatter);
    // Without changes there is nothing that a regular course could explain.
    let is_cut = plain.pieces.len() > 2;
    let model = if is_cut { seasonal(&calm, &plain, scatter).unwrap_or(plain) } else { plain };
    let (pieces, breaks) = kept(&model, scatter, most);
    let (pieces, breaks) = stairs::joined(&model.sums, &pieces, &breaks);
    let (pieces, breaks) = plateaus::joined(&model.sums, (pieces, breaks));
    let (pieces, breaks) = returns::divided(&model.flat, (pieces, breaks), scatter, most);
    if is_regular(&model.sums, &pieces) {
        let whole = Piece { is_mixed: true, ..Piece::level(0, values.len()) };
        return Some(Parted { pieces: vec![whole], breaks: Vec::new() });
    }
    Some(Parted { pieces, breaks })
}

/// The noise; of a series that stands still between its steps, next to nothing.
fn scatter(calm: &[f64]) -> Option<Scatter> {
    const LEAST_SHARE: f64 = 1e-3;
    let (low, high) = extremes(calm.iter().copied());
    let height = high - low;
    if height <= 1e-12 * low.abs().max(high.abs()) {
        return None;
    }
    let found = Scatter::of(calm).unwrap_or(Scatter { deviation: 0.0, memory: 1.0 });
    let least = LEAST_SHARE * height;
    // Of next to nothing, such as the digits that a file has, the memory says nothing.
    Some(if found.deviation < least { Scatter { deviation: least, memory: 1.0 } } else { found })
}

/// A description of a series.
struct Model {
    /// Without the regular course.
    flat: Vec<f64>,
    sums: Sums,
    pieces: Vec<Piece>,
    /// In units of the noise, with what its parts cost.
    cost: f64,
}

impl Model {
    fn of(flat: &[f64], scatter: Scatter) -> Model {
        let sums = Sums::of(flat);
        let price = price(flat.len(), scatter);
        let (pieces, cost) = pieces(&sums, flat.len(), price);
        Model { flat: flat.to_vec(), sums, pieces, cost }
    }
}

impl Model {
    /// The median of what is left of a value.
    fn usual_rest(&self) -> f64 {
        let levels = fitted(&self.sums, &self.pieces);
        let mean = self.flat.iter().sum::<f64>() / self.flat.len().max(1) as f64;
        median(self.flat.iter().zip(levels).map(|(value, level)| (value - mean - level).abs()).collect())
    }
}

/// As the Schwarz criterion, with the noise as it adds up over correlated values: two figures per stretch, and a third per slope.
fn price(num_values: usize, scatter: Scatter) -> Price {
    let unit = scatter.power() * (num_values as f64).ln();
    Price { piece: 3.0 * unit, slope: 1.5 * unit }
}

/// A description with a regular course, if it is better by more than it costs.
fn seasonal(calm: &[f64], plain: &Model, scatter: Scatter) -> Option<Model> {
    /// Of what stretches alone leave.
    const MOST_LEFT: f64 = 1.5;
    let unit = scatter.power() * (calm.len() as f64).ln();
    let mut best: Option<Model> = None;
    for (period, num_waves) in periods(calm).into_iter().flat_map(|period| WAVES.map(|waves| (period, waves)))
    {
        let mut levels = vec![0.0; calm.len()];
        let mut model = None;
        // The course is that of what the stretches leave, and the stretches are those of what the course leaves.
        for _ in 0..3 {
            let rest: Vec<f64> = calm.iter().zip(&levels).map(|(value, level)| value - level).collect();
            let Some(course) = course(&rest, period, num_waves) else { break };
            let flat: Vec<f64> = calm.iter().zip(&course).map(|(value, course)| value - course).collect();
            let found = Model::of(&flat, scatter);
            levels = fitted(&found.sums, &found.pieces);
            model = Some(found);
        }
        let Some(mut model) = model else { continue };
        model.cost += (2 * num_waves + 1) as f64 * unit;
        if best.as_ref().is_none_or(|best| model.cost < best.cost) {
            best = Some(model);
        }
    }
    // It describes most values, not only those of an event with much noise of its own.
    let is_of_most = |model: &Model| model.usual_rest() <= MOST_LEFT * plain.usual_rest();
    // A course that takes more stretches than there are without it explains nothing.
    let is_simpler = |model: &Model| model.pieces.len() <= plain.pieces.len();
    best.filter(|model| model.cost < plain.cost && is_simpler(model) && is_of_most(model))
}

/// The stretches' levels and lines, value by value.
fn fitted(sums: &Sums, pieces: &[Piece]) -> Vec<f64> {
    let mut levels = Vec::new();
    for piece in pieces {
        let line = sums.line(piece.first, piece.end);
        let centre = (piece.first + piece.end - 1) as f64 / 2.0;
        let slope = if piece.is_sloped { line.slope } else { 0.0 };
        levels.extend((piece.first..piece.end).map(|at| line.middle + slope * (at as f64 - centre)));
    }
    levels
}

/// The changes that aren't chance: the least sure one is taken out until all are sure.
fn kept(model: &Model, scatter: Scatter, most: f64) -> (Vec<Piece>, Vec<Break>) {
    /// Of neighbours: noise that wanders looks like curves.
    const MOST_MEMORY: f64 = 2.0;
    let price = price(model.flat.len(), scatter);
    let mut pieces = straightened(&model.sums, &model.pieces, price);
    if scatter.memory <= MOST_MEMORY {
        pieces = curves::joined(&model.sums, &pieces);
    }
    loop {
        let breaks: Vec<Break> =
            pieces.windows(2).map(|pair| tested(model, pair[0].tail(), pair[1].head(), scatter)).collect();
        let Some(worst) =
            (0..breaks.len()).max_by(|a, b| breaks[*a].probability.total_cmp(&breaks[*b].probability))
        else {
            return (pieces, breaks);
        };
        if breaks[worst].probability <= most {
            return (pieces, breaks);
        }
        let (before, after) = (pieces[worst], pieces[worst + 1]);
        let whole = |first: usize| described(&model.sums, first, after.end, price);
        let joined = match before.curve {
            Some(curve) if after.curve.is_none() => before.with_tail(whole(curve.first_of_tail)),
            _ => whole(before.first),
        };
        pieces.splice(worst..worst + 2, [joined]);
    }
}

/// Whether two stretches are better than one line through both: an F-test with independent values.
fn tested(model: &Model, before: Piece, after: Piece, scatter: Scatter) -> Break {
    /// Of the noise: what is less has no memory that matters.
    const NOTHING: f64 = 0.3;
    let (first, at, end) = (before.first, after.first, after.end);
    let rest: Vec<f64> = {
        let lines = fitted(&model.sums, &[before, after]);
        let mean = model.flat.iter().sum::<f64>() / model.flat.len() as f64;
        model.flat[first..end].iter().zip(lines).map(|(value, line)| value - mean - line).collect()
    };
    let (left, right) = rest.split_at(at - first);
    let memory_of = |part: &[f64]| {
        if spread(part, 0.0) < NOTHING * scatter.deviation { 1.0 } else { memory(&clipped(part)) }
    };
    // Short stretches say little of it.
    let memory = memory_of(left).max(memory_of(right)).max(scatter.memory);
    let count = (end - first) as f64 / memory;
    let num_figures = 2.0 + f64::from(u8::from(before.is_sloped)) + f64::from(u8::from(after.is_sloped));
    let joint = model.sums.line(first, end);
    let (about_joint, joint_figures) =
        if num_figures > 2.0 { (joint.about_slope, 2.0) } else { (joint.about_level, 1.0) };
    let squares = |part: &[f64]| part.iter().map(|value| value * value).sum::<f64>();
    let apart = squares(left) + squares(right);
    // The noise without the few values that a stretch may have beside it. The shorter one decides where the line bends: if it is
    // the noisier one, its own noise counts.
    let noise = |part: &[f64]| spread(part, 0.0).powi(2);
    let (of_left, of_right) = (noise(left), noise(right));
    let pooled = (of_left * left.len() as f64 + of_right * right.len() as f64) / (end - first) as f64;
    let variance = pooled.max(if left.len() < right.len() { of_left } else { of_right });
    let freedom = (count - num_figures - 1.0).max(1.0);
    let gain = (about_joint - apart).max(0.0) / memory;
    let floor = 1e-12 * about_joint / (end - first) as f64;
    let num_more = num_figures - joint_figures;
    let ratio = gain / num_more / variance.max(floor).max(f64::MIN_POSITIVE);
    let by_size = FisherSnedecor::new(num_more, freedom).map_or(1.0, |distribution| distribution.sf(ratio));
    let num_places = (count - 2.0 * LEAST as f64 / memory).max(1.0);
    // Without noise there is nothing to measure a change by.
    let by_ranks = if variance <= floor {
        least_by_ranks(left.len() as f64 / memory, right.len() as f64 / memory)
    } else {
        0.0
    };
    // Where a stretch begins and where it ends were both chosen.
    let by_size = (by_size * num_places * num_places).max(by_ranks).min(1.0);
    let probability = by_leap(model, (before, after), count).map_or(by_size, |by_leap| by_size.min(by_leap));
    Break { at, between: between(&model.sums, before, after, scatter), probability }
}

/// The probability of a step by chance if neighbours are so much alike that stretches are hardly more than an independent value each: then
/// a series goes on from where it is, and what counts is how far it went at once, beside how far it goes else. `None` if there are enough
/// independent values, or if it is no step.
fn by_leap(model: &Model, (before, after): (Piece, Piece), num_independent: f64) -> Option<f64> {
    const ENOUGH: f64 = 12.0;
    /// Of the distance of both levels: what is over so slowly is a wave.
    const SHARE: f64 = 0.6;
    /// In units of the way that it goes else: bursts aren't drift.
    const FAR: f64 = 20.0;
    /// Sums of five have fewer outliers than single values.
    const FREEDOM: f64 = 6.0;
    if num_independent >= ENOUGH {
        return None;
    }
    let at = after.first;
    let (left, right) = (&model.flat[before.first..at], &model.flat[at..after.end]);
    let middle = |values: &[f64]| median(values.to_vec());
    let leap = middle(&right[..LEAST]) - middle(&left[left.len() - LEAST..]);
    // What drifts may look like a line before or after its leap.
    let height = if before.is_sloped || after.is_sloped {
        across(&model.sums, before, after)
    } else {
        middle(right) - middle(left)
    };
    // As a walk at random goes in so many steps.
    let usual = of_differences(&model.flat, 1) * (LEAST as f64).sqrt();
    let is_clear = leap / height >= SHARE && leap.abs() >= FAR * usual;
    (usual > 0.0 && is_clear)
        .then(|| (2.0 * model.flat.len() as f64 * student(leap / usual, FREEDOM)).min(1.0))
}

/// How far it is from the end of one stretch to the begin of the next, or from one middle to the other, whichever is more.
fn across(sums: &Sums, before: Piece, after: Piece) -> f64 {
    let [end, begin] = [(before, 0.5), (after, -0.5)].map(|(piece, side)| {
        let line = sums.line(piece.first, piece.end);
        let slope = if piece.is_sloped { line.slope } else { 0.0 };
        line.middle + side * slope * (piece.end - piece.first) as f64
    });
    let middles = sums.line(after.first, after.end).middle - sums.line(before.first, before.end).middle;
    if (begin - end).abs() > middles.abs() { begin - end } else { middles }
}

/// What a stretch leaves, without the height of the few values beside it: how a load comes up isn't the memory of its noise.
fn clipped(rest: &[f64]) -> Vec<f64> {
    const FURTHEST: f64 = 3.0;
    let most = FURTHEST * spread(rest, 0.0);
    rest.iter().map(|value| value.clamp(-most, most)).collect()
}

/// The places that are nearly as good.
fn between(sums: &Sums, before: Piece, after: Piece, scatter: Scatter) -> (usize, usize) {
    /// In units of the noise: a place that is worse by more is right once in 20 times at most.
    const SLACK: f64 = 6.0;
    let about = |piece: Piece, first: usize, end: usize| {
        let line = sums.line(first, end);
        if piece.is_sloped { line.about_slope } else { line.about_level }
    };
    let cost = |at: usize| about(before, before.first, at) + about(after, at, after.end);
    let at = after.first;
    let most = cost(at) + SLACK * scatter.power();
    let (low, high) = (before.first + LEAST, after.end - LEAST);
    let first = (low..at).rev().take_while(|place| cost(*place) <= most).last().unwrap_or(at);
    let last = (at + 1..=high).take_while(|place| cost(*place) <= most).last().unwrap_or(at);
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    fn places(values: &[f64]) -> Vec<usize> {
        parted(values, 0.01).map_or_else(Vec::new, |found| found.breaks.iter().map(|at| at.at).collect())
    }

    fn series(seed: u64, count: usize, course: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut random = noise(seed);
        (0..count).map(|at| course(at) + random()).collect()
    }

    fn is_near(found: &[usize], expected: &[usize], margin: usize) -> bool {
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= margin)
    }

    #[test]
    fn steps_are_found_where_they_are() {
        for seed in 1..20 {
            let values =
                series(seed, 400, |at| [0.0, 6.0, 3.0][usize::from(at >= 150) + usize::from(at >= 290)]);
            let found = places(&values);
            assert!(is_near(&found, &[150, 290], 2), "{seed}: {found:?}");
        }
    }

    /// Free memory: something large starts and ends at no regular times, and in between it drifts.
    #[test]
    fn leaps_of_a_counter_that_drifts_are_changes() {
        let begins = [40, 95, 170, 188, 260, 345, 390, 470];
        let mut num_right = 0;
        for seed in 1..20 {
            let mut random = noise(seed);
            let mut drift = 0.0;
            let values: Vec<f64> = (0..560)
                .map(|at| {
                    drift = 0.98 * drift + 30.0 * random();
                    let is_low = begins.iter().filter(|begin| **begin <= at).count() % 2 == 1;
                    drift + if is_low { 4_500.0 } else { 8_900.0 }
                })
                .collect();
            num_right += usize::from(is_near(&places(&values), &begins, 1));
        }
        assert_eq!(num_right, 19);
    }

    /// A walk at random goes far, but never at once.
    #[test]
    fn drift_alone_has_few_changes() {
        let mut num_found = 0;
        for seed in 1..60 {
            let mut random = noise(seed);
            let mut drift = 0.0;
            let values: Vec<f64> = (0..400)
                .map(|_| {
                    drift += random();
                    drift
                })
                .collect();
            num_found += usize::from(!places(&values).is_empty());
        }
        assert!(num_found <= 6, "{num_found} of 59 series");
    }

    #[test]
    fn noise_with_a_memory_has_no_changes() {
        let mut num_found = 0;
        for seed in 1..60 {
            let mut random = noise(seed);
            let mut value = 0.0;
            let values: Vec<f64> = (0..400)
                .map(|_| {
                    value = 0.7 * value + random();
                    value
                })
                .collect();
            num_found += places(&values).len();
        }
        assert!(num_found <= 1, "{num_found} in 59 series");
    }

    /// A queue: half of all differences are the same.
    #[test]
    fn whole_numbers_with_a_memory_have_no_changes() {
        let mut num_found = 0;
        for seed in 1..60 {
            let mut random = noise(seed);
            let mut length = 3.0_f64;
            let queue: Vec<f64> = (0..400)
                .map(|_| {
                    let (come, gone) = ((1.0 + random()).round(), (1.25 + random()).round());
                    length = (length + come.max(0.0) - gone.max(0.0)).max(0.0);
                    length
                })
                .collect();
            num_found += usize::from(!places(&queue).is_empty());
        }
        assert!(num_found <= 5, "{num_found} of 59 series");
    }

    #[test]
    fn outliers_trends_and_seasons_are_no_changes() {
        let spikes = series(2, 400, |at| if at % 90 == 30 { 50.0 } else { 0.0 });
        assert_eq!(places(&spikes), [0; 0]);
        let trend = series(3, 400, |at| 0.2 * at as f64);
        assert_eq!(places(&trend), [0; 0]);
        let season = series(4, 400, |at| 5.0 * (at as f64 / 9.0).sin());
        assert_eq!(places(&season), [0; 0]);
        let step_in_season =
            series(5, 400, |at| 4.0 * (at as f64 / 7.0).sin() + if at >= 230 { 9.0 } else { 0.0 });
        let found = places(&step_in_season);
        assert!(is_near(&found, &[230], 2), "{found:?}");
    }

    #[test]
    fn a_ramp_has_a_begin_and_an_end() {
        let values = series(6, 400, |at| (at as f64 - 120.0).clamp(0.0, 150.0) * 0.2);
        let found = parted(&values, 0.01).expect("it varies");
        assert!(is_near(&[found.breaks[0].at, found.breaks[1].at], &[120, 270], 20), "{found:?}");
        assert_eq!(
            found.pieces.iter().map(|piece| piece.is_sloped).collect::<Vec<_>>(),
            [false, true, false]
        );
    }

    #[test]
    fn a_ramp_without_noise_is_found() {
        for digits in [1.0, 10.0, 100.0] {
            let ramp = |at: usize| 10.0 + 0.2 * (at as f64 - 100.0).clamp(0.0, 200.0);
            let values: Vec<f64> = (0..400).map(|at| (digits * ramp(at)).round() / digits).collect();
            assert!(is_near(&places(&values), &[100, 300], 3), "{digits}: {:?}", places(&values));
        }
    }

    #[test]
    fn what_stands_still_between_steps_is_found_to_the_value() {
        let values: Vec<f64> = (0..200).map(|at| f64::from(u8::from((60..90).contains(&at)))).collect();
        assert_eq!(places(&values), [60, 90]);
        assert_eq!(parted(&[7.0; 100], 0.01), None);
        assert_eq!(parted(&values[..10], 0.01), None);
    }

    #[test]
    fn jobs_at_regular_distances_are_no_changes() {
        let jobs = series(9, 400, |at| if at % 47 < 6 { 20.0 } else { 0.0 });
        assert_eq!(places(&jobs), [0; 0]);
        // Twice isn't often enough to be regular.
        let jobs = series(9, 120, |at| if at % 47 < 6 { 20.0 } else { 0.0 });
        assert!(!places(&jobs).is_empty());
    }

    #[test]
    fn the_ends_are_no_changes() {
        let ends = series(8, 300, |at| if (3..297).contains(&at) { 0.0 } else { 20.0 });
        assert_eq!(places(&ends), [0; 0]);
    }
}
