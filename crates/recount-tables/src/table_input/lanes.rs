//! From blocks to stretches: consecutive samples with the same instances and counters.
//!
//! Rows with equal times are in the order of the capture, and the output must keep that order: blocks with
//! equal times are assigned to stretches in order. So hosts whose rows alternate have parallel stretches; if
//! one can't be continued, all open ones end.

use std::collections::HashMap;

use super::blocks::Block;

/// Blocks of consecutive samples.
pub(super) type BlockStretch = Vec<Block>;

/// Stretches under construction.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    done: Vec<BlockStretch>,
    open: Vec<BlockStretch>,
    /// Per host and object, the last of their open stretches.
    open_of: HashMap<(u32, u32), usize>,
    /// The stretches to which the current sample may still be added.
    next: usize,
    sample: Option<u32>,
}

impl Lanes {
    /// Adds a block. Blocks come in the order of their rows; `is_alike` says whether two blocks with the same
    /// host, object and length have the same instances and counters.
    pub(super) fn push(&mut self, block: Block, is_alike: impl Fn(&Block, &Block) -> bool) {
        if self.sample != Some(block.sample) {
            (self.sample, self.next) = (Some(block.sample), 0);
        }
        let continues = |stretch: &BlockStretch| {
            stretch.first().is_some_and(|first| {
                let key = |block: &Block| (block.host, block.object, block.num_rows);
                key(first) == key(&block) && is_alike(first, &block)
            })
        };
        // Within a stretch, every instance is in the previous sample.
        let open = self.open.get_mut(self.next..).unwrap_or_default();
        let found = if block.time.is_mixed() { None } else { open.iter().position(continues) };
        if let Some(at) = found {
            open[at].push(block);
            self.next += at + 1;
            return;
        }
        if self.next < self.open.len() || self.has_earlier(&block) {
            self.done.append(&mut self.open);
            self.open_of.clear();
        }
        self.open_of.insert((block.host, block.object), self.open.len());
        self.open.push(vec![block]);
        self.next = self.open.len();
    }

    /// Whether the block's host and object have an open stretch with an earlier end: output must be in order.
    fn has_earlier(&self, block: &Block) -> bool {
        let before = self.open_of.get(&(block.host, block.object)).and_then(|at| self.open.get(*at)?.last());
        before.is_some_and(|before| before.sample < block.sample)
    }

    /// All stretches, in order.
    pub(super) fn finish(mut self) -> Vec<BlockStretch> {
        self.done.append(&mut self.open);
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::super::row_times::BlockTime;
    use super::*;

    /// Host and sample of all blocks of each stretch.
    fn stretches(blocks: &[(u32, u32, usize)]) -> Vec<Vec<(u32, u32)>> {
        let mut lanes = Lanes::default();
        for &(sample, host, num_rows) in blocks {
            let time = BlockTime::default();
            lanes.push(Block { sample, row: 0, num_rows, host, object: 0, time }, |_, _| true);
        }
        let key = |block: &Block| (block.sample, block.host);
        lanes.finish().iter().map(|stretch| stretch.iter().map(key).collect()).collect()
    }

    #[test]
    fn hosts_side_by_side_have_a_stretch_each() {
        let found = stretches(&[(1, 7, 2), (1, 8, 2), (2, 7, 2), (2, 8, 2), (4, 8, 2)]);
        assert_eq!(found, [vec![(1, 7), (2, 7)], vec![(1, 8), (2, 8), (4, 8)]]);
    }

    #[test]
    fn the_order_of_a_sample_is_kept() {
        let found = stretches(&[(1, 7, 2), (1, 8, 2), (2, 8, 2), (2, 7, 2)]);
        assert_eq!(found, [vec![(1, 7)], vec![(1, 8), (2, 8)], vec![(2, 7)]]);
        // The last of host 7 comes after the one in between.
        let found = stretches(&[(1, 7, 2), (1, 8, 2), (2, 8, 2), (2, 7, 2), (3, 7, 2)]);
        assert_eq!(found, [vec![(1, 7)], vec![(1, 8), (2, 8)], vec![(2, 7), (3, 7)]]);
        // Another number of instances.
        let found = stretches(&[(1, 7, 2), (1, 8, 2), (2, 7, 3), (2, 8, 2), (3, 7, 3), (3, 8, 2)]);
        assert_eq!(found, [vec![(1, 7)], vec![(1, 8)], vec![(2, 7), (3, 7)], vec![(2, 8), (3, 8)]]);
    }
}
