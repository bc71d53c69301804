//! Quantiles of many values in little room, of which two can be put together.
//!
//! A value is counted in a bin whose width is proportional to it (Masson, Rim and Lee, `DDSketch`, VLDB 2019). If there are too many bins,
//! each two neighbours become one (Epicoco and others, "`UDDSketch`", 2020). The result doesn't depend on the order of values, nor on how they
//! were divided among sketches.

/// The relative error at first: a value is within so much of its bin's middle.
const ERROR: f64 = 0.01;
/// Bins wider than those of this level have no use.
pub(super) const MAX_LEVEL: u8 = 20;
/// No double is in a bin further from that of 1; what is added to a bin's number, so that zero is free for the value zero.
const FURTHEST: i32 = 40_000;

/// The ratio of a bin's ends, at first.
fn first_ratio() -> f64 {
    (1.0 + ERROR) / (1.0 - ERROR)
}

/// How often values were met, by their size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sketch {
    /// How often two bins became one.
    level: u8,
    /// The bins with values, ascending: their number and how many values they have. Zero is the value zero, and negative numbers
    /// are those of negative values.
    bins: Vec<(i32, u32)>,
}

impl Sketch {
    /// From its parts; `None` if they make no sketch.
    pub(super) fn from_parts(level: u8, bins: Vec<(i32, u32)>) -> Option<Sketch> {
        let is_ascending = bins.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_known = |(bin, count): &(i32, u32)| *count > 0 && bin.unsigned_abs() <= 2 * FURTHEST as u32;
        (level <= MAX_LEVEL && is_ascending && bins.iter().all(is_known)).then_some(Sketch { level, bins })
    }

    pub(super) fn level(&self) -> u8 {
        self.level
    }

    pub(super) fn bins(&self) -> &[(i32, u32)] {
        &self.bins
    }

    /// How many values it has.
    pub(super) fn count(&self) -> u64 {
        self.bins.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// Adds a finite value, and has at most `most` bins then.
    pub(super) fn push(&mut self, value: f64, most: usize) {
        let bin = bin_of(value, self.level);
        match self.bins.binary_search_by_key(&bin, |(bin, _)| *bin) {
            Ok(at) => self.bins[at].1 = self.bins[at].1.saturating_add(1),
            Err(at) => self.bins.insert(at, (bin, 1)),
        }
        self.shrink(most);
    }

    /// Adds the values of another, and has at most `most` bins then.
    pub(super) fn merge(&mut self, other: &Sketch, most: usize) {
        let level = self.level.max(other.level);
        self.widen(level);
        let mut other = other.clone();
        other.widen(level);
        self.bins.extend(other.bins);
        self.bins.sort_unstable_by_key(|(bin, _)| *bin);
        self.join();
        self.shrink(most);
    }

    fn shrink(&mut self, most: usize) {
        while self.bins.len() > most && self.level < MAX_LEVEL {
            self.widen(self.level + 1);
        }
    }

    /// Makes two bins one until this level is reached.
    fn widen(&mut self, level: u8) {
        while self.level < level {
            self.level += 1;
            for (bin, _) in &mut self.bins {
                *bin = bin.signum() * half(bin.abs());
            }
            self.join();
        }
    }

    /// Puts the counts of the same bin together.
    fn join(&mut self) {
        self.bins.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            is_same
        });
    }

    /// The value of the rank `share * (n - 1)`, rounded down, within [`Sketch::error`] of it. `None` without values.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let count = self.count().checked_sub(1)?;
        let rank = (share.clamp(0.0, 1.0) * count as f64).floor() as u64;
        let mut before = 0;
        let found = self.bins.iter().find(|(_, count)| {
            before += u64::from(*count);
            before > rank
        });
        found.or(self.bins.last()).map(|(bin, _)| middle(*bin, self.level))
    }

    /// How far a quantile may be from the true value, as a share of that.
    pub(super) fn error(&self) -> f64 {
        let ratio = ratio(self.level);
        if ratio.is_finite() { (ratio - 1.0) / (ratio + 1.0) } else { 1.0 }
    }
}

/// The ratio of a bin's ends.
fn ratio(level: u8) -> f64 {
    first_ratio().powf(f64::from(1_u32 << level))
}

/// The number of a value's bin: from 1 for positive values.
fn bin_of(value: f64, level: u8) -> i32 {
    if value == 0.0 {
        return 0;
    }
    // It is widened step by step, so that a value comes into the same bin whenever it is added.
    let exponent = (value.abs().ln() / first_ratio().ln()).ceil() as i32;
    let mut bin = exponent + FURTHEST;
    for _ in 0..level {
        bin = half(bin);
    }
    if value < 0.0 { -bin } else { bin }
}

/// The bin that a bin (not that of zero) belongs to when two become one. The exponents are rounded up.
fn half(bin: i32) -> i32 {
    if bin == 0 { 0 } else { (bin - FURTHEST + 1).div_euclid(2) + FURTHEST }
}

/// The value that is furthest from no value of its bin, by ratio.
fn middle(bin: i32, level: u8) -> f64 {
    if bin == 0 {
        return 0.0;
    }
    let width = f64::from(1_u32 << level) * first_ratio().ln();
    let exponent = f64::from(bin.abs() - FURTHEST);
    let error = Sketch { level, bins: Vec::new() }.error();
    f64::from(bin.signum()) * ((exponent * width).exp() * (1.0 - error)).min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    fn sketch(values: &[f64], most: usize) -> Sketch {
        let mut sketch = Sketch::default();
        for value in values {
            sketch.push(*value, most);
        }
        sketch
    }

    fn values(seed: u64, count: usize) -> Vec<f64> {
        let mut random = noise(seed);
        (0..count).map(|at| if at % 7 == 0 { 0.0 } else { 3.0 * (2.0 * random()).exp() - 1.0 }).collect()
    }

    fn check(values: &[f64], most: usize) {
        let found = sketch(values, most);
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        assert!(found.bins.len() <= most && found.count() == values.len() as u64);
        for share in [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0] {
            let expected = sorted[(share * (values.len() - 1) as f64).floor() as usize];
            let value = found.quantile(share).expect("values");
            assert!(
                (value - expected).abs() <= found.error() * expected.abs() * (1.0 + 1e-9),
                "{share}: {value} isn't {expected} within {}",
                found.error()
            );
        }
    }

    #[test]
    fn quantiles_are_within_the_stated_error() {
        for (seed, count) in [(1, 1), (2, 10), (3, 500), (4, 5_000)] {
            check(&values(seed, count), 4_000);
            check(&values(seed, count), 128);
            check(&values(seed, count), 32);
        }
        check(&[1e-300, 1e300, -1e300, 1e-307, f64::MAX], 4_000);
        assert!(sketch(&values(3, 500), 4_000).error() < 0.010_001);
        assert_eq!(Sketch::default().quantile(0.5), None);
    }

    #[test]
    fn parts_put_together_are_the_whole() {
        let all = values(5, 3_000);
        for most in [32, 128, 4_000] {
            let whole = sketch(&all, most);
            for cut in [0, 1, 700, 2_999] {
                let (one, other) = all.split_at(cut);
                let (one, other) = (sketch(one, most), sketch(other, most));
                let mut forth = one.clone();
                forth.merge(&other, most);
                let mut back = other;
                back.merge(&one, most);
                assert_eq!((&forth, &back), (&whole, &whole), "{most} bins, cut at {cut}");
            }
        }
    }

    #[test]
    fn parts_of_a_file_are_checked() {
        assert!(Sketch::from_parts(0, vec![(-40_001, 1), (0, 2), (40_001, 3)]).is_some());
        for bins in [vec![(2, 1), (1, 1)], vec![(1, 1), (1, 1)], vec![(1, 0)], vec![(i32::MIN, 1)]] {
            assert_eq!(Sketch::from_parts(0, bins), None);
        }
        assert_eq!(Sketch::from_parts(MAX_LEVEL + 1, Vec::new()), None);
    }
}
