//! Clocks spread over few instances.

use std::cell::OnceCell;

use recount_model::Timer;

/// Clocks of a run with a reading for every cell, created on first use and shared by the run's counters.
///
/// A loop over one sample's instances is only worthwhile if there are enough of them. With few, one loop over
/// the cells of all samples is faster, although it reads more (8 instances: by half).
#[derive(Debug, Default)]
pub(crate) struct SpreadClocks([OnceCell<Vec<u64>>; 3]);

impl SpreadClocks {
    /// From this many instances on, samples are processed one by one.
    const MANY: usize = 32;

    /// The readings per cell, or `None` if there are too many instances, or only one, which doesn't need it.
    pub(crate) fn per_cell(&self, timer: Timer, clock: &[u64], num_instances: usize) -> Option<&[u64]> {
        if !(2..Self::MANY).contains(&num_instances) {
            return None;
        }
        let spread = || {
            let mut cells = Vec::with_capacity(clock.len() * num_instances);
            for reading in clock {
                cells.extend(std::iter::repeat_n(*reading, num_instances));
            }
            cells
        };
        Some(self.0[timer as usize].get_or_init(spread))
    }
}
