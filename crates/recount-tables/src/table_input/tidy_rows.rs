//! Rows of a tidy table, as they are read.

use recount_model::Texts;

use super::blocks::Block;
use super::row_times::RowTimes;
use super::rows::Numbers;
use super::sampled_file::Hosts;

/// Rows of one file, column by column.
pub(super) struct TidyRows {
    pub(super) times: RowTimes,
    pub(super) hosts: Hosts,
    pub(super) objects: Vec<u32>,
    pub(super) instances: Vec<u32>,
    pub(super) counters: Vec<u32>,
    /// Empty if the file has no such column.
    pub(super) texts: Texts,
    /// Each null is marked with its status.
    pub(super) values: Numbers,
}

impl TidyRows {
    /// Whether two blocks with the same number of rows have the same counters of the same instances.
    pub(super) fn is_alike(&self, one: &Block, other: &Block) -> bool {
        self.instances[one.rows()] == self.instances[other.rows()]
            && self.counters[one.rows()] == self.counters[other.rows()]
    }
}
