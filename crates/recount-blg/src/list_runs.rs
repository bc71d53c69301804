//! Samples of a counter list to runs: the single values and instance records of one object, put side by side.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{
    CellFault, Clocks, Column, Formula, Instance, Instances, Multi, Run, SampleTime, Second, Timestamp,
};

use crate::plan::{Group, Plan, Role};
use crate::records::counter_list::Entry;
use crate::records::data_block::{self, InstanceValues, LEN_SINGLE, Record, Single};
use crate::text::Utf16;

/// Collects the samples of one group.
pub(crate) struct ListRuns<'p> {
    plan: &'p Plan,
    group: &'p Group,
    /// What the open run's instance table was made from.
    shape: Shape,
    open: Option<Run>,
    row: Row,
    done: Vec<Run>,
}

/// The records' own account of which instances they hold: equal shapes mean equal instance tables, without
/// looking at a single name.
#[derive(Default, PartialEq, Eq)]
struct Shape {
    /// Per entry of the group: instances (1 for a single value), bytes of names.
    entries: Vec<(u32, u32)>,
    /// Names of all of them, one after the other.
    names: Vec<u8>,
}

/// One sample, laid out counter by counter.
#[derive(Default)]
struct Row {
    instances: Option<Instances>,
    /// Per entry of the group: the places of its values among the instances.
    places: Vec<Vec<u32>>,
    /// Which (counter, instance) cells have a value; counter-major.
    covered: Vec<bool>,
    first: Vec<u64>,
    second: Vec<u64>,
    multi: Vec<u64>,
    faults: Vec<(u32, u32)>,
}

impl<'p> ListRuns<'p> {
    pub(crate) fn new(plan: &'p Plan, group: usize) -> ListRuns<'p> {
        ListRuns {
            plan,
            group: &plan.groups[group],
            shape: Shape::default(),
            open: None,
            row: Row::default(),
            done: Vec::new(),
        }
    }

    /// Takes one sample: the group's records, in the order of its entries; `None` where one is missing or can't be
    /// read. An error says why the sample was left out.
    pub(crate) fn push(
        &mut self,
        time: SampleTime,
        records: &[Option<Record<'_>>],
        len_message: usize,
    ) -> Result<(), String> {
        let values: Vec<Value<'_>> = records.iter().map(|record| Value::read(record.as_ref())).collect();
        let shape = Shape::of(&values);
        if self.row.instances.is_none() || shape != self.shape {
            self.new_table(&values, len_message)?;
            self.shape = shape;
            self.close();
        }
        self.fill(&values);
        self.settle_identity();
        self.append(time);
        Ok(())
    }

    /// All runs, in time order.
    pub(crate) fn finish(mut self) -> Vec<Run> {
        self.close();
        self.done
    }

    fn close(&mut self) {
        self.done.extend(self.open.take());
    }

    /// Instances of all records in order of appearance, and where each record's values go.
    fn new_table(&mut self, values: &[Value<'_>], len_message: usize) -> Result<(), String> {
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
        self.row.places.clear();
        for (value, &position) in values.iter().zip(&self.group.entries) {
            self.row.places.push(match value {
                Value::Missing | Value::Absent(_) => Vec::new(),
                Value::Single(_) => vec![place(instance_of(&self.plan.entries[position]))],
                Value::Instances(many) => named_instances(many).into_iter().map(&mut place).collect(),
            });
        }
        let num_cells = table.len().saturating_mul(self.group.object.counters.len());
        if num_cells > len_message.saturating_mul(4) {
            self.row.instances = None;
            let (instances, counters) = (table.len(), self.group.object.counters.len());
            return Err(format!(
                "{instances} instances of {counters} counters in a sample of {len_message} bytes"
            ));
        }
        self.row.covered = vec![false; num_cells];
        for (places, &position) in self.row.places.iter().zip(&self.group.entries) {
            let Role::Counter { counter, .. } = self.plan.roles[position] else { continue };
            for &place in places {
                self.row.covered[counter * table.len() + place as usize] = true;
            }
        }
        self.row.instances = Some(table.into());
        Ok(())
    }

    fn fill(&mut self, values: &[Value<'_>]) {
        let row = &mut self.row;
        let num_instances = row.instances.as_ref().map_or(0, |table| table.len());
        for cells in [&mut row.first, &mut row.second, &mut row.multi] {
            cells.clear();
            cells.resize(row.covered.len(), 0);
        }
        row.faults.clear();
        for ((value, places), &position) in values.iter().zip(&row.places).zip(&self.group.entries) {
            let Role::Counter { counter, .. } = self.plan.roles[position] else { continue };
            let cell = |place: u32| counter * num_instances + place as usize;
            match value {
                Value::Missing | Value::Absent(_) => {}
                Value::Single(single) => {
                    let at = cell(places[0]);
                    (row.first[at], row.second[at]) = (single.first, single.second);
                    row.multi[at] = u64::from(single.multi);
                    if !data_block::is_good(single.status) {
                        row.faults.push((counter as u32, places[0]));
                    }
                }
                Value::Instances(many) => {
                    for (item, &place) in many.items().zip(places) {
                        let at = cell(place);
                        (row.first[at], row.second[at]) = (item.first, item.second);
                    }
                    // These records have no multi count: a type that needs one can't be computed.
                    let lacks_multi = recipe_of(self.group, counter).needs_multi();
                    if lacks_multi || !data_block::is_good(many.status) {
                        row.faults.extend(places.iter().map(|&place| (counter as u32, place)));
                    }
                }
            }
        }
    }

    /// Gives the instances the ids that their raw values hold. Where one changed, another process has taken the
    /// place, and a new run begins.
    fn settle_identity(&mut self) {
        let Some(table) = &self.row.instances else { return };
        if self.group.ids.is_empty() {
            return;
        }
        let num_instances = table.len();
        let cell = |counter: usize, instance: usize| {
            let at = counter * num_instances + instance;
            self.row.covered[at].then(|| self.row.first[at])
        };
        let identity = |instance: usize| {
            // Thread: the thread's id within the process's.
            let id = self.group.ids.iter().try_fold(0, |id: u64, &c| Some((id << 32) | cell(c, instance)?));
            let start =
                self.group.start.and_then(|c| cell(c, instance)).filter(|_| id.is_some_and(|id| id != 0));
            (id, start.map(|ticks| Timestamp(ticks as i64)))
        };
        let unchanged = table.iter().enumerate().all(|(i, old)| (old.id, old.start) == identity(i));
        if !unchanged {
            let table: Vec<Instance> = table
                .iter()
                .enumerate()
                .map(|(i, old)| {
                    let (id, start) = identity(i);
                    Instance { id, start, ..old.clone() }
                })
                .collect();
            self.row.instances = Some(table.into());
            self.close();
        }
    }

    fn append(&mut self, time: SampleTime) {
        let row = &self.row;
        let Some(instances) = &row.instances else { return };
        let run = self.open.get_or_insert_with(|| open_run(self.group, instances, &row.covered));
        let sample = run.clocks.time.len() as u32;
        run.clocks.time.push(time);
        let num_instances = instances.len();
        for (counter, column) in run.columns.iter_mut().enumerate() {
            let cells = counter * num_instances..(counter + 1) * num_instances;
            column.first.extend_from_slice(&row.first[cells.clone()]);
            if let Second::Own(values) = &mut column.second {
                values.extend_from_slice(&row.second[cells.clone()]);
            }
            if let Multi::Own(values) = &mut column.multi {
                values.extend_from_slice(&row.multi[cells]);
            }
        }
        run.faults.extend(row.faults.iter().map(|&(counter, instance)| CellFault {
            sample,
            counter,
            instance,
        }));
    }
}

/// One record of the group.
enum Value<'a> {
    Missing,
    /// The record says that there is no such thing in the sample, by this status.
    Absent(u32),
    Single(Single),
    Instances(InstanceValues<'a>),
}

impl<'a> Value<'a> {
    fn read(record: Option<&Record<'a>>) -> Value<'a> {
        let value = record.and_then(|record| match record.kind {
            data_block::SINGLE if record.bytes.len() >= LEN_SINGLE => Single::read(record).map(Value::Single),
            data_block::INSTANCES => InstanceValues::read(record).map(Value::Instances),
            _ => None,
        });
        match value {
            None => Value::Missing,
            Some(Value::Single(single)) if data_block::is_absent(single.status) => {
                Value::Absent(single.status)
            }
            Some(Value::Instances(many)) if many.len() == 0 && data_block::is_absent(many.status) => {
                Value::Absent(many.status)
            }
            Some(value) => value,
        }
    }
}

impl Shape {
    fn of(values: &[Value<'_>]) -> Shape {
        let mut shape = Shape { entries: Vec::with_capacity(values.len()), names: Vec::new() };
        for value in values {
            match value {
                Value::Missing | Value::Absent(_) => shape.entries.push((u32::MAX, 0)),
                Value::Single(_) => shape.entries.push((1, 0)),
                Value::Instances(many) => {
                    let names = many.name_bytes();
                    shape.entries.push((many.len() as u32, names.len() as u32));
                    shape.names.extend(many.items().flat_map(|item| item.ofs_name.to_le_bytes()));
                    shape.names.extend_from_slice(names);
                }
            }
        }
        shape
    }
}

/// Whether a record has the kind that a counter of a list can have.
pub(crate) fn is_readable(record: &Record<'_>) -> bool {
    !matches!(Value::read(Some(record)), Value::Missing)
}

/// Whether a record says that its sample doesn't have the object.
pub(crate) fn lacks_object(record: &Record<'_>) -> bool {
    matches!(Value::read(Some(record)), Value::Absent(status) if data_block::lacks_object(status))
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

fn recipe_of(group: &Group, counter: usize) -> Formula {
    group.object.counters[counter].formula()
}

fn open_run(group: &Group, instances: &Instances, covered: &[bool]) -> Run {
    let column = |counter: usize| {
        let formula = recipe_of(group, counter);
        let has_second = formula.needs_base() || formula.needs_clock();
        let covered = &covered[counter * instances.len()..(counter + 1) * instances.len()];
        Column {
            first: Vec::new(),
            second: if has_second { Second::Own(Vec::new()) } else { Second::None },
            multi: if formula.needs_multi() { Multi::Own(Vec::new()) } else { Multi::None },
            covers: (!covered.iter().all(|&covered| covered)).then(|| Arc::from(covered)),
            ..Column::default()
        }
    };
    Run {
        host: Arc::clone(&group.host),
        object: Arc::clone(&group.object),
        instances: Arc::clone(instances),
        clocks: Clocks::default(),
        columns: (0..group.object.counters.len()).map(column).collect(),
        faults: Vec::new(),
    }
}
