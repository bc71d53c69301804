//! Which time values are about.

use recount_model::{Cooked, CookedColumn, Timestamp};

/// Times of which there are values: intervals of samples, together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered {
    /// In order, apart from each other.
    stretches: Vec<(Timestamp, Timestamp)>,
}

impl Covered {
    /// Adds a stretch. Adding one again changes nothing.
    pub fn add(&mut self, from: Timestamp, to: Timestamp) {
        if to <= from {
            return;
        }
        let first = self.stretches.partition_point(|(_, end)| *end < from);
        let behind = self.stretches.partition_point(|(begin, _)| *begin <= to);
        let touched = self.stretches.get(first..behind).unwrap_or_default();
        let from = touched.first().map_or(from, |(begin, _)| from.min(*begin));
        let to = touched.last().map_or(to, |(_, end)| to.max(*end));
        self.stretches.splice(first..behind.max(first), [(from, to)]);
    }

    /// Adds the intervals of the samples in which any of the instances that `is_meant` has a value.
    pub fn add_values(&mut self, cooked: &Cooked, column: &CookedColumn, is_meant: impl Fn(usize) -> bool) {
        let num = cooked.instances.len();
        let meant: Vec<usize> = (0..num).filter(|at| column.covers(*at) && is_meant(*at)).collect();
        for (sample, time) in cooked.times.iter().enumerate() {
            let Some(seconds) = cooked.interval_s.get(sample).copied().flatten() else { continue };
            if meant.iter().any(|at| column.value_at(sample * num + at).is_some()) {
                self.add(time.utc.minus_seconds(seconds), time.utc);
            }
        }
    }

    /// All stretches of the other one, too.
    pub fn join(&mut self, other: &Covered) {
        other.stretches.iter().for_each(|(from, to)| self.add(*from, *to));
    }

    /// The stretches, in order and apart from each other.
    pub fn stretches(&self) -> &[(Timestamp, Timestamp)] {
        &self.stretches
    }

    /// What is covered of a span.
    fn parts_in(&self, begin: Timestamp, end: Timestamp) -> impl Iterator<Item = (Timestamp, Timestamp)> {
        let first = self.stretches.partition_point(|(_, to)| *to <= begin);
        let rest = self.stretches[first..].iter().take_while(move |(from, _)| *from < end);
        rest.map(move |(from, to)| (begin.max(*from), end.min(*to)))
    }

    /// What isn't covered of a span.
    pub(crate) fn rest_of(&self, begin: Timestamp, end: Timestamp) -> Vec<(Timestamp, Timestamp)> {
        let (mut rest, mut from) = (Vec::new(), begin);
        for (covered_from, covered_to) in self.parts_in(begin, end).chain([(end, end)]) {
            if from < covered_from {
                rest.push((from, covered_from));
            }
            from = covered_to;
        }
        rest
    }

    /// How many seconds of a span are covered.
    pub fn seconds_in(&self, begin: Timestamp, end: Timestamp) -> f64 {
        self.parts_in(begin, end).map(|(from, to)| to.seconds_since(from)).sum()
    }

    /// How many seconds are covered.
    pub fn seconds(&self) -> f64 {
        self.stretches.iter().map(|(from, to)| to.seconds_since(*from)).sum()
    }

    /// The share of its time that the other one covers, too; 0 if it has none.
    pub fn share_in(&self, other: &Covered) -> f64 {
        let common_s: f64 = self.stretches.iter().map(|(from, to)| other.seconds_in(*from, *to)).sum();
        if common_s > 0.0 { common_s / self.seconds() } else { 0.0 }
    }

    /// Whether both are about the same time, apart from a tenth of the longer one: sums over them can be compared.
    pub fn is_like(&self, other: &Covered) -> bool {
        /// Counters that are sampled together have times that differ a little.
        const LEAST_COMMON: f64 = 0.9;
        self.share_in(other).min(other.share_in(self)) >= LEAST_COMMON
    }
}

impl FromIterator<(Timestamp, Timestamp)> for Covered {
    fn from_iter<T: IntoIterator<Item = (Timestamp, Timestamp)>>(stretches: T) -> Covered {
        let mut stretches: Vec<(Timestamp, Timestamp)> = stretches.into_iter().collect();
        // In order, each is added at the end.
        stretches.sort_unstable();
        let mut covered = Covered::default();
        for (from, to) in stretches {
            covered.add(from, to);
        }
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(stretches: &[(i64, i64)]) -> Covered {
        stretches.iter().map(|(from, to)| (second(*from), second(*to))).collect()
    }

    fn second(second: i64) -> Timestamp {
        Timestamp(second * Timestamp::TICKS_PER_SECOND)
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "sums of whole seconds are exact")]
    fn stretches_are_joined() {
        assert_eq!(covered(&[(0, 10), (10, 20), (30, 40), (0, 10)]), covered(&[(30, 40), (0, 20)]));
        assert_eq!(covered(&[(0, 10), (20, 30), (5, 25), (40, 50), (60, 60)]), covered(&[(0, 30), (40, 50)]));
        let found = covered(&[(0, 10), (20, 30)]);
        let of = |begin, end| found.seconds_in(second(begin), second(end));
        assert_eq!([of(0, 30), of(5, 25), of(10, 20), of(-5, 1), of(29, 90)], [20.0, 10.0, 0.0, 1.0, 1.0]);
        assert_eq!(found.seconds().to_bits(), 20_f64.to_bits());
    }

    #[test]
    fn the_rest_is_not_covered() {
        let found = covered(&[(0, 10), (20, 30)]);
        let is_rest = |from, to| {
            let rest: Covered = found.rest_of(second(from), second(to)).into_iter().collect();
            let mut whole = found.clone();
            whole.join(&rest);
            whole.seconds_in(second(from), second(to)).to_bits() == ((to - from) as f64).to_bits()
                && rest.stretches().iter().all(|(from, to)| found.seconds_in(*from, *to) == 0.0)
        };
        assert!(
            [(0, 30), (-5, 35), (5, 6), (10, 20), (12, 25), (30, 31)]
                .iter()
                .all(|(from, to)| is_rest(*from, *to))
        );
        assert_eq!(
            found.rest_of(second(5), second(40)),
            [(second(10), second(20)), (second(30), second(40))]
        );
        assert_eq!(found.rest_of(second(20), second(30)), []);
    }

    #[test]
    fn the_same_time_is_covered_or_not() {
        let whole = covered(&[(0, 100)]);
        assert!(whole.is_like(&covered(&[(1, 50), (52, 101)])));
        assert!(!whole.is_like(&covered(&[(0, 50)])) && !covered(&[(0, 50)]).is_like(&whole));
        assert!(!covered(&[(0, 50)]).is_like(&covered(&[(50, 100)])));
        assert!(!Covered::default().is_like(&Covered::default()));
    }
}
