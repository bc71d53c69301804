//! What a baseline knows of one series.

use std::collections::BTreeMap;

use super::blocks::Block;
use super::sketch::Sketch;

/// Bins of all values, and of those of an hour of the week.
const BINS: usize = 128;
const HOUR_BINS: usize = 32;

/// How values are distributed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) sketch: Sketch,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Default for Values {
    fn default() -> Self {
        Values { sketch: Sketch::default(), least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

impl Values {
    fn push(&mut self, value: f64, bins: usize) {
        self.sketch.push(value, bins);
        (self.least, self.most) = (self.least.min(value), self.most.max(value));
    }

    fn merge(&mut self, other: &Values, bins: usize) {
        self.sketch.merge(&other.sketch, bins);
        (self.least, self.most) = (self.least.min(other.least), self.most.max(other.most));
    }

    /// A quantile, between the least and the most value.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        self.sketch.quantile(share).map_or(f64::NAN, |value| value.clamp(self.least, self.most))
    }
}

/// How much neighbouring values differ, and all values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) count: u64,
    pub(super) mean: f64,
    /// The sum of squared distances from the mean.
    pub(super) squares: f64,
    /// Pairs of neighbouring blocks, and the sum of their squared differences.
    pub(super) steps: u64,
    pub(super) step_squares: f64,
}

impl Spread {
    fn push(&mut self, value: f64) {
        let one = Spread { count: 1, mean: value, ..Spread::default() };
        self.merge(&one);
    }

    fn step(&mut self, by: f64) {
        self.steps += 1;
        self.step_squares += by * by;
    }

    fn merge(&mut self, other: &Spread) {
        let (count, of_other) = ((self.count + other.count) as f64, other.count as f64);
        if other.count > 0 {
            let by = other.mean - self.mean;
            self.squares += other.squares + by * by * self.count as f64 * of_other / count;
            self.mean += by * of_other / count;
        }
        self.count += other.count;
        self.steps += other.steps;
        self.step_squares += other.step_squares;
    }

    /// How many independent values say as much: of an autoregressive process with the correlation of neighbours, which von Neumann's
    /// ratio gives.
    pub(super) fn independent(&self) -> f64 {
        let count = self.count as f64;
        let variance = self.squares / count;
        let step = self.step_squares / self.steps as f64;
        if !variance.is_normal() || !step.is_finite() {
            // It stood still, or nothing is known of neighbours.
            return count;
        }
        let correlation = (1.0 - step / (2.0 * variance)).clamp(0.0, 0.999);
        count * (1.0 - correlation) / (1.0 + correlation)
    }
}

/// What is known of one series.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Held {
    pub(super) all: Values,
    pub(super) spread: Spread,
    pub(super) hours: BTreeMap<u8, Values>,
    /// The last block, while a capture is read.
    last: Option<(i64, f64)>,
}

impl Held {
    pub(super) fn new(all: Values, spread: Spread) -> Held {
        Held { all, spread, ..Held::default() }
    }

    pub(super) fn push(&mut self, block: Block, mean: f64) {
        self.all.push(mean, BINS);
        self.hours.entry(block.hour()).or_default().push(mean, HOUR_BINS);
        self.spread.push(mean);
        if let Some((before, value)) = self.last
            && before + 1 == block.number
        {
            self.spread.step(mean - value);
        }
        self.last = Some((block.number, mean));
    }

    pub(super) fn merge(&mut self, other: &Held) {
        self.all.merge(&other.all, BINS);
        self.spread.merge(&other.spread);
        for (hour, values) in &other.hours {
            self.hours.entry(*hour).or_default().merge(values, HOUR_BINS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    fn spread(values: &[f64]) -> Spread {
        let mut spread = Spread::default();
        for value in values {
            spread.push(*value);
        }
        for pair in values.windows(2) {
            spread.step(pair[1] - pair[0]);
        }
        spread
    }

    #[test]
    fn correlated_values_count_less() {
        let mut random = noise(3);
        let white: Vec<f64> = (0..4_000).map(|_| random()).collect();
        let found = spread(&white).independent();
        assert!((3_400.0..=4_000.0).contains(&found), "{found}");
        // Of correlation 0.9: 1/19 of them.
        let mut value = 0.0;
        let slow: Vec<f64> = white
            .iter()
            .map(|step| {
                value = 0.9 * value + step;
                value
            })
            .collect();
        let found = spread(&slow).independent();
        assert!((150.0..290.0).contains(&found), "{found}");
        assert!((spread(&[5.0; 40]).independent() - 40.0).abs() < 1e-9);
    }

    #[test]
    fn spreads_of_parts_make_that_of_the_whole() {
        let mut random = noise(4);
        let values: Vec<f64> = (0..500).map(|_| 1e6 + random()).collect();
        let whole = spread(&values);
        let mut parts = spread(&values[..200]);
        parts.merge(&spread(&values[200..]));
        assert!((whole.squares - parts.squares).abs() < 1e-6 * whole.squares);
        assert!((whole.mean - parts.mean).abs() < 1e-9 && whole.count == parts.count);
        assert_eq!(parts.steps, 498);
        let mut none = Spread::default();
        none.merge(&Spread::default());
        assert_eq!(none, Spread::default());
    }
}
