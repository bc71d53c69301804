//! From rows to blocks. A block is one sample's part of a stretch of cooked values.

use std::ops::Range;

use super::row_times::{BlockTime, RowTimes};

/// Rows of one sample that belong together: same host and object, and nothing that differs about their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) sample: u32,
    /// The first of its rows, among those read.
    pub(super) row: usize,
    pub(super) num_rows: usize,
    /// Numbers of the names of host and object.
    pub(super) host: u32,
    pub(super) object: u32,
    pub(super) time: BlockTime,
}

impl Block {
    pub(super) fn rows(&self) -> Range<usize> {
        self.row..self.row + self.num_rows
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
    times: &RowTimes,
    by: &mut impl BlockCut,
    blocks: &mut Vec<Block>,
) {
    let mut row = rows.start;
    while row < rows.end {
        let (host, object) = by.key(row);
        let mut time = times.of(row);
        let mut end = row + 1;
        while end < rows.end && by.belongs(row, end) {
            let Some(with) = time.with(times.of(end)) else { break };
            time = with;
            end += 1;
        }
        blocks.push(Block { sample, row, num_rows: end - row, host, object, time });
        row = end;
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Health;

    use super::super::rows::Numbers;
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
        let times = RowTimes::new(intervals, None, "t", &mut Health::default());
        cut(3, 0..7, &times, &mut Instances(vec![1, 2, 3, 1, 2, 3, 4]), &mut blocks);
        let found: Vec<_> = blocks
            .iter()
            .map(|block| (block.rows(), block.time.interval_s(), block.time.is_mixed()))
            .collect();
        assert_eq!(found, [(0..3, Some(1.0), true), (3..4, Some(1.0), false), (4..7, Some(2.0), true)]);
    }
}
