//! Levels and straight lines through stretches of a series, each in the same time, by running sums.

/// Running sums of a series: of n values the first n.
pub(crate) struct Sums {
    sums: Vec<[f64; 3]>,
}

/// What describes a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    /// Its value in the middle of the stretch.
    pub(crate) middle: f64,
    /// Per value.
    pub(crate) slope: f64,
    /// The sum of squared distances from the mean.
    pub(crate) about_level: f64,
    /// The sum of squared distances from the line.
    pub(crate) about_slope: f64,
}

impl Sums {
    pub(crate) fn of(values: &[f64]) -> Sums {
        // The differences of large sums would be inexact.
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let mut sums = Vec::with_capacity(values.len() + 1);
        let mut sum = [0.0; 3];
        sums.push(sum);
        for (at, value) in values.iter().enumerate() {
            let value = value - mean;
            sum = [sum[0] + value, sum[1] + value * value, sum[2] + value * at as f64];
            sums.push(sum);
        }
        Sums { sums }
    }

    /// The place that divides a stretch into two levels best, if each has so many values at least.
    pub(super) fn best_step(&self, first: usize, end: usize, least: usize) -> Option<usize> {
        let cost = |at: usize| self.line(first, at).about_level + self.line(at, end).about_level;
        (first + least..=end.checked_sub(least)?).min_by(|a, b| cost(*a).total_cmp(&cost(*b)))
    }

    /// The level and the line through the values from `first` to before `end`. Its middle is that of differences from the mean of the
    /// whole series.
    pub(crate) fn line(&self, first: usize, end: usize) -> Line {
        let (a, b) = (self.sums[first], self.sums[end]);
        let count = (end - first) as f64;
        let [sum, squares, products] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let about_level = (squares - sum * sum / count).max(0.0);
        let centre = (first + end - 1) as f64 / 2.0;
        let width = count * (count * count - 1.0) / 12.0;
        let both = products - centre * sum;
        let slope = if width > 0.0 { both / width } else { 0.0 };
        Line { middle: sum / count, slope, about_level, about_slope: (about_level - slope * both).max(0.0) }
    }

    /// The least sum of squared distances from three levels, one after the other.
    pub(super) fn about_three_levels(&self, first: usize, end: usize) -> f64 {
        let about = |from: usize, to: usize| self.line(from, to).about_level;
        let of_two = |to: usize| (first + 1..to).map(|at| about(first, at) + about(at, to)).reduce(f64::min);
        let of_three = (first + 2..end).filter_map(|at| Some(of_two(at)? + about(at, end)));
        of_three.reduce(f64::min).unwrap_or_else(|| about(first, end))
    }
}
