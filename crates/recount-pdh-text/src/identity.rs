//! Which process an instance is: the ids that the rows have in `ID Process` and its like
//! (`formats/pdh-text.md#identity`).

use std::ops::Range;
use std::sync::Arc;

use recount_model::{Instance, Instances, Timestamp, id_counters, match_instances};

use crate::names::ColumnGroup;
use crate::structure::number::Cell;

/// The ids of a group's instances while rows are read.
pub(crate) struct Ids {
    num_instances: usize,
    /// Per counter of the group, its place among those with ids.
    place_of: Vec<Option<usize>>,
    num_columns: usize,
    /// Rows × instances × counters with ids.
    cells: Vec<Id>,
    /// Rows × instances: whether a cell that was read isn't blank.
    is_filled: Vec<bool>,
}

/// What a row says about an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Id {
    /// There is no such column, or the row ends before it.
    Unknown,
    /// The column is blank: the instance isn't there.
    Blank,
    /// That of `_Total` and `Idle`, and of processes that have ended.
    Zero,
    /// No whole number.
    None,
    Known(u32),
}

/// The instances of consecutive rows that have the same ones.
pub(crate) struct RowStretch {
    pub(crate) rows: Range<usize>,
    pub(crate) instances: Instances,
    /// Per instance, its place in the group.
    pub(crate) places: Vec<usize>,
    /// Per instance, whether the row before the stretch has it, too.
    pub(crate) continued: Vec<bool>,
    /// Per instance, whether its columns were another's in the row before the stretch.
    pub(crate) has_replaced: Vec<bool>,
}

impl Ids {
    /// `None` if no column has ids.
    pub(crate) fn of(group: &ColumnGroup, num_rows: usize) -> Option<Ids> {
        let counters = &group.object.counters;
        let ids = if group.object.instanced { id_counters(counters) } else { Vec::new() };
        let (num_instances, num_columns) = (group.instances.len(), ids.len());
        (num_columns > 0).then(|| Ids {
            num_instances,
            place_of: (0..counters.len()).map(|at| ids.iter().position(|id| *id == at)).collect(),
            num_columns,
            cells: vec![Id::Unknown; num_rows * num_instances * num_columns],
            is_filled: vec![false; num_rows * num_instances],
        })
    }

    /// Whether a counter has ids.
    pub(crate) fn has(&self, counter: usize) -> bool {
        self.place_of[counter].is_some()
    }

    /// Adds a cell of a row.
    pub(crate) fn add(&mut self, row: usize, counter: usize, instance: usize, cell: &Cell) {
        let at = row * self.num_instances + instance;
        self.is_filled[at] |= !matches!(cell, Cell::Blank);
        if let Some(place) = self.place_of[counter] {
            self.cells[at * self.num_columns + place] = match cell {
                Cell::Blank => Id::Blank,
                Cell::Bad => Id::None,
                Cell::Value(value) => known(*value),
            };
        }
    }

    /// The instances of each stretch of rows, the first of them compared with the row before if there is one.
    pub(crate) fn stretches(&self, group: &ColumnGroup, before: Option<&Ids>) -> Vec<RowStretch> {
        let mut known = before.map(|before| before.instances(0, &group.instances));
        let mut made: Vec<RowStretch> = Vec::new();
        for row in 0..self.is_filled.len() / self.num_instances {
            if let Some(last) = made.last_mut()
                && self.is_like_the_row_before(row)
            {
                last.rows.end = row + 1;
                continue;
            }
            let now = self.instances(row, &group.instances);
            if let Some(last) = made.last_mut()
                && known.as_ref() == Some(&now)
            {
                last.rows.end = row + 1;
                continue;
            }
            let (places, instances): (Vec<usize>, Vec<Instance>) = now.iter().cloned().unzip();
            let earlier = known.iter().flatten().map(|(_, instance)| instance.clone());
            let continued = match_instances(&earlier.collect::<Vec<_>>(), Timestamp::default(), &instances);
            let earlier = known.as_deref().unwrap_or_default();
            made.push(RowStretch {
                rows: row..row + 1,
                instances: Arc::from(instances),
                places,
                continued: continued.iter().map(Option::is_some).collect(),
                has_replaced: now.iter().map(|instance| has_replaced(earlier, instance)).collect(),
            });
            known = Some(now);
        }
        made
    }

    /// Whether a row, which isn't the first, says the same about all ids as the row before.
    fn is_like_the_row_before(&self, row: usize) -> bool {
        let num = self.num_instances;
        let cells =
            |row: usize| &self.cells[row * num * self.num_columns..(row + 1) * num * self.num_columns];
        let is_filled = |row: usize| &self.is_filled[row * num..(row + 1) * num];
        cells(row) == cells(row - 1) && is_filled(row) == is_filled(row - 1)
    }

    /// The instances that are there in a row, each with its place in the group.
    fn instances(&self, row: usize, all: &[Instance]) -> Vec<(usize, Instance)> {
        let identified = |(place, instance): (usize, &Instance)| {
            let at = row * self.num_instances + place;
            let cells = &self.cells[at * self.num_columns..(at + 1) * self.num_columns];
            if !self.is_filled[at] && cells.iter().all(|id| *id == Id::Blank) {
                return None;
            }
            // For Thread: the thread's id, qualified by the process's.
            let id = cells.iter().try_fold(0, |id: u64, cell| match cell {
                Id::Known(cell) => Some((id << 32) | u64::from(*cell)),
                Id::Zero if is_zero(instance) => Some(id << 32),
                _ => None,
            });
            Some((place, Instance { id, ..instance.clone() }))
        };
        all.iter().enumerate().filter_map(identified).collect()
    }
}

/// Whether an instance is in the columns of another one of the row before, by their ids. Both have places, which ascend.
fn has_replaced(earlier: &[(usize, Instance)], (place, instance): &(usize, Instance)) -> bool {
    let before = earlier.binary_search_by_key(place, |(place, _)| *place).ok();
    let before = before.and_then(|at| earlier[at].1.id);
    before.zip(instance.id).is_some_and(|(before, id)| before != id)
}

fn known(value: f64) -> Id {
    let id = value as u32;
    match id {
        _ if f64::from(id).to_bits() != value.to_bits() => Id::None,
        0 => Id::Zero,
        id => Id::Known(id),
    }
}

/// Whether 0 is the id of an instance.
fn is_zero(instance: &Instance) -> bool {
    let is_idle = |name: &str| name.eq_ignore_ascii_case("Idle");
    instance.is_total() || is_idle(instance.parent.as_deref().unwrap_or(&instance.name))
}
