//! Exact quantiles of a series, with its values in compact form.
//!
//! Most counters of most instances are constant most of the time, so zeros are only counted, and repeated
//! values are kept once with their count. Other values take 8 bytes each.

/// A value repeated at least this often is kept as a run.
const MIN_RUN: u32 = 4;

/// The values of a series, unordered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranked {
    zeros: u64,
    values: Vec<f64>,
    runs: Vec<(f64, u32)>,
    last: f64,
    repeated: u32,
}

impl Ranked {
    #[inline]
    pub(crate) fn push(&mut self, value: f64) {
        if value == 0.0 {
            self.zeros += 1;
        } else if self.repeated > 0 && self.repeated < u32::MAX && value.to_bits() == self.last.to_bits() {
            self.repeated += 1;
        } else {
            self.flush();
            (self.last, self.repeated) = (value, 1);
        }
    }

    fn flush(&mut self) {
        if self.repeated >= MIN_RUN {
            self.runs.push((self.last, self.repeated));
        } else {
            self.values.extend(std::iter::repeat_n(self.last, self.repeated as usize));
        }
        self.repeated = 0;
    }

    /// Bytes kept.
    pub(crate) fn len_bytes(&self) -> usize {
        self.values.capacity() * size_of::<f64>() + self.runs.capacity() * size_of::<(f64, u32)>()
    }

    /// The values in order, each with its number of occurrences.
    pub(crate) fn into_sorted(mut self) -> Vec<(f64, u64)> {
        self.flush();
        let mut all: Vec<(f64, u64)> = Vec::with_capacity(self.values.len() + self.runs.len() + 1);
        all.extend(self.values.iter().map(|value| (*value, 1)));
        all.extend(self.runs.iter().map(|(value, count)| (*value, u64::from(*count))));
        if self.zeros > 0 {
            all.push((0.0, self.zeros));
        }
        all.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        all
    }

    /// Quantiles by linear interpolation between the two values next to the rank `(n - 1) * q` (Hyndman and
    /// Fan's type 7, that of numpy, pandas and `DuckDB`'s `quantile_cont`). `shares` must be ascending.
    pub(crate) fn quantiles<const N: usize>(mut self, shares: [f64; N]) -> [Option<f64>; N] {
        self.flush();
        let in_runs: u64 = self.runs.iter().map(|(_, count)| u64::from(*count)).sum();
        let count = self.zeros + in_runs + self.values.len() as u64;
        if count == 0 {
            return [None; N];
        }
        let ranks = shares.map(|share| {
            let rank = share * (count - 1) as f64;
            (rank.floor() as u64, rank.fract())
        });
        if self.runs.is_empty() {
            let mut select = Select::new(self.values, self.zeros);
            return ranks.map(|(low, part)| Some(between(|rank| select.at(rank), low, part, count)));
        }
        let sorted = self.into_sorted();
        let mut ends = Vec::with_capacity(sorted.len());
        let mut end = 0;
        for (_, times) in &sorted {
            end += times;
            ends.push(end);
        }
        let at = |rank: u64| sorted[ends.partition_point(|end| *end <= rank)].0;
        ranks.map(|(low, part)| Some(between(at, low, part, count)))
    }
}

fn between(mut at: impl FnMut(u64) -> f64, low: u64, part: f64, count: u64) -> f64 {
    let below = at(low);
    if part == 0.0 || low + 1 >= count {
        return below;
    }
    let above = at(low + 1);
    // The difference of two large numbers may be infinite, and the difference of infinities is NaN.
    let between = above - below;
    match between {
        _ if above.total_cmp(&below).is_eq() => below,
        _ if between.is_finite() => below + between * part,
        _ => below * (1.0 - part) + above * part,
    }
}

/// Values by rank, found by partitioning instead of sorting. Ranks must be requested in ascending order.
struct Select {
    values: Vec<f64>,
    num_negative: u64,
    zeros: u64,
    /// No value before this is larger than one from here on.
    done: usize,
}

impl Select {
    fn new(values: Vec<f64>, zeros: u64) -> Select {
        let num_negative =
            if zeros == 0 { 0 } else { values.iter().filter(|value| **value < 0.0).count() as u64 };
        Select { values, num_negative, zeros, done: 0 }
    }

    fn at(&mut self, rank: u64) -> f64 {
        if self.zeros > 0 && (self.num_negative..self.num_negative + self.zeros).contains(&rank) {
            return 0.0;
        }
        let place = if rank < self.num_negative { rank } else { rank - self.zeros } as usize;
        if place >= self.done {
            self.values[self.done..].select_nth_unstable_by(place - self.done, f64::total_cmp);
            // Ranks come in pairs of neighbours, so an earlier rank was itself selected.
            self.done = place + 1;
        }
        self.values[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By sorting.
    fn expected(values: &[f64], share: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let rank = share * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
        low + (high - low) * rank.fract()
    }

    fn check(values: &[f64]) {
        let mut ranked = Ranked::default();
        for value in values {
            ranked.push(*value);
        }
        let shares = [0.0, 0.5, 0.9, 0.95, 0.99, 1.0];
        let found = ranked.quantiles(shares);
        for (found, share) in found.into_iter().zip(shares) {
            let expected = expected(values, share);
            let found = found.expect("values");
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs(),
                "{share}: {found} {expected} {values:?}"
            );
        }
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64
        };
        for len in [1_usize, 2, 3, 10, 101, 1000] {
            check(&(0..len).map(|_| random()).collect::<Vec<f64>>());
            // Zeros and negative values.
            check(&(0..len).map(|_| (random() % 5.0).floor() - 2.0).collect::<Vec<f64>>());
            // Runs.
            check(&(0..len).map(|i| (i / 7) as f64 - 3.0).collect::<Vec<f64>>());
            check(&vec![0.0; len]);
        }
    }

    #[test]
    fn what_stands_still_takes_no_room() {
        let mut ranked = Ranked::default();
        for at in 0..1_000_000 {
            ranked.push(if at < 600_000 { 0.0 } else { 5.0 });
        }
        assert_eq!(ranked.len_bytes(), 0);
        assert_eq!(ranked.quantiles([0.5, 0.7]), [Some(0.0), Some(5.0)]);
    }

    #[test]
    fn nothing_has_no_quantiles() {
        assert_eq!(Ranked::default().quantiles([0.5]), [None]);
    }
}
