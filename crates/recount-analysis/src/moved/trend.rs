//! Which way a series went before the span.

use super::chance::{median, spread};

/// A steady rise or fall before the span.
#[derive(Clone, Copy)]
pub(super) struct Trend {
    /// Per bin.
    pub(super) rise: f64,
}

/// The trend of values, if it is nearly all of what they do.
pub(super) fn trend(values: &[f64]) -> Option<Trend> {
    const LEAST: usize = 12;
    const LEAST_SHARE: f64 = 0.97;
    let (rise, share) = line(values, LEAST)?;
    (share >= LEAST_SHARE).then_some(Trend { rise })
}

/// Where values that mostly rise or mostly fall end, the median of the last tenth of them, and their spread about the line.
pub(super) fn end_of_way(values: &[f64]) -> Option<(f64, f64)> {
    const LEAST: usize = 30;
    const LEAST_SHARE: f64 = 0.5;
    let (rise, _) = line(values, LEAST).filter(|(_, share)| *share >= LEAST_SHARE)?;
    let known = |from: usize, rise: f64| -> Vec<f64> {
        let flat = values.iter().enumerate().map(|(at, value)| value - rise * at as f64);
        flat.skip(from).filter(|value| !value.is_nan()).collect()
    };
    let rest = known(0, rise);
    let last = known(values.len() - values.len() / 10, 0.0);
    (!last.is_empty()).then(|| (median(last), spread(&rest, median(rest.clone()))))
}

/// The rise per value of the line through values, and the share of their variance that it explains. `None` of fewer than `least`.
pub(super) fn line(values: &[f64], least: usize) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .filter(|(_, value)| !value.is_nan())
        .map(|(at, value)| (at as f64, *value))
        .collect();
    if points.len() < least {
        return None;
    }
    let count = points.len() as f64;
    let middle =
        points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let sums = points.iter().fold((0.0, 0.0, 0.0), |sums, point| {
        let (x, y) = (point.0 - middle.0, point.1 - middle.1);
        (sums.0 + x * x, sums.1 + x * y, sums.2 + y * y)
    });
    (sums.2 > 0.0).then(|| (sums.1 / sums.0, sums.1 * sums.1 / (sums.0 * sums.2)))
}
