//! Values with the time that they are about, and what is kept of many.

use recount_model::Timestamp;

/// A value or the mean of several, its interval and what is shown with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) begin: Timestamp,
    /// When the value before has to end so that this one continues it: at the begin, or before a short time in which a value is missing.
    pub(super) follows: Timestamp,
    pub(super) end: Timestamp,
    pub(super) seconds: f64,
    pub(super) value: Figure,
    pub(super) shown: Vec<Figure>,
}

/// An interval that begins later than the one before ended, by more than this share of its length, doesn't continue it.
const APART: f64 = 0.5;

impl Cell {
    /// Adds what follows it.
    pub(super) fn join(&mut self, next: &Cell) {
        self.end = next.end;
        self.seconds += next.seconds;
        self.value.join(&next.value);
        Figure::join_all(&mut self.shown, &next.shown);
    }

    /// Whether it doesn't continue what has ended.
    pub(super) fn is_apart(&self, end: Timestamp) -> bool {
        self.follows.seconds_since(end) > APART * self.seconds || (self.seconds == 0.0 && self.begin > end)
    }
}

/// Mean over time and extremes of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    weight: f64,
    weighted: f64,
    count: f64,
    sum: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Default for Figure {
    fn default() -> Self {
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        Figure { weight: 0.0, weighted: 0.0, count: 0.0, sum: 0.0, min, max }
    }
}

impl Figure {
    pub(super) fn of(value: f64, seconds: f64) -> Figure {
        let mut figure = Figure::default();
        figure.add(value, seconds);
        figure
    }

    /// NaN isn't a value.
    fn add(&mut self, value: f64, seconds: f64) {
        if value.is_nan() {
            return;
        }
        self.weight += seconds;
        self.weighted += value * seconds;
        self.count += 1.0;
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    pub(super) fn join_all(figures: &mut Vec<Figure>, others: &[Figure]) {
        figures.resize(others.len(), Figure::default());
        for (figure, other) in figures.iter_mut().zip(others) {
            figure.join(other);
        }
    }

    /// The values of another, too.
    pub(super) fn join(&mut self, other: &Figure) {
        self.weight += other.weight;
        self.weighted += other.weighted;
        self.count += other.count;
        self.sum += other.sum;
        self.join_extremes(other);
    }

    pub(super) fn join_extremes(&mut self, other: &Figure) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Over time; without intervals each value counts the same. `None` without values.
    pub(super) fn mean(&self) -> Option<f64> {
        if self.count == 0.0 {
            return None;
        }
        Some(if self.weight > 0.0 { self.weighted / self.weight } else { self.sum / self.count })
    }
}
