//! Where the values of a shape belong, computed once for all answers of one shape.

use std::collections::HashMap;
use std::sync::Arc;

use recount_bytes::{ByteOrder, sized_text};
use recount_model::{Column, CounterDef, Instance, ObjectDef, Width, number_namesakes};

use super::budget::Budget;
use super::gather::{BlockShape, Gathered, Kind, Shape};
use super::rows::Rows;
use super::view::View;
use crate::ReturnCode;

/// The cell of a value that belongs nowhere.
const NOWHERE: u32 = u32::MAX;

/// Receives faults of a block.
type Note<'n> = dyn FnMut(&str) + 'n;

/// The meaning of answers of one shape for one view.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The instance table, with occurrence numbers, without starts.
    pub(super) instances: Vec<Instance>,
    /// Per column, which instances it has; `None` for all.
    pub(super) covers: Vec<Option<Arc<[bool]>>>,
    /// Per value its cell: column × number of instances + instance.
    cells: Vec<u32>,
    /// Per value its required width; `None` if there was none.
    widths: Vec<Option<Width>>,
    /// Values that are texts, which have no width, ascending.
    texts: Vec<usize>,
    /// The object with the actual widths, if values have other widths than their types.
    pub(super) object: Option<Arc<ObjectDef>>,
    /// Whether the answer has data for the counterset: an object whose blocks all failed is absent.
    pub(super) is_present: bool,
}

/// A plan would take more memory than justified by the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amplified {
    pub(super) num_columns: usize,
    pub(super) num_instances: usize,
}

impl Plan {
    /// `before`: an earlier table, whose names are shared. `note` receives each value that belongs nowhere.
    pub(super) fn new(
        view: &View,
        Gathered { shape, widths, .. }: &Gathered,
        before: &[Instance],
        budget: &mut Budget,
        note: &mut Note<'_>,
    ) -> Result<Plan, Amplified> {
        let mut plan = Plan::default();
        let mut rows = Rows::new(before);
        let (placed, is_present) = place_blocks(view, shape, &mut rows, note);
        plan.is_present = is_present;
        let (num_columns, num_instances) = (view.num_columns(), rows.len());
        let num_cells = num_columns.saturating_mul(num_instances);
        if num_cells >= NOWHERE as usize
            || !budget.spend(num_cells, size_of::<bool>())
            || !budget.spend(num_columns, size_of::<Column>())
            || !budget.spend(num_instances, size_of::<Instance>())
        {
            return Err(Amplified { num_columns, num_instances });
        }
        plan.place_values(view, &placed, num_instances, note);
        plan.covers = plan.covered(view, &mut rows, num_instances);
        plan.settle_widths(view, widths, num_instances);
        plan.instances = rows.into_instances();
        number_namesakes(&mut plan.instances);
        Ok(plan)
    }

    /// Whether the plan fits values with these widths. Missing values always fit.
    pub(super) fn fits(&self, widths: &[Option<Width>]) -> bool {
        widths.len() == self.widths.len()
            && widths.iter().zip(&self.widths).enumerate().all(|(value, (found, expected))| {
                found.is_none() || found == expected || self.texts.binary_search(&value).is_ok()
            })
    }

    /// Puts values into their cells; if two belong to one cell, the first is kept.
    pub(super) fn scatter(&self, values: &[Option<u64>], cells: &mut Vec<Option<u64>>) {
        cells.clear();
        cells.resize(self.covers.len() * self.instances.len(), None);
        for (value, &cell) in values.iter().zip(&self.cells) {
            if let Some(cell) = cells.get_mut(cell as usize).filter(|cell| cell.is_none()) {
                *cell = *value;
            }
        }
    }

    /// The texts of an answer, per column and instance; `bytes` are those of all values.
    pub(super) fn texts(&self, view: &View, bytes: &[Box<[u8]>]) -> HashMap<u32, String> {
        let num_instances = self.instances.len();
        let mut texts = HashMap::new();
        for &value in &self.texts {
            let (Some(cell), Some(bytes)) = (self.cells.get(value), bytes.get(value)) else { continue };
            let column = (*cell as usize).checked_div(num_instances).unwrap_or(0);
            if let Some(encoding) = view.texts.get(column).copied().flatten().filter(|_| !bytes.is_empty()) {
                let text = || encoding.decode(sized_text(bytes, ByteOrder::Little));
                texts.entry(*cell).or_insert_with(text);
            }
        }
        texts
    }

    fn place_values(
        &mut self,
        view: &View,
        placed: &[Placed<'_>],
        num_instances: usize,
        note: &mut Note<'_>,
    ) {
        for Placed { block, rows } in placed {
            let columns = columns(view, *block, note);
            let placed_from = self.cells.len();
            for row in rows {
                self.cells.extend(columns.iter().map(|column| match (column, row) {
                    (Some(column), Some(row)) => (column * num_instances) as u32 + row,
                    _ => NOWHERE,
                }));
            }
            // One cell per value, always.
            self.cells.resize(placed_from + block.num_values(), NOWHERE);
        }
    }

    /// "The size, in bytes, of the performance counter data" (2.2.4.9) decides how a value wraps. Values of
    /// one counter with a different width than the first can't be compared with it.
    fn settle_widths(&mut self, view: &View, found: &[Option<Width>], num_instances: usize) {
        let is_text = |cell: u32| {
            let column = (cell as usize).checked_div(num_instances).filter(|_| cell != NOWHERE);
            column.is_some_and(|column| view.texts.get(column).is_some_and(Option::is_some))
        };
        self.texts = (0..self.cells.len()).filter(|at| is_text(self.cells[*at])).collect();
        let mut widths: Vec<Option<Width>> = vec![None; view.num_columns()];
        for (cell, found) in self.cells.iter_mut().zip(found) {
            let column = (*cell as usize).checked_div(num_instances).filter(|_| *cell != NOWHERE);
            if is_text(*cell) {
                continue;
            }
            if let (Some(width), Some(found)) = (column.and_then(|column| widths.get_mut(column)), found)
                && width.get_or_insert(*found) != found
            {
                *cell = NOWHERE;
            }
        }
        // A value that is missing now is assumed to be like the others of its counter.
        let of_column =
            |cell: u32| widths.get((cell as usize).checked_div(num_instances)?).copied().flatten();
        let expected = self.cells.iter().zip(found).map(|(cell, found)| match cell {
            &NOWHERE => *found,
            cell => of_column(*cell),
        });
        self.widths = expected.collect();
        let defs = &view.set.object.counters;
        let is_other =
            |(def, width): (&CounterDef, &Option<Width>)| width.is_some_and(|width| width != def.raw_width());
        if defs.iter().zip(&widths).any(is_other) {
            let mut object = (*view.set.object).clone();
            for (def, width) in object.counters.iter_mut().zip(widths) {
                def.width = width.filter(|width| *width != def.raw_width());
            }
            self.object = Some(Arc::new(object));
        }
    }

    /// Which cells are requested, or have a value although they aren't.
    fn covered(&self, view: &View, rows: &mut Rows<'_>, num_instances: usize) -> Vec<Option<Arc<[bool]>>> {
        let num_columns = view.num_columns();
        if view.asked.iter().any(|asked| asked.any_counter() && asked.any_instance()) {
            return vec![None; num_columns];
        }
        let mut whole_columns = vec![false; num_columns];
        let mut whole_rows = vec![false; num_instances];
        let mut cells = vec![false; num_columns * num_instances];
        for &cell in self.cells.iter().filter(|cell| **cell != NOWHERE) {
            cells[cell as usize] = true;
        }
        for asked in &view.asked {
            let row = match asked.instance() {
                _ if !view.is_instanced() => None,
                None => None,
                // An absent instance has no cells.
                Some(instance) => match rows.find(instance) {
                    Some(row) => Some(row as usize),
                    None => continue,
                },
            };
            let column = view.set.counter(asked.counter_id);
            match (column, row) {
                (None, Some(row)) if asked.any_counter() => whole_rows[row] = true,
                (None, None) if asked.any_counter() => return vec![None; num_columns],
                (None, _) => {}
                (Some(column), None) => whole_columns[column] = true,
                (Some(column), Some(row)) => cells[column * num_instances + row] = true,
            }
        }
        let covers = |column: usize| {
            let covered: Arc<[bool]> = (0..num_instances)
                .map(|row| whole_rows[row] || cells[column * num_instances + row])
                .collect();
            (!whole_columns[column] && covered.contains(&false)).then_some(covered)
        };
        (0..num_columns).map(covers).collect()
    }
}

/// A block, and the row of each of its instances; `None` if unknown.
struct Placed<'a> {
    block: BlockShape<'a>,
    rows: Vec<Option<u32>>,
}

/// Finds the instances of all blocks: first those with headers, then those named by identifiers. Also returns
/// whether the answer has data for the counterset.
fn place_blocks<'a>(
    view: &View,
    shape: &'a Shape,
    rows: &mut Rows<'a>,
    note: &mut Note<'_>,
) -> (Vec<Placed<'a>>, bool) {
    let mut placed: Vec<Placed<'a>> = Vec::new();
    // Whether the answer says which instances exist, even if there are none.
    let mut is_listed = false;
    for block in shape.blocks() {
        let mut rows_of = Vec::new();
        if matches!(block.kind, Kind::MultiInstances | Kind::CounterSet) {
            is_listed |= block.status == ReturnCode::SUCCESS && view.is_instanced();
            rows_of = if view.is_instanced() {
                rows.of_headers(block.instances()).into_iter().map(Some).collect()
            } else {
                single_instance(block, rows, note)
            };
        }
        placed.push(Placed { block, rows: rows_of });
    }
    for Placed { block, rows: rows_of } in &mut placed {
        if matches!(block.kind, Kind::MultiInstances | Kind::CounterSet) {
            continue;
        }
        let is_gone = block.kind == Kind::Error && block.is_not_there();
        match view.instance_at(block.position) {
            _ if is_gone => is_listed = true,
            _ if !view.is_instanced() => rows_of.push(Some(rows.unnamed())),
            Some(instance) => rows_of.push(Some(rows.named(instance))),
            None if block.kind == Kind::Error => {}
            None => note(&format!(
                "block {} holds values of one instance, but the query asks for any or several there",
                block.position
            )),
        }
    }
    let is_present = rows.len() > 0 || is_listed;
    (placed, is_present)
}

/// "Only one instance of the counterset is active" (2.2.4.1): several contradict that.
fn single_instance(block: BlockShape<'_>, rows: &mut Rows<'_>, note: &mut Note<'_>) -> Vec<Option<u32>> {
    match block.instances().len() {
        0 => Vec::new(),
        1 => vec![Some(rows.unnamed())],
        num_instances => {
            note(&format!(
                "block {} holds {num_instances} instances of a counterset that has one",
                block.position
            ));
            vec![None; num_instances]
        }
    }
}

/// The columns of the values that a block has for each instance.
fn columns(view: &View, block: BlockShape<'_>, note: &mut Note<'_>) -> Vec<Option<usize>> {
    let position = block.position;
    let id = match block.kind {
        Kind::Error => return Vec::new(),
        Kind::MultiCounters | Kind::CounterSet => {
            return block.ids.iter().map(|id| column(view, position, *id, note)).collect();
        }
        Kind::Single | Kind::MultiInstances => view.counter_at(position),
    };
    if id.is_none() {
        note(&format!(
            "block {position} holds values of one counter, but the query asks for any or several there"
        ));
    }
    vec![id.and_then(|id| column(view, position, id, note))]
}

/// The column of a counter id in a block.
fn column(view: &View, position: u32, id: u32, note: &mut Note<'_>) -> Option<usize> {
    let column = view.set.counter(id);
    // An id shared by several counters was reported with the registration.
    if column.is_none() && view.registered.counter(id).is_some() {
        note(&format!("block {position} holds counter {id}, which the query doesn't ask for"));
    } else if !view.registered.has_id(id) {
        note(&format!("block {position} holds counter {id}, which isn't registered"));
    }
    column
}
