//! Instances and their values, as a table.

use std::collections::HashMap;
use std::sync::Arc;

use recount_analysis::shown::task_id;
use recount_model::{CounterDef, Instance, ProcessDescription, SampleTime, Status};
use recount_tables::processes::{Descriptions, place_of, program_of};

use super::around::Seen;

/// The instances of an object in a sample.
#[derive(Clone, Debug)]
pub struct Instances {
    /// The object.
    pub object: Arc<str>,
    /// Its counters, in the order of the capture.
    pub counters: Vec<InstanceCounter>,
    /// Its instances, in the order of the capture, aggregates at the end.
    pub rows: Vec<InstanceRow>,
    by_name: HashMap<(Arc<str>, String), usize>,
}

/// A counter of the instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceCounter {
    /// Its name.
    pub name: Arc<str>,
    /// Unit of its values; may be empty.
    pub unit: &'static str,
}

/// One instance, or an object that has none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InstanceRow {
    /// The instance; `None` for an object without instances.
    pub instance: Option<Instance>,
    /// Its machine; empty if unknown.
    pub host: Arc<str>,
    /// When its sample was taken. Several machines may have different times.
    pub time: SampleTime,
    /// Per counter, its value; `None` if there is none.
    pub values: Vec<Option<f64>>,
    /// Per counter, why there is no value; `None` if the instance doesn't have the counter.
    pub statuses: Vec<Option<Status>>,
    /// Whether it is missing from the previous sample. False in the first sample.
    pub began: bool,
    /// Whether it is missing from the next sample. False in the last sample.
    pub ended: bool,
    /// The id of the process or thread, if it is one.
    task_id: Option<u64>,
    /// Who the process is, if it is one and the capture says it.
    pub description: Option<ProcessDescription>,
    /// The line of the time machine to which it belongs.
    pub(super) line: usize,
}

impl InstanceRow {
    /// The name that Windows shows, `svchost#3`; empty for an object without instances.
    pub fn shown(&self) -> String {
        self.instance.as_ref().map(Instance::shown).unwrap_or_default()
    }

    /// What it executes, if that is known: `python3 train.py`; otherwise its name, as Windows shows it.
    pub fn program(&self) -> String {
        self.description.as_ref().map_or_else(|| self.shown(), program_of)
    }

    /// The unit or container that it belongs to.
    pub fn place(&self) -> Option<String> {
        self.description.as_ref().and_then(place_of)
    }

    /// The id of the process or thread, if the capture has it.
    pub fn id(&self) -> Option<u64> {
        self.task_id
    }
}

impl Instances {
    pub(super) fn empty(object: &Arc<str>) -> Instances {
        Instances {
            object: Arc::clone(object),
            counters: Vec::new(),
            rows: Vec::new(),
            by_name: HashMap::new(),
        }
    }

    /// The index of a counter, by its name, ignoring case.
    pub fn counter(&self, name: &str) -> Option<usize> {
        let same = |counter: &InstanceCounter| *counter.name == *name;
        let alike = |counter: &InstanceCounter| counter.name.to_lowercase() == name.to_lowercase();
        self.counters.iter().position(same).or_else(|| self.counters.iter().position(alike))
    }

    /// Says who the processes are.
    pub(super) fn describe(&mut self, known: &Descriptions) {
        for row in &mut self.rows {
            let Some(instance) = &row.instance else { continue };
            row.description = known.find(&row.host, instance, row.time.utc).cloned();
        }
    }

    /// Adds a line's instances of the object. A sample may have an object more than once, each time with other
    /// counters; an instance is still one row then.
    pub(super) fn add(&mut self, line: usize, seen: &Seen) {
        let cooked = &seen.cooked;
        let places: Vec<usize> = cooked
            .columns
            .iter()
            .map(|column| self.place_of(&cooked.object.counters, column.counter))
            .collect();
        for row in &mut self.rows {
            row.values.resize(self.counters.len(), None);
            row.statuses.resize(self.counters.len(), None);
        }
        for (at, instance) in cooked.instances.iter().enumerate() {
            let row = self.row_of(line, seen, at, instance);
            for (column, place) in cooked.columns.iter().zip(&places) {
                if !column.covers(at) || row.statuses[*place].is_some_and(Status::has_value) {
                    continue;
                }
                let cell = seen.sample * cooked.instances.len() + at;
                row.values[*place] = column.value_at(cell);
                row.statuses[*place] = Some(column.status_at(cell));
            }
        }
    }

    fn place_of(&mut self, counters: &[CounterDef], at: usize) -> usize {
        let (name, counter) = (name_of(counters, at), &counters[at]);
        if let Some(place) = self.counters.iter().position(|known| known.name == name) {
            return place;
        }
        self.counters.push(InstanceCounter { name, unit: counter.unit() });
        self.counters.len() - 1
    }

    fn row_of(&mut self, line: usize, seen: &Seen, at: usize, instance: &Instance) -> &mut InstanceRow {
        let cooked = &seen.cooked;
        let key = (Arc::clone(&cooked.host), instance.shown());
        let place = *self.by_name.entry(key).or_insert(self.rows.len());
        if place == self.rows.len() {
            self.rows.push(InstanceRow {
                instance: cooked.object.instanced.then(|| instance.clone()),
                host: Arc::clone(&cooked.host),
                time: cooked.times[seen.sample],
                values: vec![None; self.counters.len()],
                statuses: vec![None; self.counters.len()],
                began: seen.began(at),
                ended: seen.ended(at),
                description: None,
                task_id: task_id(&cooked.object.name, Some(instance)),
                line,
            });
        }
        &mut self.rows[place]
    }
}

/// The name of a counter. Counters of the same name are numbered in order, as in tables.
pub(super) fn name_of(counters: &[CounterDef], at: usize) -> Arc<str> {
    let name = &counters[at].name;
    match counters[..at].iter().filter(|other| other.name == *name).count() {
        0 => Arc::clone(name),
        before => format!("{name} ({})", before + 1).into(),
    }
}
