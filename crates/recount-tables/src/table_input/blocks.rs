//! From rows to blocks. A block is one sample's part of a stretch of cooked values.

use std::ops::Range;

use super::rows::{Numbers, PRESENT};
use super::weights::{RowWeights, Weights};

/// Rows of one sample that belong together: same host, object, interval and weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) sample: u32,
    /// The first of its rows, among those read.
    pub(super) row: usize,
    pub(super) num_rows: usize,
    /// Numbers of the names of host and object.
    pub(super) host: u32,
    pub(super) object: u32,
    pub(super) interval: Interval,
    pub(super) weights: Weights,
}

impl Block {
    pub(super) fn rows(&self) -> Range<usize> {
        self.row..self.row + self.num_rows
    }
}

/// The intervals of a block's rows, as the bits of their seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interval {
    /// All rows have this interval, or none has one.
    Same(Option<u64>),
    /// Some rows have this interval, the others none.
    Some(u64),
}

impl Interval {
    /// The seconds of those rows that have an interval.
    pub(super) fn seconds(self) -> Option<f64> {
        match self {
            Interval::Same(bits) => bits.map(f64::from_bits),
            Interval::Some(bits) => Some(f64::from_bits(bits)),
        }
    }

    /// The interval of a block with an additional row; `None` if the row has a different one.
    fn with(self, other: Option<u64>) -> Option<Interval> {
        match (self, other) {
            (Interval::Same(same), other) if same == other => Some(self),
            (Interval::Same(Some(bits)), None) | (Interval::Same(None), Some(bits)) => {
                Some(Interval::Some(bits))
            }
            (Interval::Some(bits), other) if other.is_none_or(|other| other == bits) => Some(self),
            _ => None,
        }
    }
}

/// Decides where rows begin another block.
pub(super) trait BlockCut {
    /// Host and object of a row.
    fn key(&self, row: usize) -> (u32, u32);

    /// Whether a row belongs to a block that begins at `first` and contains all rows in between.
    fn belongs(&mut self, first: usize, row: usize) -> bool;
}

/// Cuts the rows of a sample into blocks.
pub(super) fn cut(
    sample: u32,
    rows: Range<usize>,
    (intervals, weights): (&Numbers, &RowWeights),
    by: &mut impl BlockCut,
    blocks: &mut Vec<Block>,
) {
    let weights_of = |row: usize| weights.of(row, intervals.bits(row));
    let mut row = rows.start;
    while row < rows.end {
        let (host, object) = by.key(row);
        let mut interval = Interval::Same(intervals.bits(row));
        let mut weights = weights_of(row);
        let mut end = row + 1;
        while end < rows.end && by.belongs(row, end) {
            match interval.with(intervals.bits(end)).zip(weights.with(weights_of(end))) {
                Some(with) => (interval, weights) = with,
                None => break,
            }
            end += 1;
        }
        blocks.push(Block { sample, row, num_rows: end - row, host, object, interval, weights });
        row = end;
    }
}

/// Which of a block's rows have an interval: their instances are in the previous sample.
pub(super) fn has_interval(intervals: &Numbers, row: usize) -> bool {
    intervals.mark(row) == PRESENT
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one object; the number is that of the instance.
    struct Instances(Vec<u32>);

    impl BlockCut for Instances {
        fn key(&self, _row: usize) -> (u32, u32) {
            (0, 0)
        }

        fn belongs(&mut self, first: usize, row: usize) -> bool {
            self.0[first] != self.0[row]
        }
    }

    #[test]
    fn blocks_end_where_intervals_differ_or_instances_repeat() {
        let intervals = Numbers {
            values: vec![1.0, 1.0, 0.0, 1.0, 2.0, 2.0, 0.0],
            marks: Some(vec![0, 0, 255, 0, 0, 0, 255]),
        };
        let mut blocks = Vec::new();
        cut(
            3,
            0..7,
            (&intervals, &RowWeights::default()),
            &mut Instances(vec![1, 2, 3, 1, 2, 3, 4]),
            &mut blocks,
        );
        let found: Vec<_> = blocks.iter().map(|block| (block.rows(), block.interval)).collect();
        let bits = f64::to_bits;
        assert_eq!(
            found,
            [
                (0..3, Interval::Some(bits(1.0))),
                (3..4, Interval::Same(Some(bits(1.0)))),
                (4..7, Interval::Some(bits(2.0)))
            ]
        );
    }
}
