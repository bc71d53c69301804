//! Rows of an object's table, as they are read.

use recount_model::Texts;

use super::blocks::Block;
use super::interned::NONE;
use super::row_times::RowTimes;
use super::rows::{Numbers, UNEXPLAINED};
use super::sampled_file::Hosts;

/// Rows of one file, column by column.
pub(super) struct ObjectRows {
    pub(super) times: RowTimes,
    pub(super) hosts: Hosts,
    /// Names and ids; empty if the file has no such column.
    pub(super) instances: Vec<u32>,
    pub(super) ids: Vec<Option<u64>>,
    /// Per column read: the counter's index and its values.
    pub(super) counters: Vec<usize>,
    pub(super) values: Vec<Numbers>,
    /// Per column read: its texts, if the counter has some.
    pub(super) texts: Vec<Option<Texts>>,
    /// Columns with nulls without a reason: counters that some instances don't have.
    pub(super) with_holes: Vec<usize>,
    pub(super) num_rows: usize,
}

impl ObjectRows {
    /// Name of a row's instance, and its id.
    pub(super) fn instance(&self, row: usize) -> (u32, Option<u64>) {
        (self.instances.get(row).copied().unwrap_or(NONE), self.ids.get(row).copied().flatten())
    }

    pub(super) fn find_holes(&mut self) {
        let has_holes =
            |values: &Numbers| values.marks.as_ref().is_some_and(|marks| marks.contains(&UNEXPLAINED));
        self.with_holes = (0..self.values.len()).filter(|at| has_holes(&self.values[*at])).collect();
    }

    /// Whether two blocks with the same number of rows have the same instances with the same counters.
    pub(super) fn is_alike(&self, one: &Block, other: &Block) -> bool {
        fn is_same<T: PartialEq>(cells: &[T], one: &Block, other: &Block) -> bool {
            cells.is_empty() || cells[one.rows()] == cells[other.rows()]
        }
        let has_same_holes = |column: &usize| {
            let values = &self.values[*column];
            let is_hole = |row: usize| values.mark(row) == UNEXPLAINED;
            one.rows().zip(other.rows()).all(|(one, other)| is_hole(one) == is_hole(other))
        };
        is_same(&self.instances, one, other)
            && is_same(&self.ids, one, other)
            && self.with_holes.iter().all(has_same_holes)
    }
}
