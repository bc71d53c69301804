//! Mean, spread and trend, in one pass.
//!
//! Stretches are summed about their own means, in two passes over cached data, and then combined (Chan,
//! Golub, `LeVeque`, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979). This
//! avoids cancellation, however far the values are from zero and however small their spread.

use super::extent::mean_over_time;

/// Values with their times and weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) count: u64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    mean: f64,
    mean_time: f64,
    /// Sums of squares and products about the means.
    square: f64,
    square_time: f64,
    product: f64,
    weight: f64,
    weighted: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Moments {
            count: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            mean: 0.0,
            mean_time: 0.0,
            square: 0.0,
            square_time: 0.0,
            product: 0.0,
            weight: 0.0,
            weighted: 0.0,
        }
    }
}

/// A straight line through values over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    /// Per second.
    pub(crate) slope: f64,
    /// Coefficient of determination: the share of the spread that the line explains.
    pub(crate) fit: f64,
}

impl Moments {
    /// First pass over a stretch.
    #[inline]
    pub(crate) fn count(&mut self, value: f64, time: f64, weight: f64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        // Sums, until `centre`.
        self.mean += value;
        self.mean_time += time;
        self.weight += weight;
        self.weighted += value * weight;
    }

    /// Between the passes.
    pub(crate) fn centre(&mut self) {
        if self.count > 0 {
            self.mean /= self.count as f64;
            self.mean_time /= self.count as f64;
        }
    }

    /// The second pass over the same stretch.
    #[inline]
    pub(crate) fn spread(&mut self, value: f64, time: f64) {
        let (value, time) = (value - self.mean, time - self.mean_time);
        self.square += value * value;
        self.square_time += time * time;
        self.product += value * time;
    }

    /// Adds another stretch.
    pub(crate) fn join(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (mine, others) = (self.count as f64, other.count as f64);
        let count = mine + others;
        let (value, time) = (other.mean - self.mean, other.mean_time - self.mean_time);
        let factor = mine * others / count;
        self.square += other.square + value * value * factor;
        self.square_time += other.square_time + time * time * factor;
        self.product += other.product + value * time * factor;
        self.mean += value * others / count;
        self.mean_time += time * others / count;
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.weight += other.weight;
        self.weighted += other.weighted;
    }

    /// The mean over time: each value counts with its weight. If none has one (a gauge sampled once),
    /// each counts the same.
    pub(crate) fn mean(&self) -> Option<f64> {
        mean_over_time(self.weighted, self.weight, (self.count > 0).then_some(self.mean))
    }

    /// For how long the values count, in seconds.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }

    /// The sum of the values over time: each times its weight.
    pub(crate) fn weighted(&self) -> f64 {
        self.weighted
    }

    /// Sample standard deviation (n - 1).
    pub(crate) fn deviation(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.square / (self.count - 1) as f64).sqrt())
    }

    /// The least-squares line.
    pub(crate) fn line(&self) -> Option<Line> {
        if self.count < 2 || self.square_time <= 0.0 {
            return None;
        }
        let fit = if self.square > 0.0 {
            self.product * self.product / (self.square_time * self.square)
        } else {
            0.0
        };
        Some(Line { slope: self.product / self.square_time, fit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(f64, f64, f64)]) -> Moments {
        let mut block = Moments::default();
        for (v, t, w) in values {
            block.count(*v, *t, *w);
        }
        block.centre();
        for (v, t, _) in values {
            block.spread(*v, *t);
        }
        block
    }

    #[test]
    fn stretches_join_to_the_whole() {
        // A large offset and a small spread: naive sums of squares lose all digits of the spread.
        let values: Vec<(f64, f64, f64)> = (0..1000_i32)
            .map(|i| {
                (1e9 + f64::from(i % 7) * 0.5 + f64::from(i) * 0.25, f64::from(i), 1.0 + f64::from(i % 3))
            })
            .collect();
        let whole = of(&values);
        let mut joined = Moments::default();
        for part in values.chunks(37) {
            joined.join(&of(part));
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} {b}");
        close(joined.deviation().expect("many"), whole.deviation().expect("many"));
        close(joined.line().expect("a line").slope, whole.line().expect("a line").slope);
        close(joined.line().expect("a line").fit, whole.line().expect("a line").fit);
        assert!((joined.line().expect("a line").slope - 0.25).abs() < 1e-4);
        close(joined.mean().expect("many"), whole.mean().expect("many"));
        assert_eq!((joined.count, joined.min, joined.max), (whole.count, whole.min, whole.max));
    }

    #[test]
    fn weights_are_time() {
        assert_eq!(of(&[(10.0, 0.0, 1.0), (20.0, 3.0, 3.0)]).mean(), Some(17.5));
        assert_eq!(of(&[(10.0, 0.0, 0.0), (20.0, 3.0, 0.0)]).mean(), Some(15.0));
        assert_eq!(of(&[]).mean(), None);
        assert_eq!(of(&[(1.0, 0.0, 1.0)]).deviation(), None);
        assert_eq!(of(&[(1.0, 5.0, 1.0), (2.0, 5.0, 1.0)]).line(), None);
    }
}
