//! The load of a machine: a few counters, added up over stretches of time.

use std::collections::{BTreeMap, BTreeSet};

use recount_model::{Cooked, CookedColumn, Instance, Timestamp};

use crate::shown::unit_of;
use crate::stats::Extent;

/// Which figure of a stretch of time is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    Mean,
    Least,
    Most,
}

/// A kind of load, and the counters that say it.
#[derive(Debug)]
pub(crate) struct LoadKind {
    /// What is used, and the figure.
    pub(crate) resource: &'static str,
    pub(crate) figure: Figure,
    /// Objects with the counters that are added up: the first that the capture has.
    of: &'static [(&'static str, &'static [&'static str])],
    /// Whether instances are added up where there is no total.
    is_sum: bool,
}

const PROCESSORS: &[(&str, &[&str])] =
    &[("Processor", &["% Processor Time"]), ("Processor Information", &["% Processor Time"])];

static KINDS: [LoadKind; 5] = [
    LoadKind { resource: "processor", figure: Figure::Mean, of: PROCESSORS, is_sum: false },
    LoadKind { resource: "processor", figure: Figure::Most, of: PROCESSORS, is_sum: false },
    LoadKind {
        resource: "available memory",
        figure: Figure::Least,
        of: &[("Memory", &["Available Bytes"]), ("Memory", &["Available MBytes"])],
        is_sum: false,
    },
    LoadKind {
        resource: "disk",
        figure: Figure::Mean,
        of: &[
            ("PhysicalDisk", &["Disk Read Bytes/sec", "Disk Write Bytes/sec"]),
            ("PhysicalDisk", &["Disk Bytes/sec"]),
            ("LogicalDisk", &["Disk Read Bytes/sec", "Disk Write Bytes/sec"]),
            ("LogicalDisk", &["Disk Bytes/sec"]),
        ],
        is_sum: true,
    },
    LoadKind {
        resource: "network",
        figure: Figure::Mean,
        of: &[
            ("Network Interface", &["Bytes Received/sec", "Bytes Sent/sec"]),
            ("Network Interface", &["Bytes Total/sec"]),
        ],
        is_sum: true,
    },
];

/// In which stretch of time a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placing {
    /// Where its sample is, in UTC: as `stats --by` has it.
    Utc,
    /// Where the middle of its interval is, in local time as it was then.
    Local,
}

/// Sums of these counters, over stretches of one length or several. Of each sample, only the sum over all instances is kept.
pub(crate) struct LoadTally {
    placing: Placing,
    /// Lengths, in 100 ns.
    steps: Vec<i64>,
    /// By kind, and by the place of the object and its counters in [`LoadKind::of`].
    found: Vec<Vec<Found>>,
}

/// What was found of some counters of an object.
#[derive(Clone, Default)]
struct Found {
    unit: &'static str,
    /// By length, and then by number of the stretch since 1970.
    sums: Vec<BTreeMap<i64, Extent>>,
}

impl LoadTally {
    /// For stretches of these lengths in seconds, which begin at multiples of them since 1970. Without any, nothing is kept.
    pub(crate) fn new(placing: Placing, steps: impl IntoIterator<Item = i64>) -> LoadTally {
        let ticks = |step: i64| step.saturating_mul(Timestamp::TICKS_PER_SECOND);
        let steps: Vec<i64> = steps.into_iter().map(ticks).collect();
        let none = Found { unit: "", sums: vec![BTreeMap::new(); steps.len()] };
        let found = KINDS.iter().map(|kind| vec![none.clone(); kind.of.len()]).collect();
        LoadTally { placing, steps, found }
    }

    /// Adds values, in the order of time.
    pub(crate) fn add(&mut self, batch: &[Cooked]) {
        if self.steps.is_empty() {
            return;
        }
        for cooked in batch {
            for (kind, found) in KINDS.iter().zip(&mut self.found) {
                for ((object, counters), found) in kind.of.iter().zip(found) {
                    if *cooked.object.name == **object {
                        kind.add(cooked, counters, (self.placing, &self.steps), found);
                    }
                }
            }
        }
    }

    /// The load over stretches of each of the lengths.
    pub(crate) fn finish(self) -> Vec<LoadOverTime> {
        let over = |(at, length): (usize, &i64)| LoadOverTime::of(&self.found, at, *length);
        self.steps.iter().enumerate().map(over).collect()
    }
}

/// The load over time.
pub(crate) struct LoadOverTime {
    /// When the stretches with values begin, ascending.
    pub(crate) begins: Vec<Timestamp>,
    /// What the capture has.
    pub(crate) figures: Vec<LoadFigures>,
}

/// A kind of load over time.
pub(crate) struct LoadFigures {
    pub(crate) kind: &'static LoadKind,
    pub(crate) unit: &'static str,
    /// The object whose counters it is made of.
    pub(crate) object: &'static str,
    /// Per stretch; `None`: it has no value.
    pub(crate) values: Vec<Option<f64>>,
}

impl LoadOverTime {
    fn of(found: &[Vec<Found>], step: usize, length: i64) -> LoadOverTime {
        // Of each kind the first that the capture has; where that has no value, another one in the same unit.
        let of_kind = |(kind, found): (&'static LoadKind, &Vec<Found>)| {
            let has_any = |(_, found): &(_, &Found)| !found.sums[step].is_empty();
            let mut all = kind.of.iter().zip(found).filter(has_any);
            let ((object, _), first) = all.next()?;
            let others = all.map(|(_, found)| found).filter(|other| other.unit == first.unit);
            let mut sums = first.sums[step].clone();
            for (number, other) in others.flat_map(|other| &other.sums[step]) {
                sums.entry(*number).or_insert(*other);
            }
            Some((kind, *object, first.unit, sums))
        };
        let chosen: Vec<_> = KINDS.iter().zip(found).filter_map(of_kind).collect();
        let numbers: BTreeSet<i64> = chosen.iter().flat_map(|(.., sums)| sums.keys().copied()).collect();
        let figures = chosen.into_iter().map(|(kind, object, unit, sums)| {
            let value = |number: &i64| kind.figure.of(sums.get(number)?);
            LoadFigures { kind, unit, object, values: numbers.iter().map(value).collect() }
        });
        let figures = figures.collect();
        let begin =
            |number: &i64| Timestamp(number.saturating_mul(length).saturating_add(Timestamp::UNIX_EPOCH.0));
        LoadOverTime { begins: numbers.iter().map(begin).collect(), figures }
    }
}

impl Figure {
    fn of(self, values: &Extent) -> Option<f64> {
        match self {
            Figure::Mean => values.mean(),
            Figure::Least => values.has_values().then_some(values.min),
            Figure::Most => values.has_values().then_some(values.max),
        }
    }
}

impl LoadKind {
    fn add(
        &self,
        cooked: &Cooked,
        counters: &[&str],
        (placing, steps): (Placing, &[i64]),
        found: &mut Found,
    ) {
        let column = |name: &&str| {
            cooked.columns.iter().find(|column| *cooked.object.counters[column.counter].name == **name)
        };
        let columns: Vec<&CookedColumn> = counters.iter().filter_map(column).collect();
        let sets = self.instances(&cooked.instances);
        if columns.len() < counters.len() {
            return;
        }
        let Some(first) = columns.first() else { return };
        let counter = &cooked.object.counters[first.counter];
        found.unit = unit_of(&counter.name, counter.unit());
        for sample in 0..cooked.num_samples() {
            let value = |column: &CookedColumn, instance: usize| {
                let cell = sample * cooked.instances.len() + instance;
                if column.covers(instance) { column.value_at(cell) } else { None }
            };
            let sum = |instances: &Vec<usize>| {
                let pairs = columns.iter().flat_map(|column| instances.iter().map(move |at| (*column, *at)));
                pairs.filter_map(|(column, at)| value(column, at)).reduce(|one, other| one + other)
            };
            // A total without a value says nothing of the parts.
            let found_in = sets.iter().find_map(|set| Some((*set.first()?, sum(set)?)));
            let Some((instance, value)) = found_in else { continue };
            let weight = cooked.weight_of(sample, instance).max(0.0);
            let at = placing.time(cooked, sample, instance);
            for (length, sums) in steps.iter().zip(&mut found.sums) {
                let since = at.0.saturating_sub(Timestamp::UNIX_EPOCH.0);
                sums.entry(since.div_euclid(*length)).or_default().add(value, weight);
            }
        }
    }

    /// The sets of instances of which the first with values is added up: the total, or else all, if the kind can be added up.
    fn instances(&self, instances: &[Instance]) -> Vec<Vec<usize>> {
        let places = |is: fn(&Instance) -> bool| -> Vec<usize> {
            let all = instances.iter().enumerate();
            all.filter(|(_, instance)| is(instance)).map(|(at, _)| at).collect()
        };
        let mut sets = vec![places(|one| one.is_unnamed() || one.is_grand_total())];
        let totals = places(|one| one.is_unnamed() || one.is_total());
        // Of several sockets, none is the whole.
        if self.is_sum || totals.len() == 1 {
            sets.push(totals);
        }
        if self.is_sum {
            sets.push(places(|one| !one.is_total() && !is_loopback(&one.name)));
        }
        sets
    }
}

impl Placing {
    fn time(self, cooked: &Cooked, sample: usize, instance: usize) -> Timestamp {
        let time = cooked.times[sample];
        match self {
            Placing::Utc => time.utc,
            // Nobody knows when in a gap it was.
            Placing::Local if cooked.is_gap(sample) => time.local(),
            Placing::Local => {
                let interval_s = cooked.interval_of(sample, instance).unwrap_or(0.0);
                time.local().minus_seconds(interval_s / 2.0)
            }
        }
    }
}

/// Whether an interface only leads back to its machine.
pub(crate) fn is_loopback(instance: &str) -> bool {
    instance == "lo" || instance.to_lowercase().contains("loopback")
}
