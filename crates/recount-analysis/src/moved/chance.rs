//! Whether a difference may be chance: statistics of means that aren't independent.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::gamma::ln_gamma;

use crate::false_discovery::stepped_up;

/// How many consecutive values say as much as one independent value: 1 + 2 times the sum of the autocorrelations, up to the first
/// that is about zero (Geyer, "Practical Markov chain Monte Carlo", 1992, in its simplest form).
pub(crate) fn memory(values: &[f64]) -> f64 {
    /// Less is taken for zero.
    const LEAST: f64 = 0.05;
    const MAX_LAG: usize = 48;
    let count = values.len();
    let mean = mean(values);
    let variance: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    if count < 4 || variance <= 0.0 {
        return 1.0;
    }
    let mut sum = 0.0;
    for lag in 1..=MAX_LAG.min(count / 4) {
        let product: f64 =
            values[lag..].iter().zip(values).map(|(one, other)| (one - mean) * (other - mean)).sum();
        let correlation = product / variance;
        if correlation < LEAST {
            break;
        }
        sum += correlation;
    }
    (1.0 + 2.0 * sum).min((count as f64 / 3.0).max(1.0))
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Standard deviation of a sample.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let square: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (square / (values.len() as f64 - 1.0).max(1.0)).sqrt()
}

/// The median of values in order.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (count, half) if !count.is_multiple_of(2) => sorted[half],
        (_, half) => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// The median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    let half = values.len() / 2;
    if values.is_empty() {
        return f64::NAN;
    }
    let (below, middle, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    let middle = *middle;
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(before) if values.len().is_multiple_of(2) => f64::midpoint(before, middle),
        _ => middle,
    }
}

/// The least and the greatest value; of none, infinity and minus infinity.
pub(crate) fn extremes(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let wider = |(least, greatest): (f64, f64), value: f64| (least.min(value), greatest.max(value));
    values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}

/// Of values that don't vary, more before and in the span say no more.
pub(crate) const MOST_FLAT: (f64, f64) = (120.0, 20.0);

/// Of normal values: the deviation over the median distance from the middle.
pub(crate) const OF_MEDIAN: f64 = 1.482_602_218_505_602;

/// Of normal values: the deviation over the mean distance from the middle.
pub(crate) const OF_MEAN: f64 = 1.253_314_137_315_500_3;

/// The spread about a median: the larger of the median absolute deviation and the mean absolute deviation, both scaled so
/// that they are the standard deviation of normal values. The second sees what is rare.
pub(crate) fn spread(values: &[f64], middle: f64) -> f64 {
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let of_mean = OF_MEAN * mean(&distances);
    of_mean.max(OF_MEDIAN * median(distances))
}

/// Two-sided probability of a value of Student's distribution at least that far from zero.
pub(crate) fn student(value: f64, freedom: f64) -> f64 {
    let Ok(distribution) = StudentsT::new(0.0, 1.0, freedom.max(1.0)) else { return 1.0 };
    if value.is_nan() { 1.0 } else { 2.0 * distribution.cdf(-value.abs()) }
}

/// The least probability that ranks can have: one arrangement of all, and the opposite one.
pub(crate) fn least_by_ranks(of_base: f64, of_new: f64) -> f64 {
    let choices = ln_gamma(of_base + of_new + 1.0) - ln_gamma(of_base + 1.0) - ln_gamma(of_new + 1.0);
    (2.0 * (-choices).exp()).min(1.0)
}

/// Probabilities corrected for their number under any dependence (Benjamini and Yekutieli, 2001). `num_tests` may be larger
/// than their number: those that are left out are taken to be 1.
pub fn corrected(probabilities: &[f64], num_tests: usize) -> Vec<f64> {
    let harmonic: f64 = (1..=num_tests).map(|rank| 1.0 / rank as f64).sum();
    stepped_up(probabilities, num_tests as f64 * harmonic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{found} is not {expected}");
    }

    /// The values are those of `scipy.stats.false_discovery_control(method="by")`.
    #[test]
    fn probabilities_are_corrected_under_dependence() {
        let found = corrected(&[0.001, 0.02, 0.03, 0.5], 4);
        for (found, expected) in
            found.iter().zip([0.008_333_333_333, 0.083_333_333_333, 0.083_333_333_333, 1.0])
        {
            near((found * 1e9).round() / 1e9, (expected * 1e9_f64).round() / 1e9);
        }
        assert_eq!(corrected(&[0.001], 4)[0].to_bits(), corrected(&[0.001, 1.0, 1.0, 1.0], 4)[0].to_bits());
        assert!(corrected(&[], 0).is_empty());
    }

    /// The values are those of `scipy.stats.t.sf`, doubled.
    #[test]
    fn tails_of_student_are_known() {
        near(student(2.570_581_835_636_314, 5.0), 0.05);
        near(student(-4.604_094_871_415_897, 4.0), 0.01);
        assert!((student(0.0, 4.0) - 1.0).abs() < 1e-12 && (student(f64::NAN, 4.0) - 1.0).abs() < 1e-12);
        assert!(student(f64::INFINITY, 4.0).abs() < 1e-12);
    }

    #[test]
    fn spread_is_that_of_normal_values_and_sees_what_is_rare() {
        near(median(vec![3.0, 1.0, 2.0, 10.0]), 2.5);
        near(spread(&[1.0, 2.0, 3.0, 4.0, 5.0], 3.0), 1.2 * 1.253_314_137_315_500_3);
        // The median deviation of mostly zeros is zero.
        near(spread(&[0.0, 0.0, 0.0, 0.0, 10.0], 0.0), 2.0 * 1.253_314_137_315_500_3);
        near(deviation(&[1.0, 2.0, 3.0, 4.0]), 1.290_994_448_735_805_6);
    }

    #[test]
    fn correlated_values_count_less() {
        let alternating: Vec<f64> = (0..100).map(|at| f64::from(at % 2)).collect();
        near(memory(&alternating), 1.0);
        // Each value ten times.
        let mut state = 9_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let blocks: Vec<f64> = (0..60).map(|_| random()).flat_map(|value| [value; 10]).collect();
        let found = memory(&blocks);
        assert!((7.0..14.0).contains(&found), "{found}");
        assert!((memory(&[5.0; 50]) - 1.0).abs() < 1e-12);
    }
}
