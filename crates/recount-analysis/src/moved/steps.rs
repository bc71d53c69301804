//! Steps from a stretch of values to the next one, as change points have them: smaller than what a single value shows, or to
//! a level that there was earlier, too.

use std::ops::Range;

use super::chance::{median, spread};
use crate::changes::breaks::{Parted, parted};
use crate::changes::lines::Sums;
use crate::changes::partition::{LEAST, Piece};
use crate::changes::scatter::Scatter;

/// A step. Places are those of the values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The stretch before it.
    pub(super) before: Range<usize>,
    pub(super) after: Range<usize>,
    /// The earliest and the latest place where it may have been.
    pub(super) onset: (usize, usize),
    /// Whether it is known to a few values how long the stretch is.
    pub(super) is_rough: bool,
    /// Medians of both.
    pub(super) from: f64,
    pub(super) to: f64,
    /// In units of the noise of both.
    pub(super) effect: f64,
    /// Of such a step by chance, not corrected for the number of counters.
    pub(super) probability: f64,
    /// The earlier stretches at the same level.
    pub(super) earlier: Vec<Range<usize>>,
}

/// A step that isn't less likely may be chance.
const MOST: f64 = 1e-3;
/// The least step, in units of the noise.
const LEAST_EFFECT: f64 = 1.0;
/// Of the height of a step: a level that is nearer is the same.
const SAME: f64 = 0.25;

/// The largest step that is in the values from `first` on, none of which are missing, or right before them.
pub(super) fn step(values: &[f64], first: usize) -> Option<Step> {
    let first = first.saturating_sub(LEAST.min(first / 8));
    if !may_have_one(values, first) {
        return None;
    }
    let parted = parted(values, MOST)?;
    let levels: Vec<(f64, f64)> = parted.pieces.iter().map(|piece| level(values, *piece)).collect();
    let found = (1..parted.pieces.len())
        // A second step in the span often leads back.
        .filter(|at| parted.pieces[*at].first >= first && parted.pieces[*at - 1].first < first)
        .filter_map(|at| found(&parted, &levels, at).filter(|step| is_sharp(values, step)));
    let weight = |step: &Step| (step.to - step.from).abs() * (step.after.len() as f64).sqrt();
    found.max_by(|a, b| weight(a).total_cmp(&weight(b)))
}

/// The median of a stretch, and the spread about it.
fn level(values: &[f64], piece: Piece) -> (f64, f64) {
    let values = &values[piece.first..piece.end];
    let middle = median(values.to_vec());
    (middle, spread(values, middle))
}

/// The step to a stretch, if it is one from a level to another.
fn found(parted: &Parted, levels: &[(f64, f64)], at: usize) -> Option<Step> {
    let (before, after) = (parted.pieces[at - 1], parted.pieces[at]);
    let ((from, noise_before), (to, noise_after)) = (levels[at - 1], levels[at]);
    let is_line = |piece: Piece| piece.is_sloped && !piece.is_mixed;
    let effect = (to - from) / noise_before.max(noise_after).max(f64::MIN_POSITIVE);
    if is_line(before) || is_line(after) || effect.abs() < LEAST_EFFECT {
        return None;
    }
    // If it goes on in the same direction, this is only a part of the way.
    let next = levels.get(at + 1).map(|(next, _)| *next);
    if next.is_some_and(|next| (next - to) * effect.signum() > SAME * (to - from).abs()) {
        return None;
    }
    let (begin, end) = (parted.breaks[at - 1], parted.breaks.get(at));
    let width = |between: (usize, usize)| between.1 - between.0;
    let num_unsure = width(begin.between) + end.map_or(0, |end| width(end.between));
    let is_same = |place: &usize| (levels[*place].0 - to).abs() <= SAME * (to - from).abs();
    let range = |piece: Piece| piece.first..piece.end;
    Some(Step {
        before: range(before),
        after: range(after),
        onset: begin.between,
        is_rough: 10 * num_unsure > after.end - after.first,
        from,
        to,
        effect,
        probability: begin.probability,
        earlier: (0..at - 1).filter(is_same).map(|place| range(parted.pieces[place])).collect(),
    })
}

/// Whether most of a step is where it is said to be: a wave goes up and down, too, but slowly.
fn is_sharp(values: &[f64], step: &Step) -> bool {
    const SHARE: f64 = 0.4;
    /// If there were several levels before: that it goes up and down is usual then.
    const SHARE_OF_SEVERAL: f64 = 0.6;
    let least = if step.before.start > 0 { SHARE_OF_SEVERAL } else { SHARE };
    let at = step.after.start;
    let near = |values: &[f64]| median(values.to_vec());
    let by = near(&values[at..at + LEAST]) - near(&values[at - LEAST..at]);
    by / (step.to - step.from) >= least
}

/// Whether the means of some values on both sides of a place differ so much that a step is worth looking for, which takes longer.
fn may_have_one(values: &[f64], first: usize) -> bool {
    /// In errors of the difference.
    const FAR: f64 = 4.0;
    let Some(scatter) = Scatter::of(values) else { return true };
    let sums = Sums::of(values);
    let is_far = |at: usize, width: usize| {
        let (left, right) = (at.saturating_sub(width), (at + width).min(values.len()));
        let by = sums.line(at, right).middle - sums.line(left, at).middle;
        let error = scatter.memory * (1.0 / (at - left) as f64 + 1.0 / (right - at) as f64);
        by.abs() >= FAR * scatter.deviation * error.sqrt()
    };
    let widths = || {
        std::iter::successors(Some(LEAST), |width| Some(2 * width)).take_while(|width| *width < values.len())
    };
    let places = first.max(LEAST)..=values.len().saturating_sub(LEAST);
    places.into_iter().any(|at| widths().any(|width| is_far(at, width)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    fn correlated(seed: u64, count: usize, by: f64, course: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut random = noise(seed);
        let mut value = 0.0;
        (0..count)
            .map(|at| {
                value = by * value + (1.0 - by * by).sqrt() * random();
                course(at) + value
            })
            .collect()
    }

    /// Four and five deviations of correlated noise, for 50 values.
    #[test]
    fn a_step_within_the_noise_is_found() {
        let mut num_found = 0;
        for seed in 1..=30 {
            let height = 4.0 + f64::from(seed as u32 % 2);
            let values = correlated(seed, 260, 0.5, |at| if (205..255).contains(&at) { height } else { 0.0 });
            let Some(step) = step(&values, 200) else { continue };
            num_found += 1;
            assert!(step.after.start.abs_diff(205) <= 4, "{seed}: {step:?}");
            assert!(step.to - step.from > 2.0 && step.earlier.is_empty(), "{seed}: {step:?}");
        }
        assert!(num_found >= 26, "{num_found} of 30");
    }

    #[test]
    fn noise_has_no_step() {
        let num_found =
            (1..=200).filter(|seed| step(&correlated(*seed, 250, 0.8, |_| 0.0), 200).is_some()).count();
        assert!(num_found <= 1, "{num_found} of 200");
    }

    /// Two load runs, and a third one in the span.
    #[test]
    fn a_level_that_was_there_earlier_is_known() {
        let course = |at: usize| if at % 110 < 10 { 3.0 } else { 88.0 };
        let values = correlated(3, 330, 0.3, course);
        let step = step(&values, 230).expect("it rose");
        assert_eq!((step.before, step.after.clone()), (220..230, 230..330));
        assert_eq!(step.earlier, [10..110, 120..220]);
    }
}
