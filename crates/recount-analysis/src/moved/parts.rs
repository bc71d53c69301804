//! The values of a series on both sides.

use std::ops::Range;

use super::chance::{MOST_FLAT, median, median_of_sorted, memory, spread};
use super::trend::Trend;

/// With fewer independent values before, means are not trusted.
pub(super) const LEAST_FOR_SHAPE: f64 = 12.0;

/// Which of the means of a series are compared with which.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    /// How many come before the span.
    pub(super) num_before: usize,
    /// Those of them that say what is usual.
    pub(super) usual: Range<usize>,
    /// Whether they are from a later time, so that nothing can be continued from there.
    pub(super) is_later: bool,
    /// Whether there are no other values between both sides.
    pub(super) is_joined: bool,
    /// For how many means that aren't compared there is time between both sides.
    pub(super) lag: f64,
}

impl Sides {
    /// When a mean is, in the usual distance of means.
    pub(super) fn place(&self, at: usize) -> f64 {
        at as f64 + if at < self.num_before { 0.0 } else { self.lag }
    }
}

/// The values of a series on both sides, and what is known of those before.
pub(super) struct Parts {
    pub(super) base: Vec<f64>,
    pub(super) new: Vec<f64>,
    pub(super) sorted_base: Vec<f64>,
    /// Median before, at the begin of a trend.
    pub(super) middle: f64,
    pub(super) scale: f64,
    pub(super) trend: Option<Trend>,
    pub(super) is_flat: bool,
    /// Half of the values before are the same: they say nothing about how high the others may go.
    pub(super) is_sparse: bool,
}

impl Parts {
    pub(super) fn of(base: Vec<f64>, new: Vec<f64>, trend: Option<Trend>) -> Parts {
        let sorted_base = sorted(&base);
        let middle = median_of_sorted(&sorted_base);
        let spread = spread(&base, middle);
        // Rounding isn't a spread.
        let is_flat = spread <= 1e-9 * middle.abs();
        let of_trend = trend.map_or(0.0, |trend| 0.01 * (trend.rise * base.len() as f64).abs());
        let scale = spread.max(resolution(&sorted_base, &new)).max(1e-9 * middle.abs()).max(of_trend);
        let is_sparse =
            median(base.iter().map(|value| (value - middle).abs()).collect()) <= 1e-9 * middle.abs();
        Parts { base, new, sorted_base, middle, scale, trend, is_flat, is_sparse }
    }

    /// Whether a step of them can be distinguished from chance, and isn't a part of a trend.
    pub(super) fn may_step(&self) -> bool {
        self.trend.is_none() && !self.is_flat && !self.is_sparse
    }

    /// How many independent values there are on each side.
    pub(super) fn independent(&self) -> (f64, f64) {
        let (num_base, num_new) = (self.base.len() as f64, self.new.len() as f64);
        if self.is_flat {
            return (num_base.min(MOST_FLAT.0), num_new.min(MOST_FLAT.1));
        }
        let memory = memory(&self.base);
        (num_base / memory, (num_new / memory).max(1.0))
    }
}

pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The smallest step between two values, if there are few different ones: a count, or ticks of a clock.
fn resolution(base: &[f64], new: &[f64]) -> f64 {
    const MOST_LEVELS: usize = 12;
    let mut levels: Vec<f64> = Vec::new();
    for value in base {
        if levels.last() != Some(value) {
            levels.push(*value);
            if levels.len() > MOST_LEVELS {
                return 0.0;
            }
        }
    }
    let step = levels.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    if step.is_finite() {
        return step;
    }
    // All the same before: the smallest step away from it is four times as large as what is usual, so that it counts.
    let only = levels.first().copied().unwrap_or(0.0);
    let away = new.iter().map(|value| (value - only).abs()).filter(|step| *step > 0.0);
    away.fold(f64::INFINITY, f64::min) / 4.0
}
