//! The load over time: means and extremes of stretches, as `stats --by` has them.

use std::collections::BTreeMap;

use recount_model::{Cooked, Instance, Timestamp};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::resources::is_loopback;
use super::series::rounded;
use crate::report::CaptureFacts;
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::shown::{duration, unit_of};
use crate::stats::{SeriesId, Tallied, Tally};

/// The load over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadTable {
    /// Length of a stretch, as `--by` takes it.
    pub by: String,
    /// What is in the columns after the first, which is the begin of the stretch.
    pub columns: Vec<LoadColumn>,
    /// A row per stretch that has values.
    pub rows: Vec<LoadRow>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadColumn {
    /// What it is.
    pub name: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// The object whose counters it is made of.
    #[serde(skip)]
    pub(super) object: String,
}

/// A stretch of time. In JSON an array: its begin, and the values.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRow {
    /// Begin of the stretch.
    pub begin: String,
    /// A value per column.
    pub values: Vec<Option<f64>>,
}

impl Serialize for LoadRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_seq(Some(1 + self.values.len()))?;
        row.serialize_element(&self.begin)?;
        for value in &self.values {
            row.serialize_element(value)?;
        }
        row.end()
    }
}

/// Which figure of a stretch a column has.
#[derive(Clone, Copy)]
enum Figure {
    Mean,
    Least,
    Most,
}

struct Wanted {
    name: &'static str,
    figure: Figure,
    /// Objects with the counters that are added up: the first that the capture has.
    of: &'static [(&'static str, &'static [&'static str])],
    /// Whether instances are added up where there is no total.
    is_sum: bool,
}

const PROCESSORS: &[(&str, &[&str])] =
    &[("Processor", &["% Processor Time"]), ("Processor Information", &["% Processor Time"])];

const WANTED: [Wanted; 5] = [
    Wanted { name: "processor mean", figure: Figure::Mean, of: PROCESSORS, is_sum: false },
    Wanted { name: "processor max", figure: Figure::Most, of: PROCESSORS, is_sum: false },
    Wanted {
        name: "available memory min",
        figure: Figure::Least,
        of: &[("Memory", &["Available Bytes"]), ("Memory", &["Available MBytes"])],
        is_sum: false,
    },
    Wanted {
        name: "disk mean",
        figure: Figure::Mean,
        of: &[
            ("PhysicalDisk", &["Disk Read Bytes/sec", "Disk Write Bytes/sec"]),
            ("PhysicalDisk", &["Disk Bytes/sec"]),
            ("LogicalDisk", &["Disk Read Bytes/sec", "Disk Write Bytes/sec"]),
            ("LogicalDisk", &["Disk Bytes/sec"]),
        ],
        is_sum: true,
    },
    Wanted {
        name: "network mean",
        figure: Figure::Mean,
        of: &[
            ("Network Interface", &["Bytes Received/sec", "Bytes Sent/sec"]),
            ("Network Interface", &["Bytes Total/sec"]),
        ],
        is_sum: true,
    },
];

/// Lengths of stretches, in seconds.
const STEPS: [(i64, &str); 14] = [
    (10, "10s"),
    (60, "1m"),
    (300, "5m"),
    (900, "15m"),
    (3_600, "1h"),
    (14_400, "4h"),
    (43_200, "12h"),
    (86_400, "24h"),
    (7 * 86_400, "168h"),
    (30 * 86_400, "720h"),
    (90 * 86_400, "2160h"),
    (365 * 86_400, "8760h"),
    (3_650 * 86_400, "87600h"),
    (36_500 * 86_400, "876000h"),
];

/// Most rows of a table, and of a shorter one.
const MOST_ROWS: [f64; 2] = [25.0, 12.0];

/// Sums of a few counters, over stretches of two lengths.
pub struct Load {
    roster: Roster,
    /// Length in words, and the figures.
    tallies: Vec<(&'static str, Tally)>,
}

impl Load {
    /// For a capture. Of several machines nothing is added up.
    pub fn new(facts: &CaptureFacts) -> Load {
        let seconds = facts.span().map_or(0.0, |(begin, end)| end.utc.seconds_since(begin.utc));
        let least = 2.0 * facts.interval_s.unwrap_or(0.0);
        let step = |most: f64| {
            STEPS.iter().find(|(step, _)| {
                let step = *step as f64;
                step >= least && seconds / step + 1.0 <= most
            })
        };
        let is_one = facts.hosts.len() <= 1 && seconds > 0.0;
        let mut steps: Vec<&(i64, &str)> = MOST_ROWS.into_iter().filter_map(step).collect();
        steps.retain(|(step, _)| is_one && (*step as f64) < seconds);
        steps.dedup();
        let ticks = |step: i64| step.saturating_mul(Timestamp::TICKS_PER_SECOND);
        Load {
            roster: Roster::new(Grouping { by_host: false, instances: InstanceGrouping::Shown }),
            tallies: steps.into_iter().map(|(step, by)| (*by, Tally::new(Some(ticks(*step))))).collect(),
        }
    }

    /// Adds values, in the order of time.
    pub fn add(&mut self, batch: &[Cooked]) {
        if self.tallies.is_empty() {
            return;
        }
        let is_of = |cooked: &&Cooked| is_wanted(|object| cooked.object.name.as_ref() == object);
        let mut placed = Vec::new();
        for cooked in batch.iter().filter(is_of) {
            placed.extend(self.roster.place(std::slice::from_ref(cooked)));
        }
        let roster = &self.roster;
        let keeps = |id: SeriesId| {
            let object = &roster.objects()[id.object as usize];
            let counter = &*object.counters[id.counter as usize].name;
            let of = || WANTED.iter().flat_map(|wanted| wanted.of);
            of().any(|(name, counters)| *name == &*object.name && counters.contains(&counter))
        };
        for (_, tally) in &mut self.tallies {
            tally.add(&placed, &keeps);
        }
    }

    /// The tables, the longest first.
    pub(super) fn finish(self, facts: &CaptureFacts) -> Vec<LoadTable> {
        let roster = &self.roster;
        let tallies = self.tallies.into_iter();
        tallies.filter_map(|(by, tally)| table(by, roster, tally.finish(), facts)).collect()
    }
}

fn is_wanted(is_object: impl Fn(&str) -> bool) -> bool {
    WANTED.iter().flat_map(|wanted| wanted.of).any(|(object, _)| is_object(object))
}

fn table(by: &str, roster: &Roster, all: Vec<Tallied>, facts: &CaptureFacts) -> Option<LoadTable> {
    let mut begins: BTreeMap<Timestamp, usize> = BTreeMap::new();
    begins.extend(all.iter().filter_map(|one| Some((one.bucket?, 0))));
    for (at, place) in begins.values_mut().enumerate() {
        *place = at;
    }
    let figures: Vec<_> =
        all.into_iter().filter_map(|one| Some((one.id, *begins.get(&one.bucket?)?, one.figures()))).collect();
    let mut rows: Vec<LoadRow> = begins
        .keys()
        .map(|begin| LoadRow { begin: super::options::stated(facts, *begin), values: Vec::new() })
        .collect();
    let mut columns = Vec::new();
    for wanted in &WANTED {
        let Some((unit, ids)) = wanted.series(roster) else { continue };
        let mut values: Vec<Option<f64>> = vec![None; rows.len()];
        for (_, at, figures) in figures.iter().filter(|(id, ..)| ids.contains(id)) {
            let value = match wanted.figure {
                Figure::Mean => figures.mean,
                Figure::Least => figures.min,
                Figure::Most => figures.max,
            };
            values[*at] = [values[*at], value].into_iter().flatten().reduce(|a, b| a + b);
        }
        if values.iter().all(Option::is_none) {
            continue;
        }
        let object = ids.first().map(|id| roster.objects()[id.object as usize].name.to_string());
        columns.push(LoadColumn { name: wanted.name, unit, object: object.unwrap_or_default() });
        rows.iter_mut().zip(values).for_each(|(row, value)| row.values.push(value.map(rounded)));
    }
    (!columns.is_empty() && rows.len() > 1).then(|| LoadTable { by: by.to_owned(), columns, rows })
}

impl Wanted {
    /// The series of which the capture has this, and their unit.
    fn series(&self, roster: &Roster) -> Option<(&'static str, Vec<SeriesId>)> {
        self.of.iter().find_map(|(name, counters)| {
            let object = roster.objects().iter().position(|object| *object.name == **name)?;
            let entry = &roster.objects()[object];
            let numbers: Vec<usize> = counters
                .iter()
                .filter_map(|counter| entry.counters.iter().position(|known| *known.name == **counter))
                .collect();
            if numbers.len() < counters.len() {
                return None;
            }
            let is_whole = |at: &usize| entry.instances[*at].instance.as_ref().is_none_or(Instance::is_total);
            let is_part = |at: &usize| {
                self.is_sum && !is_loopback(entry.instances[*at].shown.as_deref().unwrap_or_default())
            };
            let all = || 0..entry.instances.len();
            let mut whole: Vec<usize> = all().filter(is_whole).collect();
            let is_grand =
                |at: &usize| entry.instances[*at].instance.as_ref().is_none_or(Instance::is_grand_total);
            if whole.iter().any(is_grand) {
                whole.retain(is_grand);
            } else if whole.len() > 1 && !self.is_sum {
                // Of several sockets, none is the whole.
                whole.clear();
            }
            let chosen: Vec<usize> = if whole.is_empty() { all().filter(is_part).collect() } else { whole };
            let id = |instance: usize, counter: usize| SeriesId {
                object: object as u32,
                instance: instance as u32,
                counter: counter as u32,
            };
            let ids: Vec<SeriesId> = chosen
                .iter()
                .flat_map(|instance| numbers.iter().map(|counter| id(*instance, *counter)))
                .collect();
            let first = &entry.counters[numbers[0]];
            (!ids.is_empty()).then(|| (unit_of(&first.name, first.unit), ids))
        })
    }
}

impl LoadTable {
    /// The length of a stretch, for people.
    pub(super) fn step_in_words(&self) -> String {
        let step = STEPS.iter().find(|(_, by)| *by == self.by);
        step.map_or_else(|| self.by.clone(), |(seconds, _)| duration(*seconds as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_what_stats_takes() {
        for (seconds, by) in STEPS {
            let period: recount_model::Period = by.parse().expect(by);
            assert_eq!(period.ticks(), seconds * Timestamp::TICKS_PER_SECOND, "{by}");
        }
    }
}
