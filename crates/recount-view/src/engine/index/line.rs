//! The index of one series.

use std::ops::Range;

use recount_analysis::stats::Extent;

/// Stretches with values, ascending. As long as all values are equal, as in many series, only their weights are kept.
#[derive(Debug, Default)]
pub(super) struct Line {
    at: Vec<u16>,
    weights: Vec<f64>,
    /// Empty while all values are `level`.
    points: Vec<Point>,
    level: Option<f64>,
    /// The stretch to which values are being added, and its values so far.
    open: Extent,
    open_at: u16,
}

/// A stretch, whose weight is stored separately.
#[derive(Clone, Copy, Debug)]
struct Point {
    min: f64,
    max: f64,
    /// Sum of values by their weights; the mean, if the weight is zero.
    weighted: f64,
}

/// Memory grows by an eighth, but at least by this many points: doubling would leave half of it unused.
const GROWTH: usize = 96;

impl Line {
    /// Bytes of a stretch.
    pub(super) const LEN_POINT: usize = size_of::<u16>() + size_of::<f64>() + size_of::<Point>();

    pub(super) fn add(&mut self, bucket: usize, value: f64, weight: f64) {
        let bucket = bucket.min(usize::from(u16::MAX)) as u16;
        if !self.open.has_values() {
            self.open_at = bucket;
        } else if bucket > self.open_at {
            self.close();
            self.open_at = bucket;
        } else if bucket < self.open_at {
            // Captures that overlap.
            let mut extent = Extent::default();
            extent.add(value, weight);
            self.put(bucket, &extent);
            return;
        }
        self.open.add(value, weight);
    }

    fn close(&mut self) {
        let (open, at) = (std::mem::take(&mut self.open), self.open_at);
        self.put(at, &open);
    }

    /// Adds values to a stretch that isn't open.
    #[expect(clippy::float_cmp, reason = "the very same value, or not")]
    fn put(&mut self, at: u16, extent: &Extent) {
        let value = (extent.min == extent.max).then_some(extent.min);
        if self.at.is_empty() && self.points.is_empty() {
            self.level = value;
        } else if self.level.is_some() && self.level != value {
            self.unfold();
        }
        // Nearly always behind all others.
        let place = if self.at.last().is_none_or(|last| *last < at) {
            Err(self.at.len())
        } else {
            self.at.binary_search(&at)
        };
        match place {
            Ok(place) => self.join(place, extent),
            Err(place) => {
                let growth = GROWTH.max(self.at.len() / 8);
                if self.at.len() == self.at.capacity() {
                    self.at.reserve_exact(growth);
                    self.weights.reserve_exact(growth);
                }
                self.at.insert(place, at);
                self.weights.insert(place, extent.weight);
                if self.level.is_none() {
                    if self.points.len() == self.points.capacity() {
                        self.points.reserve_exact(growth);
                    }
                    self.points.insert(place, Point::of(extent));
                }
            }
        }
    }

    fn join(&mut self, place: usize, extent: &Extent) {
        if self.level.is_none() {
            let mut joined = self.extent(place);
            joined.join(extent);
            self.points[place] = Point::of(&joined);
        }
        self.weights[place] += extent.weight;
    }

    /// Switches from a single level to separate values.
    fn unfold(&mut self) {
        if let Some(level) = self.level.take() {
            let point = |weight: &f64| Point {
                min: level,
                max: level,
                weighted: if *weight > 0.0 { level * weight } else { level },
            };
            self.points = self.weights.iter().map(point).collect();
        }
    }

    fn extent(&self, place: usize) -> Extent {
        let weight = self.weights[place];
        let point = self.level.map_or_else(
            || self.points[place],
            |level| Point {
                min: level,
                max: level,
                weighted: if weight > 0.0 { level * weight } else { level },
            },
        );
        Extent {
            count: 1,
            min: point.min,
            max: point.max,
            // Only used if no value has a weight.
            sum: point.weighted,
            weight,
            weighted: if weight > 0.0 { point.weighted } else { 0.0 },
        }
    }

    /// Visits every stretch in a range that has values.
    pub(super) fn each(&self, range: Range<usize>, mut take: impl FnMut(usize, &Extent)) {
        let first = self.at.partition_point(|at| usize::from(*at) < range.start);
        let mut open =
            (self.open.has_values() && range.contains(&usize::from(self.open_at))).then_some(&self.open);
        for place in first..self.at.len() {
            let at = usize::from(self.at[place]);
            if at >= range.end {
                break;
            }
            let mut extent = self.extent(place);
            if at == usize::from(self.open_at)
                && let Some(more) = open.take()
            {
                extent.join(more);
            }
            take(at, &extent);
        }
        if let Some(open) = open {
            take(usize::from(self.open_at), open);
        }
    }

    /// Joins stretches in pairs.
    pub(super) fn coarsen(&mut self) {
        let mut kept = 0;
        for place in 0..self.at.len() {
            let at = self.at[place] / 2;
            if kept > 0 && self.at[kept - 1] == at {
                if self.level.is_none() {
                    let mut joined = self.extent(kept - 1);
                    joined.join(&self.extent(place));
                    self.points[kept - 1] = Point::of(&joined);
                }
                self.weights[kept - 1] += self.weights[place];
            } else {
                self.at[kept] = at;
                self.weights[kept] = self.weights[place];
                if self.level.is_none() {
                    self.points[kept] = self.points[place];
                }
                kept += 1;
            }
        }
        self.at.truncate(kept);
        self.weights.truncate(kept);
        self.points.truncate(kept);
        self.at.shrink_to_fit();
        self.weights.shrink_to_fit();
        self.points.shrink_to_fit();
        self.open_at /= 2;
    }

    pub(super) fn len_bytes(&self) -> usize {
        self.at.capacity() * size_of::<u16>()
            + self.weights.capacity() * size_of::<f64>()
            + self.points.capacity() * size_of::<Point>()
    }
}

impl Point {
    fn of(extent: &Extent) -> Point {
        let weighted = if extent.weight > 0.0 { extent.weighted } else { extent.mean().unwrap_or(0.0) };
        Point { min: extent.min, max: extent.max, weighted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(line: &Line) -> Vec<(usize, f64, f64, Option<f64>)> {
        let mut all = Vec::new();
        line.each(0..100, |at, extent| all.push((at, extent.min, extent.max, extent.mean())));
        all
    }

    #[test]
    fn a_level_series_costs_its_weights_and_unfolds() {
        let mut line = Line::default();
        for bucket in 0..6 {
            line.add(bucket, 5.0, if bucket == 0 { 0.0 } else { 1.0 });
        }
        assert!(line.points.is_empty() && line.level == Some(5.0));
        assert_eq!(stretches(&line)[5], (5, 5.0, 5.0, Some(5.0)));
        line.add(6, 5.0, 1.0);
        line.add(6, 9.0, 3.0);
        line.add(7, 0.0, 2.0);
        let expected = (6, 5.0, 9.0, Some(8.0));
        assert_eq!((stretches(&line).len(), stretches(&line)[6]), (8, expected));
        line.coarsen();
        // 5 for 1 s, 9 for 3 s, 0 for 2 s; the value without an interval counts nothing.
        let all = stretches(&line);
        assert_eq!(
            (all.len(), all[3], all[0]),
            (4, (3, 0.0, 9.0, Some(32.0 / 6.0)), (0, 5.0, 5.0, Some(5.0)))
        );
    }

    #[test]
    fn late_values_find_their_stretch() {
        let mut line = Line::default();
        line.add(3, 1.0, 1.0);
        line.add(5, 2.0, 1.0);
        line.add(3, 7.0, 1.0);
        line.add(4, 4.0, 1.0);
        assert_eq!(
            stretches(&line),
            [(3, 1.0, 7.0, Some(4.0)), (4, 4.0, 4.0, Some(4.0)), (5, 2.0, 2.0, Some(2.0))]
        );
    }
}
