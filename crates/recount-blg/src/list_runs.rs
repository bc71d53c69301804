//! From samples of a counter list to runs: combines the single values and instance records of one object.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{
    CellFault, Column, Formula, Instance, Instances, Multi, Run, RunBuilder, SampleTime, Second, Timestamp,
};

use crate::plan::{Group, Plan};
use crate::structure::counter_list::Entry;
use crate::structure::instances::InstanceValues;
use crate::structure::record::{self, Record};
use crate::structure::single::Single;
use crate::text::Utf16;

/// Collects the samples of one group.
pub(crate) struct ListRuns<'p> {
    plan: &'p Plan,
    group: &'p Group,
    builder: RunBuilder,
    /// From the last sample that could be read.
    table: Option<Table>,
    // Kept from sample to sample only to reuse their memory.
    identities: Vec<Identity>,
    cells: Vec<Option<u64>>,
}

/// Id and start time of an instance.
type Identity = (Option<u64>, Option<Timestamp>);

/// The instances of a sample, and where their values go.
struct Table {
    /// The shape of the records from which the table was made.
    shape: Shape,
    instances: Instances,
    /// Per entry of the group: the instance indexes of its values.
    places: Vec<Vec<u32>>,
}

/// The instance layout of the records. Equal shapes mean equal instance tables, so names needn't be compared
/// one by one.
#[derive(Default)]
struct Shape {
    /// Per entry of the group: instances (1 for a single value), bytes of names.
    entries: Vec<(u32, u32)>,
    /// Offsets and names of all of them, concatenated.
    names: Vec<u8>,
}

impl<'p> ListRuns<'p> {
    /// For about `num_samples` samples.
    pub(crate) fn new(plan: &'p Plan, group: usize, num_samples: usize) -> ListRuns<'p> {
        ListRuns {
            plan,
            group: &plan.groups[group],
            builder: RunBuilder::new(num_samples),
            table: None,
            identities: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Adds one sample: the group's records, in the order of its entries. An error says why the sample was left out.
    pub(crate) fn push(
        &mut self,
        time: SampleTime,
        values: &[Value<'_>],
        len_message: usize,
    ) -> Result<(), String> {
        let table = match self.table.take() {
            Some(table) if table.shape.describes(values) => table,
            _ => {
                self.builder.close();
                self.read_table(values, len_message)?
            }
        };
        let table = self.settle_identity(table, values);
        if self.builder.open().is_none() {
            let columns = columns(self.plan, self.group, &table);
            let Group { host, object, .. } = self.group;
            self.builder.begin(host, object, Instances::clone(&table.instances), columns);
        }
        let counters = self.group.entries.iter().map(|&position| self.plan.counter_at(position));
        let cells = counters.zip(values).zip(&table.places);
        self.builder.append(|run, sample| append(run, sample, time, cells));
        self.table = Some(table);
        Ok(())
    }

    /// All runs, in time order.
    pub(crate) fn finish(self) -> Vec<Run> {
        self.builder.finish()
    }

    /// Instances of all records in order of appearance, and where each record's values go.
    fn read_table(&self, values: &[Value<'_>], len_message: usize) -> Result<Table, String> {
        let mut table: Vec<Instance> = Vec::new();
        let mut index: HashMap<(String, Option<String>, u32), u32> = HashMap::new();
        let mut place = |instance: Instance| {
            let parent = instance.parent.as_deref().map(str::to_lowercase);
            let key = (instance.name.to_lowercase(), parent, instance.ordinal);
            *index.entry(key).or_insert_with(|| {
                table.push(instance);
                (table.len() - 1) as u32
            })
        };
        let mut places: Vec<Vec<u32>> = Vec::with_capacity(values.len());
        // Usually every record has the names of the one before.
        let mut last: Option<(&InstanceValues<'_>, usize)> = None;
        for (at, (value, &position)) in values.iter().zip(&self.group.entries).enumerate() {
            places.push(match value {
                Value::Missing | Value::Absent(_) => Vec::new(),
                Value::Single(_) => vec![place(instance_of(&self.plan.entries[position]))],
                Value::Instances(many) => {
                    let known = last.filter(|(last, _)| last.has_names_of(many));
                    last = Some((many, at));
                    match known {
                        Some((_, known)) => places[known].clone(),
                        None => named_instances(many).into_iter().map(&mut place).collect(),
                    }
                }
            });
        }
        let (instances, counters) = (table.len(), self.group.object.counters.len());
        if instances.saturating_mul(counters) > len_message.saturating_mul(4) {
            return Err(format!(
                "{instances} instances of {counters} counters in a sample of {len_message} bytes"
            ));
        }
        Ok(Table { shape: Shape::of(values), instances: table.into(), places })
    }

    /// Sets the ids of the instances from their raw values. If one has changed, another process has taken its
    /// place, and a new run begins.
    fn settle_identity(&mut self, mut table: Table, values: &[Value<'_>]) -> Table {
        if self.group.ids.is_empty() {
            return table;
        }
        self.read_identities(&table, values);
        let known = table.instances.iter().map(|instance| (instance.id, instance.start));
        if !known.eq(self.identities.iter().copied()) {
            let with_identity =
                |(instance, &(id, start)): (&Instance, &Identity)| Instance { id, start, ..instance.clone() };
            table.instances = table.instances.iter().zip(&self.identities).map(with_identity).collect();
            self.builder.close();
        }
        table
    }

    fn read_identities(&mut self, table: &Table, values: &[Value<'_>]) {
        self.identities.clear();
        self.identities.resize(table.instances.len(), (Some(0), None));
        for &counter in &self.group.ids {
            self.read_cells(counter, table, values);
            for ((id, _), cell) in self.identities.iter_mut().zip(&self.cells) {
                // For Thread: the thread's id, qualified by the process's.
                *id = id.zip(*cell).map(|(id, cell)| (id << 32) | cell);
            }
        }
        if let Some(counter) = self.group.start {
            self.read_cells(counter, table, values);
            for ((id, start), cell) in self.identities.iter_mut().zip(&self.cells) {
                let has_start = id.is_some_and(|id| id != 0);
                *start = cell.filter(|_| has_start).map(|ticks| Timestamp(ticks as i64));
            }
        }
    }

    /// The first values of one counter by instance; `None` if it has none.
    fn read_cells(&mut self, counter: usize, table: &Table, values: &[Value<'_>]) {
        self.cells.clear();
        self.cells.resize(table.instances.len(), None);
        for ((value, places), &position) in values.iter().zip(&table.places).zip(&self.group.entries) {
            if self.plan.counter_at(position) == Some(counter) {
                value.each(places, |place, first, _, _| self.cells[place] = Some(first));
            }
        }
    }
}

/// Adds a sample to its run: the values by counter, each with its instance indexes.
fn append<'v>(
    run: &mut Run,
    sample: usize,
    time: SampleTime,
    values: impl Iterator<Item = ((Option<usize>, &'v Value<'v>), &'v Vec<u32>)>,
) {
    let start = sample * run.instances.len();
    let end = start + run.instances.len();
    run.clocks.time.push(time);
    for column in &mut run.columns {
        column.first.resize(end, 0);
        if let Second::Own(cells) = &mut column.second {
            cells.resize(end, 0);
        }
        if let Multi::Own(cells) = &mut column.multi {
            cells.resize(end, 0);
        }
    }
    for ((counter, value), places) in values {
        let Some(counter) = counter else { continue };
        let column = &mut run.columns[counter];
        value.each(places, |place, first, second, multi| {
            column.first[start + place] = first;
            if let Second::Own(cells) = &mut column.second {
                cells[start + place] = second;
            }
            if let Multi::Own(cells) = &mut column.multi {
                cells[start + place] = multi;
            }
        });
        if value.is_fault(run.object.counters[counter].formula()) {
            let (sample, counter) = (sample as u32, counter as u32);
            run.faults.extend(places.iter().map(|&instance| CellFault { sample, counter, instance }));
        }
    }
}

/// One record of the group.
pub(crate) enum Value<'a> {
    /// There is none, or it can't be read.
    Missing,
    /// The record says with this status that the sample doesn't have it.
    Absent(u32),
    Single(Single),
    Instances(InstanceValues<'a>),
}

impl<'a> Value<'a> {
    pub(crate) fn read(record: Option<&Record<'a>>) -> Value<'a> {
        let value = record.and_then(|record| match record.kind {
            record::SINGLE if record.bytes.len() == Single::LEN => Single::read(record).map(Value::Single),
            record::INSTANCES => InstanceValues::read(record).map(Value::Instances),
            _ => None,
        });
        match value {
            None => Value::Missing,
            Some(Value::Single(single)) if record::is_absent(single.status) => Value::Absent(single.status),
            Some(Value::Instances(many)) if many.is_empty() && record::is_absent(many.head.status) => {
                Value::Absent(many.head.status)
            }
            Some(value) => value,
        }
    }

    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Value::Missing)
    }

    /// Whether the record says that the sample doesn't have the object.
    pub(crate) fn lacks_object(&self) -> bool {
        matches!(self, Value::Absent(status) if record::lacks_object(*status))
    }

    /// Calls back with index, first value, second value and multi count of each instance.
    fn each(&self, places: &[u32], mut take: impl FnMut(usize, u64, u64, u64)) {
        match self {
            Value::Missing | Value::Absent(_) => {}
            Value::Single(single) => {
                take(places[0] as usize, single.first, single.second, u64::from(single.multi));
            }
            Value::Instances(many) => {
                for (item, &place) in many.items().zip(places) {
                    take(place as usize, item.first, item.second, 0);
                }
            }
        }
    }

    /// Whether reading failed, for all instances of the record.
    fn is_fault(&self, formula: Formula) -> bool {
        match self {
            Value::Missing | Value::Absent(_) => false,
            Value::Single(single) => !record::is_good(single.status),
            // These records have no multi count, so a type that needs one can't be computed.
            Value::Instances(many) => formula.needs_multi() || !record::is_good(many.head.status),
        }
    }

    /// Instances and bytes of names.
    fn extent(&self) -> (u32, u32) {
        match self {
            Value::Missing | Value::Absent(_) => (u32::MAX, 0),
            Value::Single(_) => (1, 0),
            Value::Instances(many) => (many.len() as u32, many.name_bytes().len() as u32),
        }
    }
}

impl Shape {
    fn of(values: &[Value<'_>]) -> Shape {
        let mut shape = Shape { entries: values.iter().map(Value::extent).collect(), names: Vec::new() };
        for value in values {
            if let Value::Instances(many) = value {
                shape.names.extend(many.ofs_names().flat_map(u32::to_le_bytes));
                shape.names.extend_from_slice(many.name_bytes());
            }
        }
        shape
    }

    /// Whether the values have this shape. Allocates nothing.
    fn describes(&self, values: &[Value<'_>]) -> bool {
        let mut names = self.names.as_slice();
        let mut has_names = |many: &InstanceValues<'_>| {
            let mut goes_on_with = |bytes: &[u8]| match names.strip_prefix(bytes) {
                Some(rest) => {
                    names = rest;
                    true
                }
                None => false,
            };
            many.ofs_names().all(|ofs| goes_on_with(&ofs.to_le_bytes())) && goes_on_with(many.name_bytes())
        };
        self.entries.iter().copied().eq(values.iter().map(Value::extent))
            && values.iter().all(|value| match value {
                Value::Instances(many) => has_names(many),
                _ => true,
            })
    }
}

/// Whether the contents of a record confirm its length.
pub(crate) fn states_length(record: &Record<'_>) -> bool {
    !Value::read(Some(record)).is_missing() || record.kind == record::OBJECT && record.block().is_ok()
}

fn instance_of(entry: &Entry) -> Instance {
    match &entry.instance {
        Some(name) => Instance {
            parent: entry.parent.as_deref().map(Into::into),
            ordinal: entry.index,
            ..Instance::named(name.as_str())
        },
        None => Instance::unnamed(),
    }
}

fn named_instances(many: &InstanceValues<'_>) -> Vec<Instance> {
    let name = |item| many.name(&item).map_or_else(String::new, Utf16::to_text);
    let mut instances: Vec<Instance> = many.items().map(|item| Instance::named(name(item))).collect();
    recount_model::number_namesakes(&mut instances);
    instances
}

/// The columns of a run without samples.
fn columns(plan: &Plan, group: &Group, table: &Table) -> Vec<Column> {
    let num_instances = table.instances.len();
    let mut covered = vec![false; num_instances * group.object.counters.len()];
    for (places, &position) in table.places.iter().zip(&group.entries) {
        let Some(counter) = plan.counter_at(position) else { continue };
        for &place in places {
            covered[counter * num_instances + place as usize] = true;
        }
    }
    let column = |(counter, def): (usize, &recount_model::CounterDef)| {
        let formula = def.formula();
        let has_second = formula.needs_base() || formula.needs_clock();
        let covered = &covered[counter * num_instances..(counter + 1) * num_instances];
        Column {
            second: if has_second { Second::Own(Vec::new()) } else { Second::None },
            multi: if formula.needs_multi() { Multi::Own(Vec::new()) } else { Multi::None },
            covers: (!covered.iter().all(|&covered| covered)).then(|| Arc::from(covered)),
            ..Column::default()
        }
    };
    group.object.counters.iter().enumerate().map(column).collect()
}
