//! The series of a capture with their figures, to be looked up by names.

use recount_model::Instance;

use crate::report::{Candidate, Observed};
use crate::stats::Figures;

/// A series that has values.
#[derive(Clone, Copy)]
pub(super) struct Series<'a> {
    pub(super) named: Candidate<'a>,
    pub(super) figures: &'a Figures,
    /// Its instance, as last shown.
    pub(super) shown: Option<&'a str>,
}

/// All series that have values, in the order of the capture.
pub(super) fn all_series(observed: &Observed) -> Vec<Series<'_>> {
    let (candidates, ids) = observed.candidates();
    let figures = observed.figures.iter().filter(|(_, figures)| figures.count > 0);
    candidates
        .into_iter()
        .zip(ids)
        .zip(figures)
        .map(|((named, id), (_, figures))| {
            let object = &observed.roster.objects()[id.object as usize];
            Series { named, figures, shown: object.instances[id.instance as usize].shown.as_deref() }
        })
        .collect()
}

impl Series<'_> {
    /// Whether it is of the whole object.
    pub(super) fn is_whole(&self) -> bool {
        self.named.instance.is_none_or(Instance::is_total)
    }

    /// Whether it is of the whole object, and not of a part that has a total of its own, as a socket.
    pub(super) fn is_grand(&self) -> bool {
        self.named.instance.is_none_or(Instance::is_grand_total)
    }

    /// The sum of its values, which says how much it matters for the whole capture.
    pub(super) fn weight(&self) -> f64 {
        self.named.weight
    }
}

/// A number with four digits.
pub(super) fn rounded(value: f64) -> f64 {
    const DIGITS: i32 = 4;
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let whole = value.abs().log10().floor() as i32 + 1;
    let scale = 10_f64.powi((DIGITS - whole).abs());
    if whole > DIGITS { (value / scale).round() * scale } else { (value * scale).round() / scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, expected) in [
            (0.0, 0.0),
            (98.123_456, 98.12),
            (-1_234_567.0, -1_235_000.0),
            (0.000_123_456, 0.000_123_5),
            (9_999.6, 10_000.0),
            (f64::INFINITY, f64::INFINITY),
        ] {
            assert_eq!(rounded(value).to_bits(), expected.to_bits());
        }
    }
}
