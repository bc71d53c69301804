//! A row per process, from its values and from what the captures say about it.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{Cooked, CookedColumn, ENDED_PROCESSES, Instance, Timestamp};

use super::described::Descriptions;
use super::family::inherit_places;
use super::name::is_process;
use super::row::ProcessRow;

/// The counters of `Process` that rows are made of.
pub const PROCESS_COUNTERS: [&str; 10] = [
    "% Processor Time",
    "% User Time",
    "% Privileged Time",
    "IO Read Bytes/sec",
    "IO Write Bytes/sec",
    "Storage Read Bytes/sec",
    "Storage Write Bytes/sec",
    "Working Set",
    "Working Set Peak",
    "Creating Process ID",
];
const OBJECT: &str = "Process";

/// The rows of captures, while their values are read. Memory: a row per process.
#[derive(Debug, Default)]
pub struct ProcessRows {
    rows: Vec<ProcessRow>,
    by_task: HashMap<(Arc<str>, Task), usize>,
}

/// What a process is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Task {
    Started(u64, Timestamp),
    Named(Option<u64>, Arc<str>, u32),
}

impl Task {
    fn of(instance: &Instance) -> Task {
        match (instance.id, instance.start) {
            (Some(id), Some(start)) => Task::Started(id, start),
            (Some(id), None) => Task::Named(Some(id), Arc::clone(&instance.name), 0),
            (None, _) => Task::Named(None, Arc::clone(&instance.name), instance.ordinal),
        }
    }
}

impl ProcessRows {
    /// Adds the values of a stretch, if it has processes.
    pub fn add(&mut self, cooked: &Cooked) {
        let (Some(first), Some(last)) = (cooked.times.first(), cooked.times.last()) else { return };
        if !cooked.object.name.eq_ignore_ascii_case(OBJECT) {
            return;
        }
        let seen = (first.utc, last.utc);
        let places: Vec<Option<usize>> = cooked
            .instances
            .iter()
            .map(|instance| is_process(instance).then(|| self.place(&cooked.host, instance, seen)))
            .collect();
        for column in &cooked.columns {
            let name = &*cooked.object.counters[column.counter].name;
            for (at, place) in places.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                if let Some(place) = *place {
                    add_values(&mut self.rows[place], name, cooked, column, at);
                }
            }
        }
    }

    fn place(&mut self, host: &Arc<str>, instance: &Instance, seen: (Timestamp, Timestamp)) -> usize {
        let key = (Arc::clone(host), Task::of(instance));
        let place = *self.by_task.entry(key).or_insert(self.rows.len());
        if place == self.rows.len() {
            let (host, pid, start) = (Arc::clone(host), instance.id, instance.start);
            self.rows.push(ProcessRow { host, pid, start, seen, count: 1, ..ProcessRow::default() });
        }
        let row = &mut self.rows[place];
        row.seen = (row.seen.0.min(seen.0), row.seen.1.max(seen.1));
        row.name = Arc::clone(&instance.name);
        place
    }

    /// The rows, with what the captures say about them, by start. `begin` is when recording began: of processes that began and ended
    /// after that, all is known that they used.
    pub fn finish(mut self, known: &Descriptions, begin: Timestamp) -> Vec<ProcessRow> {
        for (host, ended) in &known.ended {
            let instance = Instance {
                id: Some(u64::from(ended.pid)),
                start: Some(ended.start),
                ..Instance::named(Arc::clone(&ended.name))
            };
            let place = self.place(host, &instance, (ended.sample, ended.sample));
            let row = &mut self.rows[place];
            row.end = Some(ended.end);
            row.parent = row.parent.or(Some(u64::from(ended.parent)));
            row.ended_as = (ended.user.clone(), ended.user_id, ended.cgroup.clone());
            row.exit_status = ended.exit_status;
            row.count = ended.count.max(1);
            row.peak_memory = largest(row.peak_memory, ended.peak_memory.map(|bytes| bytes as f64));
            if ended.start >= begin || ended.count > 1 {
                let seconds = |time: u64| Some(time as f64 / Timestamp::TICKS_PER_SECOND as f64);
                let (user, privileged) = (ended.user_time, ended.privileged_time);
                row.cpu_s = [seconds(user.saturating_add(privileged)), seconds(user), seconds(privileged)];
                row.bytes =
                    [ended.len_read, ended.len_written, ended.len_storage_read, ended.len_storage_written]
                        .map(|len| Some(len as f64));
            }
        }
        for row in &mut self.rows {
            let task = row.pid.and_then(|pid| u32::try_from(pid).ok()).zip(row.start);
            let found = task.and_then(|(pid, start)| known.of_task(&row.host, pid, start, row.seen.1));
            if let Some(found) = found.filter(|_| row.count == 1) {
                row.parent = row.parent.or(Some(u64::from(found.parent)));
                row.description = Some(found.clone());
            }
        }
        self.rows.sort_by(|a, b| (&a.host, a.start, a.pid).cmp(&(&b.host, b.start, b.pid)));
        inherit_places(&mut self.rows);
        self.rows
    }
}

fn largest(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    [one, other].into_iter().flatten().reduce(f64::max)
}

/// Adds the values of one counter of a process.
fn add_values(row: &mut ProcessRow, counter: &str, cooked: &Cooked, column: &CookedColumn, at: usize) {
    let cells = (0..cooked.num_samples()).map(|sample| (sample, sample * cooked.instances.len() + at));
    let values = cells.filter_map(|(sample, cell)| Some((sample, column.value_at(cell)?)));
    let place = PROCESS_COUNTERS.iter().position(|known| known.eq_ignore_ascii_case(counter));
    // Rates and shares, times the seconds that they are about.
    let used = |values: &mut dyn Iterator<Item = (usize, f64)>, unit: f64| {
        let parts = values.filter_map(|(sample, value)| Some(value * unit * cooked.interval_of(sample, at)?));
        parts.reduce(|sum, part| sum + part)
    };
    let add = |sum: &mut Option<f64>, more: Option<f64>| {
        *sum = [*sum, more].into_iter().flatten().reduce(|a, b| a + b);
    };
    let mut values = values;
    match place {
        Some(place @ 0..3) => add(&mut row.cpu_s[place], used(&mut values, 0.01)),
        Some(place @ 3..7) => add(&mut row.bytes[place - 3], used(&mut values, 1.0)),
        Some(7 | 8) => {
            row.peak_memory = largest(row.peak_memory, values.map(|(_, value)| value).reduce(f64::max));
        }
        Some(_) if row.parent.is_none() => row.parent = values.next().map(|(_, value)| value as u64),
        None if counter == ENDED_PROCESSES => {
            row.count = row.count.max(values.map(|(_, value)| value as u64).max().unwrap_or(1));
        }
        _ => {}
    }
}
