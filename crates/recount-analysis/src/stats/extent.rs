//! Minimum, maximum and mean over time of some values of a series, as drawn for a stretch.

/// Values of a series, summed up. Without values it is empty, which [`Extent::default`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Number of values.
    pub count: u64,
    /// Smallest value; infinite if there is none.
    pub min: f64,
    /// Largest value; infinite if there is none.
    pub max: f64,
    /// Sum of the values.
    pub sum: f64,
    /// For how long the values count, in seconds.
    pub weight: f64,
    /// Sum of the values, each multiplied by its weight.
    pub weighted: f64,
}

impl Default for Extent {
    fn default() -> Self {
        Extent { count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0, weight: 0.0, weighted: 0.0 }
    }
}

impl Extent {
    /// Adds a value and for how long it counts, in seconds.
    #[inline]
    pub fn add(&mut self, value: f64, weight: f64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += value;
        self.weight += weight;
        self.weighted += value * weight;
    }

    /// Adds other values of the same series.
    pub fn join(&mut self, other: &Extent) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.weight += other.weight;
        self.weighted += other.weighted;
    }

    /// Whether there is a value.
    pub fn has_values(&self) -> bool {
        self.count > 0
    }

    /// The mean over time, as in the figures of a whole series: each value counts as long as its interval. If no value has an
    /// interval, each counts the same.
    pub fn mean(&self) -> Option<f64> {
        let plain = (self.count > 0).then(|| self.sum / self.count as f64);
        mean_over_time(self.weighted, self.weight, plain)
    }
}

/// The mean over time; `plain` if no value has a weight.
pub(super) fn mean_over_time(weighted: f64, weight: f64, plain: Option<f64>) -> Option<f64> {
    if weight > 0.0 { Some(weighted / weight) } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_count_as_long_as_their_intervals() {
        let mut first = Extent::default();
        assert_eq!((first.mean(), first.has_values()), (None, false));
        first.add(100.0, 0.0);
        assert_eq!(first.mean(), Some(100.0));
        let mut second = Extent::default();
        second.add(8.0, 1.0);
        second.add(4.0, 3.0);
        first.join(&second);
        assert_eq!((first.count, first.min, first.mean(), first.max), (3, 4.0, Some(5.0), 100.0));
    }
}
