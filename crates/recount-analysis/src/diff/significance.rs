//! Whether two series differ by more than chance, given that their samples aren't independent.
//!
//! Samples of a counter taken a second apart are correlated, so a test that assumes independence finds
//! differences everywhere. Two established methods avoid that:
//!
//! - *Means* are compared by the method of batch means (Law and Kelton, "Simulation Modeling and Analysis",
//!   chapter 9): each series is cut into stretches long enough that their means are nearly independent, and
//!   Welch's t-test compares these means. Stretches are joined in pairs until the correlation between
//!   neighbours is low; the remaining correlation r reduces the effective number of stretches to n (1 - r) /
//!   (1 + r).
//! - *Distributions* are compared by the Kolmogorov-Smirnov test. Instead of the number of samples it uses
//!   the number of independent samples, derived from the spread of the stretches' means.
//!
//! A block bootstrap would also work, but costs a thousand times as much per series, and its result is
//! random.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::false_discovery::stepped_up;
use crate::moved::chance::{MOST_FLAT, OF_MEAN, OF_MEDIAN, least_by_ranks, student};

/// With fewer stretches there is no result.
pub(super) const MIN_BATCHES: usize = 8;
/// Initial number of stretches.
const MAX_BATCHES: usize = 64;
/// If neighbours are correlated less than this, the stretches are long enough.
const LOW: f64 = 0.2;

/// The means of a series' stretches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Batches {
    pub(super) mean: f64,
    /// Variance of the stretches' means.
    variance: f64,
    /// Effective number of stretches, reduced by their correlation.
    count: f64,
}

impl Batches {
    /// From the means of short stretches of equal length, in order, each with its number of values.
    pub(super) fn of(parts: &[(f64, u64)]) -> Option<Batches> {
        let mut means = joined(parts, parts.len().div_ceil(MAX_BATCHES));
        loop {
            if means.len() < MIN_BATCHES {
                return None;
            }
            let correlation = lag_one(&means);
            if correlation > LOW && means.len() >= 2 * MIN_BATCHES {
                means = joined(&means, 2);
                continue;
            }
            let (mean, variance) = spread(&means);
            let kept = correlation.clamp(0.0, 0.95);
            let count = (means.len() as f64 * (1.0 - kept) / (1.0 + kept)).max(2.0);
            return Some(Batches { mean, variance, count });
        }
    }

    /// To how many independent samples of this variance the mean corresponds.
    pub(super) fn independent(&self, variance: f64, num_samples: u64) -> f64 {
        let of_mean = self.variance / self.count;
        if of_mean <= 0.0 || variance <= 0.0 {
            return num_samples as f64;
        }
        (variance / of_mean).clamp(1.0, num_samples as f64)
    }
}

/// Joins neighbours, weighted by their number of values.
fn joined(parts: &[(f64, u64)], size: usize) -> Vec<(f64, u64)> {
    // Leave out the remainder: it would be shorter than the others.
    let whole = parts.chunks_exact(size.max(1));
    whole
        .map(|parts| {
            let count: u64 = parts.iter().map(|(_, count)| count).sum();
            let sum: f64 = parts.iter().map(|(mean, count)| mean * *count as f64).sum();
            (sum / count.max(1) as f64, count)
        })
        .collect()
}

fn spread(means: &[(f64, u64)]) -> (f64, f64) {
    let count = means.len() as f64;
    let mean = means.iter().map(|(mean, _)| mean).sum::<f64>() / count;
    let square: f64 = means.iter().map(|(value, _)| (value - mean) * (value - mean)).sum();
    (mean, square / (count - 1.0))
}

/// Correlation of each mean with the next.
fn lag_one(means: &[(f64, u64)]) -> f64 {
    let (mean, variance) = spread(means);
    if variance <= 0.0 {
        return 0.0;
    }
    let product: f64 = means.windows(2).map(|pair| (pair[0].0 - mean) * (pair[1].0 - mean)).sum();
    product / (variance * (means.len() - 1) as f64)
}

/// Probability of means at least this different if there were no difference: Welch's t-test, two-sided.
pub(super) fn welch(base: &Batches, new: &Batches) -> f64 {
    let difference = (new.mean - base.mean).abs();
    let (one, other) = (base.variance / base.count, new.variance / new.count);
    let error = (one + other).sqrt();
    // Rounding makes means of equal values differ in their last digits.
    if difference <= 1e-12 * base.mean.abs().max(new.mean.abs()) {
        return 1.0;
    }
    if error <= 0.0 {
        return 0.0;
    }
    let freedom = (one + other) * (one + other)
        / (one * one / (base.count - 1.0).max(1.0) + other * other / (new.count - 1.0).max(1.0));
    let Ok(distribution) = StudentsT::new(0.0, 1.0, freedom.max(1.0)) else { return 1.0 };
    2.0 * distribution.cdf(-difference / error)
}

/// Values in order, each with its number of occurrences.
pub type Sorted = [(f64, u64)];

/// How two distributions differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Largest difference of the two cumulative distributions: the Kolmogorov-Smirnov statistic.
    pub distance: f64,
    /// Cliff's delta: how much more often a new value is larger than a base value than smaller, from -1 to 1.
    pub delta: f64,
}

/// Merges both.
pub fn apart(base: &Sorted, new: &Sorted) -> Option<Apart> {
    let total = |values: &Sorted| values.iter().map(|(_, count)| *count).sum::<u64>() as f64;
    let (num_base, num_new) = (total(base), total(new));
    if num_base == 0.0 || num_new == 0.0 {
        return None;
    }
    let (mut i, mut j) = (0, 0);
    let (mut below_base, mut below_new) = (0.0, 0.0);
    let (mut distance, mut wins) = (0.0_f64, 0.0);
    while i < base.len() || j < new.len() {
        let value = match (base.get(i), new.get(j)) {
            (Some((a, _)), Some((b, _))) => a.min(*b),
            (Some((a, _)), None) => *a,
            (None, Some((b, _))) => *b,
            (None, None) => break,
        };
        let take = |values: &Sorted, at: &mut usize| {
            let mut count = 0.0;
            while let Some((_, times)) =
                values.get(*at).filter(|(other, _)| *other <= value || other.is_nan())
            {
                count += *times as f64;
                *at += 1;
            }
            count
        };
        let (of_base, of_new) = (take(base, &mut i), take(new, &mut j));
        // New values here are larger than earlier base values and smaller than later ones.
        wins += of_new * (below_base - (num_base - below_base - of_base));
        below_base += of_base;
        below_new += of_new;
        distance = distance.max((below_base / num_base - below_new / num_new).abs());
    }
    Some(Apart { distance, delta: wins / (num_base * num_new) })
}

/// Probability of at least this distance if there were no difference: Kolmogorov's limit distribution, with
/// Stephens' correction for few samples.
pub fn kolmogorov(distance: f64, base: f64, new: f64) -> f64 {
    let root = (base * new / (base + new)).sqrt();
    let lambda = (root + 0.12 + 0.11 / root) * distance;
    if lambda < 0.2 {
        return 1.0;
    }
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
        sign * (-2.0 * f64::from(k * k) * lambda * lambda).exp()
    };
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

/// Figures of one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<'a> {
    pub(super) values: &'a Sorted,
    pub(super) mean: f64,
    pub(super) deviation: f64,
    pub(super) count: f64,
    /// Independent values.
    pub(super) independent: f64,
}

/// The probability that one capture, as it varies, has the values of the other: as `moved` judges them. What has few independent
/// values, since it was at several levels, may be far from all that the other one has. `None` if there are enough of them, or both overlap.
pub(super) fn by_other(one: Of<'_>, other: Of<'_>, between: Apart) -> Option<f64> {
    const ENOUGH: f64 = 12.0;
    const LEAST_DELTA: f64 = 0.8;
    /// A counter that drifts may go on drifting, but not so many spreads far. What is so far away may be back for a part of the time.
    const FAR: f64 = 20.0;
    const FREEDOM: f64 = 4.0;
    if one.independent.min(other.independent) >= ENOUGH {
        return None;
    }
    if is_still(one.values) {
        return Some(by_ranks(one.count, other.count, between));
    }
    let (middle, spread) = middle_and_spread(one.values);
    let height = (middle_and_spread(other.values).0 - middle).abs() / spread;
    let is_apart = between.delta.abs() >= LEAST_DELTA || height >= FAR && one.independent >= ENOUGH;
    if !is_apart {
        return None;
    }
    let of_other = (other.count * one.independent / one.count).max(1.0);
    if one.independent >= ENOUGH {
        let error = one.deviation.max(spread) * (1.0 / one.independent + 1.0 / of_other).sqrt();
        return Some(student((other.mean - one.mean) / error, one.independent - 1.0));
    }
    (height >= FAR).then(|| (of_other * student(height, FREEDOM)).min(1.0))
}

/// Whether all values are the same.
fn is_still(values: &Sorted) -> bool {
    values.first().zip(values.last()).is_some_and(|(first, last)| first.0.to_bits() == last.0.to_bits())
}

/// The probability of a distance from values that are all the same: of these, more say no more.
fn by_ranks(of_base: f64, of_new: f64, between: Apart) -> f64 {
    let (of_base, of_new) = (of_base.min(MOST_FLAT.0), of_new.min(MOST_FLAT.1));
    kolmogorov(between.distance, of_base, of_new).max(least_by_ranks(of_base, of_new))
}

/// The median, and the spread about it, as [`spread`](crate::moved::chance::spread) has it.
fn middle_and_spread(values: &Sorted) -> (f64, f64) {
    let total: u64 = values.iter().map(|(_, count)| count).sum();
    let median = |values: &Sorted| {
        let mut below = 0;
        let at_half = values.iter().find(|(_, count)| {
            below += count;
            2 * below >= total
        });
        at_half.map_or(f64::NAN, |(value, _)| *value)
    };
    let middle = median(values);
    let mut distances: Vec<(f64, u64)> =
        values.iter().map(|(value, count)| ((value - middle).abs(), *count)).collect();
    distances.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let sum: f64 = distances.iter().map(|(distance, count)| distance * *count as f64).sum();
    (middle, (OF_MEAN * sum / total.max(1) as f64).max(OF_MEDIAN * median(&distances)))
}

/// Probabilities corrected for their number (Benjamini and Hochberg, 1995): of those below q, at most a share
/// q is due to chance.
pub(super) fn corrected(probabilities: &[Option<f64>]) -> Vec<Option<f64>> {
    let known: Vec<f64> = probabilities.iter().copied().flatten().collect();
    let mut corrected = stepped_up(&known, known.len() as f64).into_iter();
    probabilities.iter().map(|probability| probability.and_then(|_| corrected.next())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    /// Each value is correlated with the previous one.
    fn autoregressive(seed: u64, count: usize, memory: f64, level: f64) -> Vec<(f64, u64)> {
        let mut random = noise(seed);
        let mut value = 0.0;
        (0..count)
            .map(|_| {
                value = memory * value + random();
                (level + value, 1)
            })
            .collect()
    }

    fn sorted(values: &[(f64, u64)]) -> Vec<(f64, u64)> {
        let mut sorted = values.to_vec();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        sorted
    }

    #[test]
    fn correlated_noise_is_no_change() {
        let (mut false_means, mut naive, mut false_shapes) = (0, 0, 0);
        for seed in 0..200 {
            let one = autoregressive(2 * seed + 1, 600, 0.9, 10.0);
            let other = autoregressive(2 * seed + 2, 600, 0.9, 10.0);
            let (a, b) = (Batches::of(&one).expect("many"), Batches::of(&other).expect("many"));
            false_means += u32::from(welch(&a, &b) < 0.05);
            let variance = |values: &[(f64, u64)]| spread(values).1;
            let (n, m) = (a.independent(variance(&one), 600), b.independent(variance(&other), 600));
            let distance = apart(&sorted(&one), &sorted(&other)).expect("many").distance;
            false_shapes += u32::from(kolmogorov(distance, n, m) < 0.05);
            naive += u32::from(kolmogorov(distance, 600.0, 600.0) < 0.05);
        }
        assert!(false_means < 24, "{false_means} of 200 means");
        assert!(false_shapes < 24, "{false_shapes} of 200 shapes");
        assert!(naive > 100, "the naive test is wrong in {naive} of 200");
    }

    #[test]
    fn a_shift_is_found() {
        let mut found = 0;
        for seed in 0..50 {
            let one = autoregressive(seed * 2 + 1, 600, 0.7, 10.0);
            let other = autoregressive(seed * 2 + 2, 600, 0.7, 12.0);
            let (a, b) = (Batches::of(&one).expect("many"), Batches::of(&other).expect("many"));
            found += u32::from(welch(&a, &b) < 0.05);
        }
        assert!(found >= 48, "{found} of 50");
    }

    /// The base is at one level. The new values are at two, both far above it: they are hardly more than two independent values.
    #[test]
    fn several_levels_far_from_the_base_are_no_chance() {
        let level = |seed: u64, count: usize, level: f64| autoregressive(seed, count, 0.2, level);
        let of = |values: &[(f64, u64)], sorted: &[(f64, u64)]| {
            let (mean, variance) = spread(values);
            let independent = Batches::of(values).expect("many").independent(variance, values.len() as u64);
            (mean, variance.sqrt(), values.len() as f64, independent, sorted.to_vec())
        };
        let judged = |base: &[(f64, u64)], new: &[(f64, u64)]| {
            let ordered = [sorted(base), sorted(new)];
            let sides = [of(base, &ordered[0]), of(new, &ordered[1])];
            let side = |at: usize| Of {
                values: &sides[at].4,
                mean: sides[at].0,
                deviation: sides[at].1,
                count: sides[at].2,
                independent: sides[at].3,
            };
            by_other(side(0), side(1), apart(&ordered[0], &ordered[1]).expect("both"))
        };
        let base = level(3, 300, 6.0);
        let new = [level(5, 30, 20.0), level(7, 30, 89.0)].concat();
        assert!(judged(&base, &new).is_some_and(|p| p < 1e-6), "{:?}", judged(&base, &new));
        // A leak goes on: few independent values on both sides, and not far.
        let leak: Vec<(f64, u64)> = (0..600).map(|at| (f64::from(at), 1)).collect();
        assert_eq!(judged(&leak[..300], &leak[300..]), None);
        // Few independent values that overlap.
        let wide = [level(5, 30, 4.0), level(7, 30, 8.0)].concat();
        assert!(judged(&base, &wide).is_none_or(|p| p > 0.01));
    }

    /// It was 0, and is at 3,000 for 80 of 120 values, in one stretch: few independent values, but nothing of it was there before.
    #[test]
    fn what_left_its_level_for_most_of_the_time_is_no_chance() {
        let judged = |base: &[(f64, u64)], new: &[(f64, u64)]| {
            let ordered = [base, new].map(sorted);
            let of = |values: &[(f64, u64)], at: usize| {
                let (mean, variance) = spread(values);
                let count = values.len() as u64;
                let independent = Batches::of(values).expect("many").independent(variance, count);
                Of {
                    values: &ordered[at],
                    mean,
                    deviation: variance.sqrt(),
                    count: count as f64,
                    independent,
                }
            };
            let between = apart(&ordered[0], &ordered[1]).expect("both");
            by_other(of(base, 0), of(new, 1), between)
        };
        let high = autoregressive(3, 80, 0.2, 3_000.0);
        for (low, name) in [(vec![(0.0, 1); 360], "zero"), (autoregressive(5, 360, 0.2, 10.0), "noise")] {
            let new = [&low[..10], &high, &low[..30]].concat();
            assert!(judged(&low, &new).is_some_and(|p| p < 1e-4), "{name}: {:?}", judged(&low, &new));
            // A blip says nothing.
            let blip = [&low[..60], &high[..12], &low[..48]].concat();
            assert!(judged(&low, &blip).is_none_or(|p| p > 0.01), "{name}: {:?}", judged(&low, &blip));
        }
    }

    #[test]
    fn what_stands_still_differs_or_not() {
        let still = |value: f64| Batches::of(&vec![(value, 1); 20]).expect("many");
        assert!((welch(&still(5.0), &still(5.0)) - 1.0).abs() < 1e-15);
        assert!(welch(&still(5.0), &still(6.0)).abs() < 1e-15);
        assert_eq!(Batches::of(&[(1.0, 1); 7]), None);
    }

    #[test]
    fn distributions_are_walked_through_together() {
        let base = [(1.0, 1), (2.0, 2), (3.0, 1)];
        assert_eq!(apart(&base, &base), Some(Apart { distance: 0.0, delta: 0.0 }));
        assert_eq!(apart(&base, &[(9.0, 5)]), Some(Apart { distance: 1.0, delta: 1.0 }));
        assert_eq!(apart(&[(9.0, 5)], &base), Some(Apart { distance: 1.0, delta: -1.0 }));
        // By hand: of 4 x 2 pairs new is larger in 1, smaller in 3, equal in 4.
        let delta = apart(&base, &[(1.0, 1), (2.0, 1)]).expect("both").delta;
        assert!((delta - (1.0 - 4.0) / 8.0).abs() < 1e-15, "{delta}");
        assert_eq!(apart(&base, &[]), None);
    }

    #[test]
    fn kolmogorov_is_that_of_the_tables() {
        // Critical values of large samples: 1.358 for 5 %, 1.628 for 1 %.
        for (lambda, expected) in [(1.358, 0.05), (1.628, 0.01)] {
            let n = 2e8_f64;
            let found = kolmogorov(lambda / (n / 2.0).sqrt(), n, n);
            assert!((found - expected).abs() < 2e-4, "{found}");
        }
        assert!((kolmogorov(0.0, 10.0, 10.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn many_tests_are_corrected_for() {
        let found = corrected(&[Some(0.01), None, Some(0.04), Some(0.03), Some(0.5)]);
        let expected = [Some(0.04), None, Some(0.04 * 4.0 / 3.0), Some(0.04 * 4.0 / 3.0), Some(0.5)];
        for (found, expected) in found.iter().zip(expected) {
            assert!(match (found, expected) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-12,
                (None, None) => true,
                _ => false,
            });
        }
    }
}
