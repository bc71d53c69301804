//! How much the values of rows count in a mean over time (`formats/rules.md#means`).

use recount_model::{FindingKind, Health};

use super::rows::{Numbers, PRESENT};
use crate::schema::WEIGHT;

/// A weight that is larger isn't one, in seconds: thirty years.
const MOST_S: f64 = 1e9;

/// The weights of rows, in seconds; `None` if the file doesn't say.
#[derive(Clone, Debug, Default)]
pub(super) struct RowWeights(Option<Vec<f64>>);

/// The weights of a block's rows, as far as any says: those with an interval have one, and those without have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weights {
    /// Of the rows with an interval: whether it is a gap.
    is_gap: Option<bool>,
    /// Of the rows without an interval: the bits of the seconds.
    first_s: Option<u64>,
}

impl RowWeights {
    /// From the columns of a file. A value counts as long as its interval or not at all. Where the file says something else, which is noted, it
    /// doesn't count.
    pub(super) fn new(
        weights: Option<Numbers>,
        intervals: &Numbers,
        file: &str,
        health: &mut Health,
    ) -> RowWeights {
        let Some(Numbers { mut values, marks }) = weights else { return RowWeights(None) };
        let mut num_wrong = 0_u64;
        for (row, weight) in values.iter_mut().enumerate() {
            let is_null = marks.as_ref().is_some_and(|marks| marks[row] != PRESENT);
            let interval = intervals.bits(row).map(f64::from_bits);
            let is_sound = match interval {
                Some(interval) => *weight == 0.0 || weight.to_bits() == interval.to_bits(),
                None => (0.0..=MOST_S).contains(weight),
            };
            if is_null || !is_sound {
                num_wrong += 1;
                *weight = 0.0;
            }
            // Zeros have two signs.
            *weight += 0.0;
        }
        if num_wrong > 0 {
            let rows = if num_wrong == 1 { "row that differs" } else { "rows that differ" };
            let what = format!(
                "{file}: expected `{}` to be the interval, or 0 for a gap, found {num_wrong} {rows}: no weight in means",
                WEIGHT.name
            );
            health.note(FindingKind::Damaged, None, what);
        }
        RowWeights(Some(values))
    }

    /// Of one row, by the bits of its interval.
    pub(super) fn of(&self, row: usize, interval: Option<u64>) -> Weights {
        let Some(weight) = self.0.as_ref().map(|weights| weights[row]) else { return Weights::default() };
        match interval.map(f64::from_bits) {
            // Two samples of one time have no gap between them.
            Some(interval) => Weights { is_gap: Some(weight == 0.0 && interval != 0.0), first_s: None },
            None => Weights { is_gap: None, first_s: Some(weight.to_bits()) },
        }
    }
}

impl Weights {
    /// With those of another row; `None` if they contradict each other.
    pub(super) fn with(self, other: Weights) -> Option<Weights> {
        let both = Weights { is_gap: self.is_gap.or(other.is_gap), first_s: self.first_s.or(other.first_s) };
        let agrees = other.is_gap.is_none_or(|is_gap| both.is_gap == Some(is_gap))
            && other.first_s.is_none_or(|first_s| both.first_s == Some(first_s));
        agrees.then_some(both)
    }

    /// The samples that end a gap, and the weights of values without an interval, as [`recount_model::Cooked`] has them: both are empty if
    /// nobody says.
    pub(super) fn of_samples(samples: impl Iterator<Item = Weights>) -> (Vec<u32>, Vec<f64>) {
        let (mut gaps, mut first_s) = (Vec::new(), Vec::new());
        for (sample, weights) in samples.enumerate() {
            if weights == Weights::default() {
                return (Vec::new(), Vec::new());
            }
            if weights.is_gap == Some(true) {
                gaps.push(sample as u32);
            }
            first_s.push(weights.first_s.map_or(0.0, f64::from_bits));
        }
        (gaps, first_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_interval_or_nothing() {
        let intervals = Numbers { values: vec![5.0; 6], marks: Some(vec![0, 0, 0, 255, 255, 0]) };
        let weights =
            Numbers { values: vec![5.0, -0.0, 4.0, 3.0, 1e300, 0.0], marks: Some(vec![0, 0, 0, 0, 0, 255]) };
        let mut health = Health::default();
        let weights = RowWeights::new(Some(weights), &intervals, "t", &mut health);
        assert_eq!(weights.0.as_deref(), Some(&[5.0, 0.0, 0.0, 3.0, 0.0, 0.0][..]));
        let said = health.findings().iter().map(|finding| finding.what.clone()).collect::<Vec<_>>();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("found 3 rows that differ"), "{said:?}");
        let of = |row, has_interval: bool| weights.of(row, has_interval.then_some(5.0_f64.to_bits()));
        assert_eq!(weights.of(1, Some(0)).is_gap, Some(false));
        assert_eq!(of(0, true).with(of(1, true)), None);
        assert_eq!(of(1, true).with(of(2, true)), Some(of(1, true)));
        let both = of(1, true).with(of(3, false)).expect("rows with and without an interval");
        assert_eq!(Weights::of_samples([both, of(0, true)].into_iter()), (vec![0], vec![3.0, 0.0]));
        assert_eq!(Weights::of_samples([both, Weights::default()].into_iter()), (Vec::new(), Vec::new()));
    }
}
