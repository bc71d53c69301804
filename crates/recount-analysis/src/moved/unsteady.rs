//! Whether a series varies more or less than before.

use super::chance::{deviation, mean, median, student};
use super::parts::{LEAST_FOR_SHAPE, Parts};
use super::shift::{Kind, Shift};

/// Whether the values vary more or less about their middle: Brown and Forsythe's test, with the spread before.
pub(super) fn of_spread(parts: &Parts, num_bins: usize, num_before: usize) -> Option<Shift> {
    /// How many times larger or smaller it has to be.
    const LEAST_RATIO: f64 = 2.5;
    let middle_new = median(parts.new.clone());
    let distances =
        |values: &[f64], middle: f64| values.iter().map(|value| (value - middle).abs()).collect::<Vec<f64>>();
    let (base, new) = (distances(&parts.base, parts.middle), distances(&parts.new, middle_new));
    let (before, after) = (mean(&base), mean(&new));
    let is_up = after > before;
    let ratio = if is_up { after / before } else { before / after };
    if parts.is_flat || ratio < LEAST_RATIO {
        return None;
    }
    let (of_base, of_new) = parts.independent();
    if of_base < LEAST_FOR_SHAPE || of_new < LEAST_FOR_SHAPE {
        return None;
    }
    let error = deviation(&base) * (1.0 / of_base + 1.0 / of_new).sqrt();
    // It is the second test of the same values.
    let probability = (2.0 * student((after - before) / error, of_new.min(of_base) - 1.0)).min(1.0);
    Some(Shift {
        kind: Kind::Spread,
        before,
        is_of_trend: false,
        is_after_way: false,
        after,
        extreme: after,
        effect: (after - before) / before.max(parts.scale * 1e-3),
        probability,
        is_up,
        bins: num_before..num_bins,
        onset: (num_before, num_before),
        spells: Vec::new(),
        is_step: false,
        is_from_flat: false,
        is_rough: false,
        compared: None,
        again: None,
    })
}
