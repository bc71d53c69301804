//! From blocks of tidy rows to cooked columns.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use recount_compute::{Cooked, CookedColumn};
use recount_model::{CounterAttributes, CounterDef, CounterType, ObjectDef, Status};

use super::blocks::Block;
use super::instance_tables::InstanceTables;
use super::interned::{Interned, NONE};
use super::object_table::ReadContext;
use super::row_times::BlockTime;
use super::rows::{PRESENT, status_of};
use super::tidy_rows::TidyRows;
use super::tidy_shape::Shape;
use crate::known_types::StatedType;

/// How many definitions are kept.
const MAX_KEPT: usize = 4096;
/// How many instance tables, over all objects, are kept.
const MAX_INSTANCE_TABLES: usize = 256;

/// Object, whether it has instances, counters.
type ObjectKey = (u32, bool, Vec<u32>);

/// Definitions and instance tables made from rows, each created once and shared. Of most of a tidy table's
/// counters, only the names are known.
pub(super) struct Definitions {
    /// By object and counter.
    types: HashMap<(Arc<str>, Arc<str>), CounterType>,
    /// Those that aren't shown, and which of the counters of their name they are.
    hidden: HashMap<(Arc<str>, Arc<str>, u32), CounterType>,
    objects: Mutex<HashMap<ObjectKey, Arc<ObjectDef>>>,
    instances: InstanceTables,
}

impl Definitions {
    pub(super) fn new() -> Definitions {
        Definitions {
            types: HashMap::new(),
            hidden: HashMap::new(),
            objects: Mutex::default(),
            instances: InstanceTables::keeping(MAX_INSTANCE_TABLES),
        }
    }

    /// Adds the types that a file states.
    pub(super) fn know(&mut self, types: impl Iterator<Item = ((Arc<str>, Arc<str>), StatedType)>) {
        for ((object, counter), stated) in types {
            match stated {
                StatedType::Shown(word) => drop(self.types.insert((object, counter), word)),
                StatedType::Hidden(word, number) => {
                    self.hidden.insert((object, counter, number), word);
                }
            }
        }
    }

    fn object(&self, key: ObjectKey, names: &Interned) -> Arc<ObjectDef> {
        let mut kept = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        let (object, instanced, counters) = &key;
        let object = names.name(*object);
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut counter = |id: &u32| {
            let (object, name) = (Arc::clone(&object), names.name(*id));
            let number = numbers.entry(*id).or_default();
            let hidden = self.hidden.get(&(Arc::clone(&object), Arc::clone(&name), *number)).copied();
            *number += 1;
            let counter_type = hidden.or_else(|| self.types.get(&(object, Arc::clone(&name))).copied());
            let len_value = if counter_type.is_some() { 8 } else { 0 };
            let attributes =
                if hidden.is_some() { CounterAttributes::NO_DISPLAY } else { CounterAttributes::default() };
            CounterDef { name, counter_type, len_value, attributes, ..CounterDef::default() }
        };
        if let Some(known) = kept.get(&key) {
            return Arc::clone(known);
        }
        let made = Arc::new(ObjectDef {
            name: Arc::clone(&object),
            instanced: *instanced,
            counters: counters.iter().map(&mut counter).collect(),
            ..ObjectDef::default()
        });
        kept.insert(key, Arc::clone(&made));
        made
    }
}

/// Builds columns from similar blocks.
pub(super) fn build(
    definitions: &Definitions,
    rows: &TidyRows,
    stretch: &[Block],
    reading: ReadContext<'_>,
    cooked: &mut Vec<Cooked>,
) {
    let Some(first) = stretch.first() else { return };
    let builder = Builder { definitions, rows, stretch, reading };
    let shape = builder.shape(0..first.num_rows);
    if !shape.is_too_sparse() && !builder.has_mixed_intervals(first, &shape) {
        cooked.push(builder.build(0, &shape));
        return;
    }
    // A single instance has no gaps, and one interval.
    let key = |row: &usize| (rows.instances[*row], rows.times.has_interval(*row));
    let all: Vec<usize> = first.rows().collect();
    for same in all.chunk_by(|one, next| key(one) == key(next)) {
        let start = same[0] - first.row;
        cooked.push(builder.build(start, &builder.shape(start..start + same.len())));
    }
}

struct Builder<'a> {
    definitions: &'a Definitions,
    rows: &'a TidyRows,
    stretch: &'a [Block],
    reading: ReadContext<'a>,
}

impl Builder<'_> {
    /// The shape of some of the rows of each block.
    fn shape(&self, rows: Range<usize>) -> Shape {
        let start = self.stretch.first().map_or(0, |first| first.row);
        let rows = start + rows.start..start + rows.end;
        Shape::of(&self.rows.instances[rows.clone()], &self.rows.counters[rows])
    }

    /// Whether some rows of an instance have an interval and others don't: they come from two captures.
    fn has_mixed_intervals(&self, first: &Block, shape: &Shape) -> bool {
        let mut has_interval: Vec<Option<bool>> = vec![None; shape.instances.len()];
        first.time.is_mixed()
            && first.rows().zip(&shape.slots).any(|(row, (_, instance))| {
                let has = self.rows.times.has_interval(row);
                *has_interval[*instance].get_or_insert(has) != has
            })
    }

    /// Builds columns from the rows with a shape, which begin at a row of each block.
    fn build(&self, start: usize, shape: &Shape) -> Cooked {
        let ReadContext { names, times, .. } = self.reading;
        let (host, object) = self.stretch.first().map_or((NONE, NONE), |first| (first.host, first.object));
        let instanced = shape.instances.first().is_none_or(|instance| *instance != NONE);
        let keys = shape.instances.iter().map(|name| (*name, None)).collect();
        let time = |block: &Block| times.get(block.sample as usize).copied().unwrap_or_default();
        let object = self.definitions.object((object, instanced, shape.counters.clone()), names);
        let (gaps, first_s) = BlockTime::of_samples(self.stretch.iter().map(|block| block.time));
        Cooked {
            host: names.name(host),
            columns: self.columns(start, shape, &object),
            object,
            instances: self.definitions.instances.of(keys, names),
            times: self.stretch.iter().map(time).collect(),
            gaps,
            first_s,
            interval_s: self.stretch.iter().map(|block| block.time.interval_s()).collect(),
            continued: self.continued(start, shape),
            raw: None,
        }
    }

    /// Which instances are in the previous sample.
    fn continued(&self, start: usize, shape: &Shape) -> Vec<bool> {
        let mut continued = vec![false; shape.instances.len()];
        let Some(first) = self.stretch.first() else { return continued };
        for (at, (_, instance)) in shape.slots.iter().enumerate() {
            continued[*instance] |= self.rows.times.has_interval(first.row + start + at);
        }
        continued
    }

    fn columns(&self, start: usize, shape: &Shape, object: &ObjectDef) -> Vec<CookedColumn> {
        let num_instances = shape.instances.len();
        let num_cells = num_instances * self.stretch.len();
        let mut columns: Vec<Option<CookedColumn>> = Vec::with_capacity(shape.counters.len());
        let mut has: Vec<Vec<bool>> = vec![Vec::new(); shape.counters.len()];
        for (counter, def) in object.counters.iter().enumerate() {
            let is_selected =
                !def.is_hidden() && self.reading.selection.may_match_counter(&object.name, &def.name);
            if is_selected {
                has[counter] = vec![false; num_instances];
            }
            columns.push(is_selected.then(|| CookedColumn {
                counter,
                values: vec![0.0; num_cells],
                status: None,
                covers: None,
                texts: None,
            }));
        }
        for (at, (counter, instance)) in shape.slots.iter().enumerate() {
            let Some(column) = &mut columns[*counter] else { continue };
            has[*counter][*instance] = true;
            for (sample, block) in self.stretch.iter().enumerate() {
                let (row, cell) = (block.row + start + at, sample * num_instances + instance);
                column.values[cell] = self.rows.values.values[row];
                if let Some(text) = self.rows.texts.get(row).and_then(Option::as_ref) {
                    column.texts.get_or_insert_with(|| vec![None; num_cells])[cell] = Some(Arc::clone(text));
                }
                let mark = self.rows.values.mark(row);
                if mark != PRESENT {
                    column.status.get_or_insert_with(|| vec![Status::Ok; num_cells])[cell] = status_of(mark);
                }
            }
        }
        let with_covers = |(column, has): (Option<CookedColumn>, Vec<bool>)| {
            let column = column?;
            Some(CookedColumn { covers: has.contains(&false).then(|| has.into()), ..column })
        };
        columns.into_iter().zip(has).filter_map(with_covers).collect()
    }
}
