//! What groups of processes used of a machine's processors over time: for the picture of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use recount_compute::{Cooked, CookedColumn, Covered};
use recount_model::{Instance, Timestamp};
use recount_tables::processes::{Descriptions, Family, ProcessRow, ProcessRows, is_process};

use super::GroupNames;
use super::groups::{GroupBy, ProcessGroup, UNKNOWN, group_name, groups_of};

const TIME: &str = "% Processor Time";
/// Stretches of time that are distinguished.
const NUM_STRETCHES: usize = 200;
/// Groups that have an area of their own.
const NUM_SHOWN: usize = 8;
/// Processes of a group that are listed, and trees of them.
const MAX_LISTED: usize = 20;
/// How much of the time of the side that has fewer values has those of the other, too, where their difference is said.
const LEAST_COMMON: f64 = 0.5;

/// Processor time by process. Memory: a row per process, and a number for each of the 200 stretches of time in which it ran.
#[derive(Debug, Default)]
pub struct UsedTime {
    begin: Timestamp,
    end: Timestamp,
    /// The place of a process, by host and instance.
    places: HashMap<(Arc<str>, Instance), usize>,
    /// Stretches and seconds, in order of time.
    used: Vec<Vec<(usize, f64)>>,
    busy: Vec<f64>,
    /// The times of which there are values of processes, and of processors.
    covered: [Covered; 2],
    rows: ProcessRows,
    /// By host.
    num_processors: BTreeMap<Arc<str>, usize>,
}

/// What is known once all values are read.
#[derive(Debug)]
pub struct UsedShares {
    /// Host and instance, stretches and seconds.
    processes: Vec<(Arc<str>, Instance)>,
    used: Vec<Vec<(usize, f64)>>,
    busy: Vec<f64>,
    /// Which part of a stretch has values of processes, and of processors.
    covered: [Vec<f64>; 2],
    rows: Vec<ProcessRow>,
    /// Processor time of a stretch: of all processors, in seconds.
    whole_s: f64,
}

/// The picture: shares of all processors, from 0 to 1, in each of some stretches of time of equal length.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroupShares {
    /// What the processes of a group have in common.
    pub by: GroupBy,
    /// The groups that used most, the first most of all; the rest of them, if there is any, has a name of its own and no processes.
    pub groups: Vec<(String, Vec<f64>)>,
    /// What has no name; 0 where processors and processes don't both have values.
    pub not_attributed: Vec<f64>,
    /// The mean of what has no name over the time of which processors and processes both have values: what the processors did, less what
    /// processes used. `None` if this is less than half of the time of the side
    /// that has fewer.
    pub mean_not_attributed: Option<f64>,
    /// Which part of each stretch has values of processes.
    covered: Vec<f64>,
    /// The processes of each of the groups, in their order; not of the rest.
    pub processes: Vec<GroupProcesses>,
}

/// The processes of a group.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GroupProcesses {
    /// How many there are.
    pub num: u64,
    /// How many of them have used processor time.
    pub num_with_cpu: u64,
    /// Those that used most, with their processor time in seconds.
    pub most: Vec<(String, f64)>,
    /// What started them, with sums.
    pub trees: Vec<ProcessGroup>,
}

impl GroupShares {
    /// The mean of a group's shares over the time of which there are values.
    pub fn mean(&self, used: &[f64]) -> f64 {
        weighted(used, &self.covered).unwrap_or(0.0)
    }

    /// Which part of the whole time has values of processes.
    pub fn part_covered(&self) -> f64 {
        self.covered.iter().sum::<f64>() / self.covered.len().max(1) as f64
    }
}

fn weighted(values: &[f64], weights: &[f64]) -> Option<f64> {
    let sum: f64 = weights.iter().sum();
    let product: f64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    (sum > 0.0).then(|| product / sum)
}

impl UsedTime {
    /// For the values of a span of time.
    pub fn new(begin: Timestamp, end: Timestamp) -> UsedTime {
        UsedTime { begin, end, busy: vec![0.0; NUM_STRETCHES], ..UsedTime::default() }
    }

    /// Adds values: of other objects than `Process` and `Processor` none are used.
    pub fn add(&mut self, batch: &[Cooked]) {
        for cooked in batch {
            self.rows.add(cooked);
            match &*cooked.object.name {
                "Process" => self.add_processes(cooked),
                "Processor" => self.add_processors(cooked),
                _ => {}
            }
        }
    }

    fn add_processes(&mut self, cooked: &Cooked) {
        if let Some(column) = time_of(cooked) {
            self.covered[0].add_values(cooked, column, |at| is_process(&cooked.instances[at]));
        }
        for (at, instance) in cooked.instances.iter().enumerate().filter(|(_, one)| is_process(one)) {
            let place = self.place(&cooked.host, instance);
            let used = &mut self.used[place];
            each_stretch(cooked, at, (self.begin, self.end), |stretch, seconds| match used.last_mut() {
                Some((last, sum)) if *last == stretch => *sum += seconds,
                _ => used.push((stretch, seconds)),
            });
        }
    }

    fn add_processors(&mut self, cooked: &Cooked) {
        let single = || cooked.instances.iter().enumerate().filter(|(_, instance)| !instance.is_total());
        let num = self.num_processors.entry(Arc::clone(&cooked.host)).or_default();
        *num = single().count().max(*num);
        if let Some(column) = time_of(cooked) {
            self.covered[1].add_values(cooked, column, |at| !cooked.instances[at].is_total());
        }
        for (at, _) in single() {
            each_stretch(cooked, at, (self.begin, self.end), |stretch, seconds| {
                self.busy[stretch] += seconds;
            });
        }
    }

    fn place(&mut self, host: &Arc<str>, instance: &Instance) -> usize {
        let key = (Arc::clone(host), Instance { ordinal: 0, ..instance.clone() });
        let next = self.used.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.used.push(Vec::new());
        }
        place
    }

    /// All that was added, with what the captures say about processes. `None` if they don't say both what the processors did and what
    /// processes used.
    pub fn finish(self, known: &Descriptions) -> Option<UsedShares> {
        let num_processors: usize = self.num_processors.values().sum();
        let whole_s = self.end.seconds_since(self.begin) / NUM_STRETCHES as f64 * num_processors as f64;
        let rows = self.rows.finish(known, self.begin);
        if self.used.is_empty() || whole_s <= 0.0 {
            return None;
        }
        let mut processes: Vec<_> = self.places.into_iter().collect();
        processes.sort_by_key(|(_, place)| *place);
        let processes = processes.into_iter().map(|(process, _)| process).collect();
        let stretch = |at: usize| {
            let ticks = self.end.0.saturating_sub(self.begin.0) as f64 / NUM_STRETCHES as f64;
            let time = |at: usize| Timestamp(self.begin.0.saturating_add((ticks * at as f64) as i64));
            (time(at), time(at + 1))
        };
        let parts = |covered: &Covered| {
            let part = |at: usize| {
                let (from, to) = stretch(at);
                (covered.seconds_in(from, to) / to.seconds_since(from)).clamp(0.0, 1.0)
            };
            (0..NUM_STRETCHES).map(part).collect()
        };
        let covered = self.covered.each_ref().map(parts);
        Some(UsedShares { processes, used: self.used, busy: self.busy, covered, rows, whole_s })
    }
}

impl UsedShares {
    /// What processes can be grouped by: their programs and what started them, and what is known of any of them.
    pub fn groupings(&self) -> Vec<GroupBy> {
        let family = Family::of(&self.rows);
        let is_known = |by: &GroupBy| self.rows.iter().any(|row| group_name(&family, row, *by).is_some());
        GroupBy::NAMES.map(|(_, by)| by).into_iter().filter(is_known).collect()
    }

    /// The groups.
    pub fn by(&self, by: GroupBy) -> GroupShares {
        let names = GroupNames::of(&self.rows, by);
        let name = |host: &str, instance: &Instance| {
            names.group(host, instance).map_or_else(|| UNKNOWN.to_owned(), |name| name.to_string())
        };
        let mut sums: HashMap<String, f64> = HashMap::new();
        let mut members: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, (host, instance)) in self.processes.iter().enumerate() {
            let name = name(host, instance);
            let seconds: f64 = self.used[place].iter().map(|(_, seconds)| seconds).sum();
            *sums.entry(name.clone()).or_default() += seconds;
            members.entry(name).or_default().push(place);
        }
        let mut all: Vec<(String, Vec<usize>)> = members.into_iter().collect();
        all.sort_by(|a, b| sums[&b.0].total_cmp(&sums[&a.0]).then_with(|| a.0.cmp(&b.0)));
        let rest = all.split_off(all.len().min(NUM_SHOWN));
        all.retain(|(name, _)| sums[name] > 0.0);
        let mut groups: Vec<(String, Vec<f64>)> =
            all.into_iter().map(|(name, places)| (name, self.seconds(&places))).collect();
        let rest: Vec<usize> = rest.into_iter().flat_map(|(_, places)| places).collect();
        let processes = self.processes_of(by, &groups);
        if rest.iter().any(|place| self.used[*place].iter().any(|(_, seconds)| *seconds > 0.0)) {
            groups.push((rest_of(by).to_owned(), self.seconds(&rest)));
        }
        let [of_processes, of_processors] = &self.covered;
        let share = |seconds: f64, part: f64| if part > 0.0 { seconds / (self.whole_s * part) } else { 0.0 };
        for (_, used) in &mut groups {
            used.iter_mut().zip(of_processes).for_each(|(used, part)| *used = share(*used, *part));
        }
        let both = of_processes.iter().zip(of_processors);
        let both: Vec<f64> =
            both.map(|(one, other)| if *other > 0.0 { one.min(*other) } else { 0.0 }).collect();
        let rest = |at: usize| {
            let used: f64 = groups.iter().map(|(_, used)| used[at]).sum();
            if both[at] > 0.0 { share(self.busy[at], of_processors[at]) - used } else { 0.0 }
        };
        let mut not_attributed: Vec<f64> = (0..self.busy.len()).map(rest).collect();
        // Of a little of the time it would say nothing about the rest.
        let time = |parts: &[f64]| parts.iter().sum::<f64>();
        let is_common = time(&both) >= LEAST_COMMON * time(of_processes).min(time(of_processors));
        let mean_not_attributed =
            weighted(&not_attributed, &both).filter(|_| is_common).map(|mean| mean.max(0.0));
        for share in &mut not_attributed {
            *share = share.clamp(0.0, 1.0);
        }
        groups.iter_mut().flat_map(|(_, used)| used).for_each(|share| *share = share.clamp(0.0, 1.0));
        let covered = of_processes.clone();
        GroupShares { by, groups, not_attributed, mean_not_attributed, covered, processes }
    }

    /// The seconds of processes together, by stretch.
    fn seconds(&self, places: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; NUM_STRETCHES];
        for (stretch, seconds) in places.iter().flat_map(|place| &self.used[*place]) {
            sums[*stretch] += seconds;
        }
        sums
    }

    fn processes_of(&self, by: GroupBy, groups: &[(String, Vec<f64>)]) -> Vec<GroupProcesses> {
        let family = Family::of(&self.rows);
        let name = |row: &ProcessRow| group_name(&family, row, by).unwrap_or_else(|| UNKNOWN.to_owned());
        let wanted: BTreeSet<&str> = groups.iter().map(|(name, _)| &**name).collect();
        let mut own: HashMap<String, Vec<&ProcessRow>> = HashMap::new();
        for row in &self.rows {
            let name = name(row);
            if wanted.contains(&*name) {
                own.entry(name).or_default().push(row);
            }
        }
        let trees = groups_of(&self.rows, GroupBy::Tree, |row| {
            Some(name(row)).filter(|name| wanted.contains(&**name))
        });
        let one = |(name, _): &(String, Vec<f64>)| {
            let mut own = own.remove(name).unwrap_or_default();
            let used = |row: &ProcessRow| row.cpu_s[0].unwrap_or(0.0);
            own.sort_by(|a, b| used(b).total_cmp(&used(a)));
            let trees = trees.get(name).map(|trees| trees.iter().take(MAX_LISTED).cloned().collect());
            GroupProcesses {
                num: own.iter().map(|row| row.count).sum(),
                num_with_cpu: own.iter().map(|row| row.num_with_cpu()).sum(),
                most: own.iter().take(MAX_LISTED).map(|row| (row.shown(), used(row))).collect(),
                trees: trees.unwrap_or_default(),
            }
        };
        groups.iter().map(one).collect()
    }
}

/// What those groups are called together that have no area of their own.
fn rest_of(by: GroupBy) -> &'static str {
    match by {
        GroupBy::User => "other users",
        GroupBy::Unit => "other units",
        GroupBy::Container => "other containers",
        GroupBy::Command => "other programs",
        GroupBy::Tree => "others",
    }
}

/// The values of the processor time.
fn time_of(cooked: &Cooked) -> Option<&CookedColumn> {
    cooked.columns.iter().find(|column| *cooked.object.counters[column.counter].name == *TIME)
}

/// Passes on the seconds that an instance used in the stretches that its values are about.
fn each_stretch(
    cooked: &Cooked,
    at: usize,
    (begin, end): (Timestamp, Timestamp),
    mut add: impl FnMut(usize, f64),
) {
    let Some(column) = time_of(cooked).filter(|column| column.covers(at)) else { return };
    let stretch_s = end.seconds_since(begin) / NUM_STRETCHES as f64;
    for (sample, time) in cooked.times.iter().enumerate() {
        let value = column.value_at(sample * cooked.instances.len() + at);
        let (Some(value), Some(interval)) = (value, cooked.interval_of(sample, at)) else { continue };
        let to = time.utc.seconds_since(begin);
        let from = (to - interval).max(0.0);
        if value == 0.0 || interval <= 0.0 || stretch_s <= 0.0 || to <= from {
            continue;
        }
        let last = ((to / stretch_s).ceil() as usize).min(NUM_STRETCHES);
        for stretch in (from / stretch_s) as usize..last {
            let (low, high) = (stretch as f64 * stretch_s, (stretch + 1) as f64 * stretch_s);
            add(stretch, value / 100.0 * (to.min(high) - from.max(low)).max(0.0));
        }
    }
}
