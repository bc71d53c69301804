//! When a series was at another level: the runs of values that fit this level better than what was usual before.

use std::ops::Range;

use super::chance::{mean, median};

/// The runs of values at another level.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Runs {
    /// In order, none of them empty. If one has nearly all of the values, the others are left out.
    pub(super) runs: Vec<Range<usize>>,
    /// The earliest and the latest place at which the first of them may have begun.
    pub(super) onset: (usize, usize),
}

/// What is known of the values before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usual {
    /// How many of them say as much as one independent value.
    pub(super) memory: f64,
    /// Whether the first of the values is one of them.
    pub(super) is_first: bool,
}

/// Two levels: what was usual is zero, with a spread of one.
struct Levels {
    height: f64,
    /// The mean distance from the height.
    spread: f64,
}

/// Of the height of a level: what is nearer to the usual one isn't of it.
const BEYOND: f64 = 0.5;

/// The mean distance of normal values from their middle.
const USUAL_SPREAD: f64 = 0.8;

impl Levels {
    /// From values at the other level.
    fn of(values: &[f64]) -> Levels {
        let height = median(values.to_vec());
        let distances: Vec<f64> = values.iter().map(|value| (value - height).abs()).collect();
        let least = USUAL_SPREAD / 4.0;
        Levels { height, spread: mean(&distances).clamp(least, (height / 2.0).max(least)) }
    }

    /// How much better a value fits the other level: the logarithm of the ratio of Laplace's densities. What is beyond a level
    /// is of this level. What is nearer to the usual level, and further from the other one than its values mostly are, isn't of it: it
    /// may be of a third one.
    fn gain(&self, value: f64) -> f64 {
        const MOST: f64 = 30.0;
        /// In mean distances: of 50 values, one is that far away.
        const FAR: f64 = 4.0;
        let value = value.clamp(0.0, self.height.max(0.0));
        let usual = value / USUAL_SPREAD + USUAL_SPREAD.ln();
        let other = (self.height - value) / self.spread + self.spread.ln();
        let of_half = (value - BEYOND * self.height) / self.spread;
        let is_of_third = of_half < 0.0 && self.height - value > FAR * self.spread;
        let most = if is_of_third { of_half } else { MOST };
        (usual - other).min(most).clamp(-MOST, MOST)
    }
}

impl Runs {
    /// The same of values of which there are more at the begin.
    pub(super) fn moved(self, by: usize) -> Runs {
        let runs = self.runs.into_iter().map(|run| run.start + by..run.end + by).collect();
        Runs { runs, onset: (self.onset.0 + by, self.onset.1 + by) }
    }
}

/// The runs of values at the level of those in `event` that reach to `from` or beyond. Values are distances from what was usual, in
/// units of the spread before, in the direction of the event; NaN: no value. Values missing in a run don't end it.
pub(super) fn runs(values: &[f64], event: Range<usize>, from: usize, usual: Usual) -> Option<Runs> {
    const ROUNDS: usize = 3;
    let known: Vec<(usize, f64)> =
        values.iter().copied().enumerate().filter(|(_, value)| !value.is_nan()).collect();
    let cost = cost(usual.memory);
    let mut at_level: Vec<f64> = values[event].iter().copied().filter(|value| !value.is_nan()).collect();
    let height = median(at_level.clone());
    at_level.retain(|value| *value >= BEYOND * height);
    let mut found: (Vec<Range<usize>>, Vec<f64>) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        if at_level.is_empty() {
            return None;
        }
        let levels = Levels::of(&at_level);
        if levels.height <= 0.0 {
            return None;
        }
        let gains: Vec<f64> = known.iter().map(|(_, value)| levels.gain(*value)).collect();
        let runs = trimmed(divided(&gains, cost, usual.is_first), &gains);
        at_level = runs.iter().flat_map(|run| known[run.clone()].iter().map(|(_, value)| *value)).collect();
        found = (runs, gains);
    }
    let (runs, gains) = found;
    let main = main(runs.into_iter().filter(|run| known[run.end - 1].0 >= from).collect());
    let (first, last) = onset(&gains, main.first()?, cost);
    Some(Runs {
        runs: main.iter().map(|run| known[run.start].0..known[run.end - 1].0 + 1).collect(),
        onset: (known[first].0, known[last].0),
    })
}

/// What it costs to go from one level to the other, as a logarithm of a probability: values that are alike for a while aren't as many
/// independent ones.
fn cost(memory: f64) -> f64 {
    const OF_ONE: f64 = 4.0;
    const MOST: f64 = 3.0;
    OF_ONE * memory.sqrt().clamp(1.0, MOST)
}

/// The most likely runs at the other level (Viterbi's).
fn divided(gains: &[f64], cost: f64, is_usual_at_first: bool) -> Vec<Range<usize>> {
    let (mut usual, mut other) = (0.0_f64, if is_usual_at_first { -cost } else { 0.0 });
    let mut turns: Vec<(bool, bool)> = Vec::with_capacity(gains.len());
    for gain in gains {
        turns.push((other - cost > usual, usual - cost > other));
        (usual, other) = (usual.max(other - cost), other.max(usual - cost) + gain);
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut is_other = other > usual;
    for (at, (to_usual, to_other)) in turns.into_iter().enumerate().rev() {
        match (is_other, runs.last_mut().filter(|run| run.start == at + 1)) {
            (true, Some(run)) => run.start = at,
            (true, None) => runs.push(at..at + 1),
            (false, _) => {}
        }
        is_other = if is_other { !to_other } else { to_usual };
    }
    runs.reverse();
    runs
}

/// Runs without values at their ends that fit what was usual better.
fn trimmed(runs: Vec<Range<usize>>, gains: &[f64]) -> Vec<Range<usize>> {
    let is_at_level = |at: &usize| gains[*at] > 0.0;
    let within =
        |run: Range<usize>| Some(run.clone().find(is_at_level)?..run.clone().rfind(is_at_level)? + 1);
    runs.into_iter().filter_map(within).collect()
}

/// The longest run, if the others are little beside it; else all of them.
fn main(runs: Vec<Range<usize>>) -> Vec<Range<usize>> {
    const SHARE: f64 = 0.8;
    let all: usize = runs.iter().map(ExactSizeIterator::len).sum();
    let Some(longest) = runs.iter().max_by_key(|run| run.len()) else { return runs };
    if longest.len() as f64 >= SHARE * all as f64 { vec![longest.clone()] } else { runs }
}

/// The earliest and the latest begin of a run that are nearly as likely as the one that was found.
fn onset(gains: &[f64], run: &Range<usize>, slack: f64) -> (usize, usize) {
    let near = |gain: &mut f64, by: f64| {
        *gain += by;
        Some(*gain).filter(|sum| *sum <= slack)
    };
    let earlier = gains[..run.start].iter().rev().scan(0.0, |sum, gain| near(sum, -gain)).count();
    let later = gains[run.start..run.end - 1].iter().scan(0.0, |sum, gain| near(sum, *gain)).count();
    (run.start - earlier, run.start + later)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Usual = Usual { memory: 1.0, is_first: true };

    #[test]
    fn runs_are_those_at_the_level() {
        let mut values = [0.3, -0.5].repeat(30);
        for run in [5..15, 20..30, 40..52] {
            values[run].fill(9.0);
        }
        let found = runs(&values, 5..52, 0, WHITE).expect("runs");
        assert_eq!((found.runs, found.onset), (vec![5..15, 20..30, 40..52], (5, 5)));
        // It went half of the way back, twice.
        values[15..20].fill(5.0);
        values[30..40].fill(5.0);
        assert_eq!(
            runs(&values, 5..52, 0, WHITE).map(|found| found.runs),
            Some(vec![Range { start: 5, end: 52 }])
        );
    }

    /// It is at 6, at 20, and then at 89 and 20 again.
    #[test]
    fn a_third_level_is_no_part_of_a_run() {
        let mut values = [0.0, 1.0, -1.0, 0.5].repeat(75);
        values.extend([66.0, 70.0, 73.0].repeat(10));
        let begin = values.len();
        values.extend([410.0, 418.0, 405.0, 421.0, 414.0].repeat(10));
        let end = values.len();
        values.extend([60.0, 63.0].repeat(10));
        for memory in [1.0, 9.0, 40.0] {
            let found = runs(&values, 300..values.len(), 300, Usual { memory, is_first: true });
            let found = found.expect("a run");
            let only: Vec<Range<usize>> = std::iter::once(begin..end).collect();
            assert_eq!((found.runs, found.onset), (only, (begin, begin)), "{memory}");
        }
    }

    /// What a disk discards: its values are 1 to 6 times as high as the lowest ones, all of them far from usual.
    #[test]
    fn low_values_of_a_level_that_varies_are_part_of_it() {
        let mut values = [0.0, 0.5, -0.5, 0.2].repeat(15);
        let high = [
            63.0, 126.0, 126.0, 126.0, 63.0, 126.0, 126.0, 63.0, 126.0, 62.0, 17.0, 380.0, 63.0, 312.0, 319.0,
        ];
        values.extend(high);
        let found = runs(&values, 61..75, 60, WHITE).expect("a run");
        assert_eq!((found.runs, found.onset.0), (vec![Range { start: 60, end: 75 }], 60));
    }

    /// A queue that is 16 on average has values of 0, too: as many as it has by chance are no return to what was before.
    #[test]
    fn single_values_near_the_usual_ones_do_not_end_a_noisy_run() {
        let mut values = [0.0, 1.0, -1.0, 0.5].repeat(10);
        let noisy = [9.0, 4.0, 4.0, 15.0, -1.0, 4.0, 9.0, -1.0, -1.0, 4.0, 4.0, 31.0, -1.0, 4.0, 4.0, 20.0];
        values.extend(noisy);
        values.extend([9.0, 15.0, 20.0, 9.0, 9.0, 9.0, -1.0, 9.0, 20.0, 15.0, 4.0, 9.0, -1.0, 9.0, 4.0, 9.0]);
        let found = runs(&values, 55..71, 0, WHITE).expect("a run");
        assert_eq!(found.runs, vec![Range { start: 40, end: 72 }]);
    }

    #[test]
    fn a_return_at_the_end_is_no_part_of_a_run() {
        let mut values = [0.0, 1.0, -1.0, 0.5].repeat(10);
        values.extend([9.0; 10]);
        values.extend([0.4]);
        assert_eq!(
            runs(&values, 40..51, 0, WHITE).map(|found| found.runs),
            Some(vec![Range { start: 40, end: 50 }])
        );
    }

    #[test]
    fn one_that_is_nearly_all_is_the_only_one() {
        let mut values = [0.0, 1.0, -1.0, 0.5].repeat(20);
        values[30..50].fill(20.0);
        values[60] = 20.0;
        assert_eq!(
            runs(&values, 30..50, 0, WHITE).map(|found| found.runs),
            Some(vec![Range { start: 30, end: 50 }])
        );
        values[60..70].fill(20.0);
        assert_eq!(runs(&values, 30..50, 0, WHITE).map(|found| found.runs.len()), Some(2));
    }

    #[test]
    fn an_onset_is_as_exact_as_the_values_say() {
        let mut values = [0.0, 0.5, -0.5, 0.2].repeat(10);
        values.extend([2.6, 2.4, 2.6]);
        values.extend([6.0; 10]);
        let found = runs(&values, 43..53, 0, WHITE).expect("a run");
        assert!(found.onset.0 <= 40 + 3 && found.onset.1 >= found.onset.0, "{found:?}");
        assert_eq!(runs(&[0.0; 5], 2..4, 0, WHITE), None);
    }
}
