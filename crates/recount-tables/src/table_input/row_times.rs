//! What rows say about their time: their intervals, and how much their values count in a mean over time (`formats/rules.md#means`).

use recount_model::{FindingKind, Health};

use super::rows::{Numbers, PRESENT};
use crate::schema::WEIGHT;

/// A weight that is larger isn't one, in seconds: thirty years.
const MOST_S: f64 = 1e9;

/// The intervals and weights of rows, in seconds.
#[derive(Clone, Debug)]
pub(super) struct RowTimes {
    intervals: Numbers,
    /// `None` if the file doesn't say.
    weights: Option<Vec<f64>>,
}

/// What the rows of a block say about their time, as bits of seconds. Those with an interval have one and the same, and those without it have one
/// weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockTime {
    /// Of the rows with an interval: the interval, and its weight.
    interval: Option<(u64, Weight)>,
    /// Of the rows without an interval: their weight.
    first: Option<Weight>,
}

/// How much a value counts, as bits of seconds; `None` if the file doesn't say.
type Weight = Option<u64>;

impl RowTimes {
    /// From the columns of a file. A value counts as long as its interval or not at all. Where the file says something else, which is noted, it
    /// doesn't count.
    pub(super) fn new(
        intervals: Numbers,
        weights: Option<Numbers>,
        file: &str,
        health: &mut Health,
    ) -> RowTimes {
        let Some(Numbers { values: mut weights, marks }) = weights else {
            return RowTimes { intervals, weights: None };
        };
        let mut num_wrong = 0_u64;
        for (row, weight) in weights.iter_mut().enumerate() {
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
        RowTimes { intervals, weights: Some(weights) }
    }

    /// Whether a row has an interval: its instance is in the previous sample.
    pub(super) fn has_interval(&self, row: usize) -> bool {
        self.intervals.mark(row) == PRESENT
    }

    /// Of one row.
    pub(super) fn of(&self, row: usize) -> BlockTime {
        let weight = self.weights.as_ref().map(|weights| weights[row].to_bits());
        match self.intervals.bits(row) {
            Some(interval) => BlockTime { interval: Some((interval, weight)), first: None },
            None => BlockTime { interval: None, first: Some(weight) },
        }
    }
}

impl BlockTime {
    /// With another row; `None` if they contradict each other.
    pub(super) fn with(self, other: BlockTime) -> Option<BlockTime> {
        let both =
            BlockTime { interval: self.interval.or(other.interval), first: self.first.or(other.first) };
        let agrees = other.interval.is_none_or(|_| both.interval == other.interval)
            && other.first.is_none_or(|_| both.first == other.first);
        agrees.then_some(both)
    }

    /// The interval of those rows that have one.
    pub(super) fn interval_s(self) -> Option<f64> {
        self.interval.map(|(interval, _)| f64::from_bits(interval))
    }

    /// Whether some rows have an interval and others don't.
    pub(super) fn is_mixed(self) -> bool {
        self.interval.is_some() && self.first.is_some()
    }

    /// The samples that end a gap, and the weights of values without an interval, as [`recount_model::Cooked`] has them: both are empty if
    /// nobody says.
    pub(super) fn of_samples(samples: impl Iterator<Item = BlockTime>) -> (Vec<u32>, Vec<f64>) {
        let (mut gaps, mut first_s) = (Vec::new(), Vec::new());
        for (sample, BlockTime { interval, first }) in samples.enumerate() {
            let is_stated = interval.is_some_and(|(_, weight)| weight.is_some()) || first.flatten().is_some();
            if !is_stated {
                return (Vec::new(), Vec::new());
            }
            // Two samples of one time have no gap between them.
            let is_gap = |(interval, weight): (u64, Weight)| {
                weight == Some(0.0_f64.to_bits()) && f64::from_bits(interval) != 0.0
            };
            if interval.is_some_and(is_gap) {
                gaps.push(sample as u32);
            }
            first_s.push(first.flatten().map_or(0.0, f64::from_bits));
        }
        (gaps, first_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_interval_or_nothing() {
        let intervals = Numbers {
            values: vec![5.0, 5.0, 5.0, 0.0, 0.0, 5.0, 0.0],
            marks: Some(vec![0, 0, 0, 255, 255, 0, 0]),
        };
        let weights = Numbers {
            values: vec![5.0, -0.0, 4.0, 3.0, 1e300, 0.0, 0.0],
            marks: Some(vec![0, 0, 0, 0, 0, 255, 0]),
        };
        let mut health = Health::default();
        let times = RowTimes::new(intervals, Some(weights), "t", &mut health);
        assert_eq!(times.weights.as_deref(), Some(&[5.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0][..]));
        let said = health.findings().iter().map(|finding| finding.what.clone()).collect::<Vec<_>>();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("found 3 rows that differ"), "{said:?}");
        let of = |row| times.of(row);
        assert_eq!(of(0).with(of(1)), None);
        assert_eq!(of(1).with(of(2)), Some(of(1)));
        let both = of(1).with(of(3)).expect("rows with and without an interval");
        assert_eq!(BlockTime::of_samples([both, of(0), of(6)].into_iter()), (vec![0], vec![3.0, 0.0, 0.0]));
        let unknown = RowTimes { intervals: times.intervals.clone(), weights: None }.of(0);
        assert_eq!(BlockTime::of_samples([both, unknown].into_iter()), (Vec::new(), Vec::new()));
    }
}
