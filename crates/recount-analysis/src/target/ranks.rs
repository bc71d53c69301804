//! Correlation of ranks, with delays.

use crate::moved::chance::{mean, student};

/// Delays that are tried, to either side, of means; of single samples there are more.
pub(super) const MAX_LAG: i32 = 5;
/// Pairs that are needed.
pub(super) const LEAST: usize = 20;
/// A delay whose correlation is less by more errors isn't the right one.
const SLACK: f64 = 2.0;

/// How two series are correlated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Correlated {
    /// Of the ranks of differences.
    pub(super) correlation: f64,
    /// Steps by which the other one is behind the first; negative: it comes first.
    pub(super) lag: i32,
    /// The least and the largest delay that fit nearly as well.
    pub(super) lags: (i32, i32),
    /// Of such a correlation by chance, at the best of all delays.
    pub(super) probability: f64,
}

/// From one value to the next; NaN where one is missing.
pub(super) fn differences(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// The correlation of ranks of the pairs of which both are known, and their number.
pub(super) fn of_ranks(one: &[f64], other: &[f64]) -> Option<(f64, usize)> {
    let pairs: Vec<(f64, f64)> = one
        .iter()
        .zip(other)
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .map(|(a, b)| (*a, *b))
        .collect();
    if pairs.len() < LEAST {
        return None;
    }
    let (a, b) = (ranks(pairs.iter().map(|pair| pair.0)), ranks(pairs.iter().map(|pair| pair.1)));
    Some((pearson(&a, &b)?, pairs.len()))
}

/// Ranks; equal values share the mean of theirs.
pub(super) fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|a, b| values[*a].to_bits() == values[*b].to_bits()) {
        let rank = first as f64 + (equal.len() as f64 - 1.0) / 2.0;
        for at in equal {
            ranks[*at] = rank;
        }
        first += equal.len();
    }
    ranks
}

fn pearson(one: &[f64], other: &[f64]) -> Option<f64> {
    let (middle, other_middle) = (mean(one), mean(other));
    let (both, first, second) = one.iter().zip(other).fold((0.0, 0.0, 0.0), |sums, (a, b)| {
        let (a, b) = (a - middle, b - other_middle);
        (sums.0 + a * b, sums.1 + a * a, sums.2 + b * b)
    });
    (first > 0.0 && second > 0.0).then(|| (both / (first * second).sqrt()).clamp(-1.0, 1.0))
}

/// The ranks of the values that are known; NaN where one is missing.
pub(super) fn ranked(values: &[f64]) -> Vec<f64> {
    let known: Vec<usize> = (0..values.len()).filter(|at| values[*at].is_finite()).collect();
    let mut ranked = vec![f64::NAN; values.len()];
    for (at, rank) in known.iter().zip(ranks(known.iter().map(|at| values[*at]))) {
        ranked[*at] = rank;
    }
    ranked
}

/// The correlation of ranks that are known, and the number of pairs.
fn of_known(one: &[f64], other: &[f64]) -> Option<(f64, usize)> {
    let pairs = one.iter().zip(other).filter(|(a, b)| a.is_finite() && b.is_finite());
    let (one, other): (Vec<f64>, Vec<f64>) = pairs.unzip();
    if one.len() < LEAST { None } else { Some((pearson(&one, &other)?, one.len())) }
}

/// The best of all delays of up to `max_lag` to either side. Both are [`ranked`].
pub(super) fn best(target: &[f64], other: &[f64], max_lag: i32) -> Option<Correlated> {
    let at = |lag: i32| {
        let by = lag.unsigned_abs() as usize;
        let (one, two) = if lag >= 0 {
            (target.get(..target.len().checked_sub(by)?)?, other.get(by..)?)
        } else {
            (target.get(by..)?, other.get(..other.len().checked_sub(by)?)?)
        };
        let (correlation, count) = of_known(one, two)?;
        let error = (1.0 - correlation * correlation) / (count as f64).sqrt();
        Some((
            Correlated { correlation, lag, lags: (lag, lag), probability: chance(correlation, count) },
            error,
        ))
    };
    // Of equal ones that without delay: it comes first.
    let all: Vec<Option<(Correlated, f64)>> = (-max_lag..=max_lag).map(at).collect();
    let at = |lag: i32| all[(lag + max_lag) as usize];
    let lags = (0..=max_lag).flat_map(|lag| [lag, -lag]);
    let (found, error) = lags.filter_map(at).reduce(|best, next| {
        if next.0.correlation.abs() > best.0.correlation.abs() + 1e-9 { next } else { best }
    })?;
    let is_near = |lag: &i32| {
        at(*lag).is_some_and(|(other, _)| {
            other.correlation * found.correlation.signum() >= found.correlation.abs() - SLACK * error
        })
    };
    let is_as_near = |lag: &i32| {
        at(*lag).is_some_and(|(other, _)| other.correlation.abs() >= found.correlation.abs() - SLACK * error)
    };
    let first = (-max_lag..found.lag).rev().take_while(is_near).last().unwrap_or(found.lag);
    let last = (found.lag + 1..=max_lag).take_while(is_near).last().unwrap_or(found.lag);
    // What comes back regularly fits at several delays.
    let is_clear = !(-max_lag..first).chain(last + 1..=max_lag).any(|lag| is_as_near(&lag));
    let (first, last) = if is_clear { (first, last) } else { (-max_lag, max_lag) };
    let num_lags = f64::from(2 * max_lag + 1);
    let probability = (found.probability * num_lags).min(1.0);
    Some(Correlated { probability, lags: (first, last), ..found })
}

/// Of such a correlation by chance, of independent pairs.
pub(super) fn chance(correlation: f64, count: usize) -> f64 {
    let freedom = count as f64 - 2.0;
    let rest = 1.0 - correlation * correlation;
    if rest <= 0.0 {
        return 0.0;
    }
    student(correlation * (freedom / rest).sqrt(), freedom)
}

/// What is left of a correlation when both follow a third.
pub(super) fn partial(both: f64, first: f64, second: f64) -> f64 {
    let rest = ((1.0 - first * first) * (1.0 - second * second)).sqrt();
    if rest <= 1e-9 { 0.0 } else { ((both - first * second) / rest).clamp(-1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(ranks([5.0, 1.0, 5.0, 9.0].into_iter()), [1.5, 0.0, 1.5, 3.0]);
        assert_eq!(ranks(std::iter::empty()), [0.0; 0]);
    }

    /// By hand: `scipy.stats.spearmanr` of 1..=20 with two neighbours exchanged is 1 - 6 * 2 / (20 * 399).
    #[test]
    fn ranks_are_correlated_as_spearman_says() {
        let one: Vec<f64> = (0..20).map(f64::from).collect();
        let mut other = one.clone();
        other.swap(3, 4);
        let (found, count) = of_ranks(&one, &other).expect("twenty pairs");
        assert!((found - (1.0 - 12.0 / 7_980.0)).abs() < 1e-12 && count == 20, "{found}");
        assert_eq!(of_ranks(&one[1..], &other[1..]), None);
    }

    fn best(target: &[f64], other: &[f64]) -> Option<Correlated> {
        super::best(&ranked(target), &ranked(other), MAX_LAG)
    }

    #[test]
    fn a_delay_is_found() {
        let mut random = noise(3);
        let target: Vec<f64> = (0..200).map(|_| random()).collect();
        let later: Vec<f64> =
            (0..200).map(|at| if at < 3 { 0.0 } else { -2.0 * target[at - 3] } + 0.1 * random()).collect();
        let found = best(&target, &later).expect("200 pairs");
        assert!(found.lag == 3 && found.correlation < -0.9 && found.probability < 1e-12, "{found:?}");
        assert_eq!(found.lags, (3, 3));
        assert_eq!(best(&later, &target).map(|found| found.lag), Some(-3));
    }

    /// A wave of eight values fits at several delays; of a slow one neighbouring delays fit nearly as well.
    #[test]
    fn the_delay_of_a_season_is_not_known_to_the_value() {
        let mut random = noise(7);
        let mut wave = |behind: f64, period: f64| -> Vec<f64> {
            (0..300)
                .map(|at| (std::f64::consts::TAU * (f64::from(at) - behind) / period).sin() + 0.05 * random())
                .collect()
        };
        let found = best(&wave(0.0, 8.0), &wave(3.0, 8.0)).expect("300 pairs");
        assert_eq!(found.lags, (-MAX_LAG, MAX_LAG), "{found:?}");
        let found = best(&wave(0.0, 90.0), &wave(2.0, 90.0)).expect("300 pairs");
        assert!(found.lags.0 <= 2 && 2 <= found.lags.1, "{found:?}");
    }

    #[test]
    fn what_a_third_explains_is_left_out() {
        assert!((partial(0.81, 0.9, 0.9)).abs() < 1e-12);
        assert!((partial(0.5, 0.0, 0.0) - 0.5).abs() < 1e-12);
        assert!(partial(1.0, 1.0, 0.5).abs() < 1e-12);
    }
}
