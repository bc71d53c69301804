//! The values of processes by what they have in common, for statistics.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{Cooked, CookedColumn, Instance, Status, Timestamp};
use recount_tables::processes::{Family, ProcessRow, is_process};

use super::groups::{GroupBy, UNKNOWN, group_name};

const OBJECT: &str = "Process";
/// Counters of processes that have no sum.
const NO_SUM: [&str; 7] = [
    "ID Process",
    "Creating Process ID",
    "Elapsed Time",
    "Priority Base",
    "Working Set Peak",
    "Virtual Bytes Peak",
    "Page File Bytes Peak",
];

/// A process: machine, id, start.
type Task = (Arc<str>, u64, Option<Timestamp>);

/// When the processes of a group were there: the first and the last sample, and how many these are.
type Members = Vec<((Timestamp, Timestamp), u64)>;

/// Which group each process belongs to.
#[derive(Debug)]
pub struct GroupNames {
    by: GroupBy,
    names: HashMap<Task, Arc<str>>,
    /// By machine and group.
    members: HashMap<(Arc<str>, Arc<str>), Members>,
    /// Whether the processes of which it isn't known what they have in common are a group.
    has_unknown: bool,
}

impl GroupNames {
    /// The groups of these processes.
    pub fn of(rows: &[ProcessRow], by: GroupBy) -> GroupNames {
        let family = Family::of(rows);
        let mut names: HashMap<Task, Arc<str>> = HashMap::new();
        let mut members: HashMap<(Arc<str>, Arc<str>), Members> = HashMap::new();
        for row in rows {
            let Some(name) = group_name(&family, row, by) else { continue };
            let name: Arc<str> = name.into();
            let of_group = members.entry((Arc::clone(&row.host), Arc::clone(&name))).or_default();
            of_group.push((row.seen, row.count));
            if let Some(pid) = row.pid {
                names.insert((Arc::clone(&row.host), pid, row.start), name);
            }
        }
        GroupNames { by, names, members, has_unknown: true }
    }

    /// Without the processes of which it isn't known what they have in common.
    pub(crate) fn without_unknown(self) -> GroupNames {
        GroupNames { has_unknown: false, ..self }
    }

    /// What they have in common.
    pub(crate) fn by(&self) -> GroupBy {
        self.by
    }

    /// How many processes of a group there were in a span.
    pub(crate) fn num_processes(&self, host: &str, group: &str, span: (Timestamp, Timestamp)) -> u64 {
        let members = self.members.get(&(Arc::from(host), Arc::from(group)));
        // The sample with which a span begins is of the time before it.
        let is_later = |end: Timestamp| end > span.0 || span.0 == span.1;
        let is_there = |seen: &(Timestamp, Timestamp)| seen.0 <= span.1 && is_later(seen.1);
        let counts = members.into_iter().flatten().filter(|(seen, _)| is_there(seen));
        counts.map(|(_, count)| count).sum()
    }

    /// The group of a process. `None` if it isn't known.
    pub(crate) fn group(&self, host: &str, instance: &Instance) -> Option<Arc<str>> {
        let known = instance.id.and_then(|id| self.names.get(&(Arc::from(host), id, instance.start)));
        known.map(Arc::clone).or_else(|| match self.by {
            GroupBy::Command | GroupBy::Tree => Some(Arc::clone(&instance.name)),
            GroupBy::User | GroupBy::Unit | GroupBy::Container => None,
        })
    }

    /// The group of which its values are a part.
    fn name(&self, host: &str, instance: &Instance) -> Option<Arc<str>> {
        self.group(host, instance).or_else(|| self.has_unknown.then(|| UNKNOWN.into()))
    }

    /// Values of processes, with an instance per group: the sums of its processes' values, of counters that have sums. `None` for other
    /// objects.
    pub fn grouped(&self, cooked: &Cooked) -> Option<Cooked> {
        if !cooked.object.name.eq_ignore_ascii_case(OBJECT) {
            return None;
        }
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut places: HashMap<Arc<str>, usize> = HashMap::new();
        let places: Vec<Option<usize>> = cooked
            .instances
            .iter()
            .map(|instance| {
                let name = self.name(&cooked.host, instance).filter(|_| is_process(instance))?;
                let place = *places.entry(Arc::clone(&name)).or_insert(names.len());
                if place == names.len() {
                    names.push(name);
                }
                Some(place)
            })
            .collect();
        let mut continued = vec![false; names.len()];
        for (place, is_continued) in places.iter().zip(&cooked.continued) {
            if let Some(place) = place {
                continued[*place] |= is_continued;
            }
        }
        let has_sum = |column: &&CookedColumn| {
            let name = &*cooked.object.counters[column.counter].name;
            column.texts.is_none() && !NO_SUM.iter().any(|other| name.eq_ignore_ascii_case(other))
        };
        let columns = cooked.columns.iter().filter(has_sum);
        Some(Cooked {
            host: Arc::clone(&cooked.host),
            object: Arc::clone(&cooked.object),
            times: cooked.times.clone(),
            interval_s: cooked.interval_s.clone(),
            gaps: cooked.gaps.clone(),
            first_s: cooked.first_s.clone(),
            columns: columns.map(|column| sums(cooked, column, &places, names.len())).collect(),
            instances: names.into_iter().map(Instance::named).collect::<Vec<_>>().into(),
            continued,
            raw: None,
        })
    }
}

/// A column with the sums of groups. What has a value counts; a group of which nothing has one has the status of its first process.
fn sums(cooked: &Cooked, column: &CookedColumn, places: &[Option<usize>], num_groups: usize) -> CookedColumn {
    let num_samples = cooked.num_samples();
    let mut values = vec![0.0; num_samples * num_groups];
    let mut status: Vec<Option<Status>> = vec![None; num_samples * num_groups];
    let mut covers = vec![false; num_groups];
    for (at, place) in places.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
        let Some(place) = *place else { continue };
        covers[place] = true;
        for sample in 0..num_samples {
            let (cell, sum) = (sample * places.len() + at, sample * num_groups + place);
            match column.value_at(cell) {
                Some(value) => {
                    values[sum] += value;
                    status[sum] = Some(Status::Ok);
                }
                None => status[sum] = status[sum].or(Some(column.status_at(cell))),
            }
        }
    }
    let status = status.into_iter().map(|status| status.unwrap_or(Status::Ok)).collect();
    CookedColumn {
        counter: column.counter,
        values,
        status: Some(status),
        covers: Some(covers.into()),
        texts: None,
    }
}
