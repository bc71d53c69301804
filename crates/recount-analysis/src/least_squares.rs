//! The straight line through points by least squares.

/// A line through points, with what they leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LeastSquares {
    /// The mean of both coordinates, through which it goes.
    pub(crate) middle: (f64, f64),
    pub(crate) slope: f64,
    /// The sum of squared distances from the mean of the first coordinate.
    pub(crate) width: f64,
    /// The share of the second coordinate's variance that it explains.
    pub(crate) share: f64,
}

impl LeastSquares {
    /// `None` if all have the same first coordinate, or there are none.
    pub(crate) fn through(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<LeastSquares> {
        let count = points.clone().count() as f64;
        let sum = points.clone().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        let middle = (sum.0 / count, sum.1 / count);
        let (width, both, height) = points.fold((0.0, 0.0, 0.0), |sums, point| {
            let (x, y) = (point.0 - middle.0, point.1 - middle.1);
            (sums.0 + x * x, sums.1 + x * y, sums.2 + y * y)
        });
        let share = if height > 0.0 { both * both / (width * height) } else { 0.0 };
        (width > 0.0).then(|| LeastSquares { middle, slope: both / width, width, share })
    }

    pub(crate) fn at(&self, x: f64) -> f64 {
        self.middle.1 + self.slope * (x - self.middle.0)
    }
}
