//! Which way a series went before the span.

use super::chance::{median, spread};
use crate::least_squares::LeastSquares;

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

/// The rise per value of the line through values, and the share of their variance that it explains. `None` of fewer than `least`, or if
/// nothing varies.
pub(super) fn line(values: &[f64], least: usize) -> Option<(f64, f64)> {
    let known = values.iter().enumerate().filter(|(_, value)| !value.is_nan());
    let points = known.map(|(at, value)| (at as f64, *value));
    if points.clone().count() < least {
        return None;
    }
    let line = LeastSquares::through(points)?;
    (line.share > 0.0).then_some((line.slope, line.share))
}
