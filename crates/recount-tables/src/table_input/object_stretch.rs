//! From blocks of an object's rows to cooked columns.

use std::ops::Range;
use std::sync::Arc;

use recount_compute::{Cooked, CookedColumn};
use recount_model::{ObjectDef, SampleTime};

use super::blocks::Block;
use super::instance_tables::InstanceTables;
use super::interned::{Interned, NONE};
use super::object_rows::ObjectRows;
use super::row_times::BlockTime;
use super::rows::{PRESENT, UNEXPLAINED, status_of};

/// Builds cooked columns from rows.
pub(super) struct StretchBuilder<'a> {
    /// The definition, for rows with and without an instance.
    pub(super) object: &'a Arc<ObjectDef>,
    pub(super) not_instanced: &'a Arc<ObjectDef>,
    pub(super) instances: &'a InstanceTables,
    pub(super) rows: ObjectRows,
    pub(super) times: &'a [SampleTime],
    pub(super) names: &'a Interned,
}

impl StretchBuilder<'_> {
    /// Builds columns from similar blocks. If these are all the rows read, the values are moved; otherwise
    /// they are copied.
    pub(super) fn build(&mut self, stretch: &[Block], is_only: bool) -> Cooked {
        let first = stretch.first().copied();
        let rows_of_first = first.map_or(0..0, |first| first.rows());
        let keys: Vec<_> = rows_of_first.clone().map(|row| self.rows.instance(row)).collect();
        let is_instanced = keys.first().is_none_or(|(name, _)| *name != NONE);
        let cells = cells_of(stretch);
        let columns = (0..self.rows.values.len())
            .filter_map(|at| self.column(at, &rows_of_first, &cells, is_only))
            .collect();
        let (gaps, first_s) = BlockTime::of_samples(stretch.iter().map(|block| block.time));
        Cooked {
            host: first.map_or_else(Arc::default, |first| self.names.name(first.host)),
            object: Arc::clone(if is_instanced { self.object } else { self.not_instanced }),
            instances: self.instances.of(keys, self.names),
            times: stretch.iter().map(|block| self.time(block.sample)).collect(),
            gaps,
            first_s,
            interval_s: stretch.iter().map(|block| block.time.interval_s()).collect(),
            continued: rows_of_first.map(|row| self.rows.times.has_interval(row)).collect(),
            columns,
            raw: None,
        }
    }

    fn time(&self, sample: u32) -> SampleTime {
        self.times.get(sample as usize).copied().unwrap_or_default()
    }

    /// `None` if no instance has the counter.
    fn column(
        &mut self,
        at: usize,
        rows_of_first: &Range<usize>,
        cells: &[Range<usize>],
        is_only: bool,
    ) -> Option<CookedColumn> {
        let counter = *self.rows.counters.get(at)?;
        let numbers = self.rows.values.get_mut(at)?;
        let mut covers = None;
        let mut status = None;
        if let Some(marks) = &numbers.marks {
            let has_counter = |mark: &u8| *mark != UNEXPLAINED;
            let of_first: Arc<[bool]> = marks[rows_of_first.clone()].iter().map(has_counter).collect();
            if !of_first.is_empty() && !of_first.contains(&true) {
                return None;
            }
            covers = of_first.contains(&false).then_some(of_first);
            let is_missing = |cells: &Range<usize>| marks[cells.clone()].iter().any(|mark| *mark != PRESENT);
            if cells.iter().any(is_missing) {
                let all = cells.iter().flat_map(|cells| &marks[cells.clone()]);
                status = Some(all.map(|mark| status_of(*mark)).collect());
            }
        }
        let texts = self.rows.texts.get(at).and_then(Option::as_ref).map(|texts| {
            let of_blocks = cells.iter().flat_map(|cells| &texts[cells.clone()]);
            of_blocks.cloned().collect()
        });
        let values = match cells {
            [all] if is_only && *all == (0..numbers.values.len()) => std::mem::take(&mut numbers.values),
            _ => {
                let num_cells = cells.iter().map(ExactSizeIterator::len).sum();
                let mut values = Vec::with_capacity(num_cells);
                for cells in cells {
                    values.extend_from_slice(&numbers.values[cells.clone()]);
                }
                values
            }
        };
        Some(CookedColumn { counter, values, status, covers, texts })
    }
}

/// The rows of all blocks; adjacent ranges are merged.
fn cells_of(stretch: &[Block]) -> Vec<Range<usize>> {
    let mut cells: Vec<Range<usize>> = Vec::new();
    for block in stretch {
        match cells.last_mut() {
            Some(last) if last.end == block.row => last.end = block.rows().end,
            _ => cells.push(block.rows()),
        }
    }
    cells
}
