//! The cells of decoded samples, found by time, and compared with those of another capture.

use std::collections::{BTreeSet, HashMap};

use recount_compute::covers;
use recount_model::{
    CellFault, Cooked, Decoded, Instance, ObjectDef, Run, SampleTime, Second, Source, Timestamp, places_among,
};

/// A value as its capture has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// First and second value.
    Raw(u64, u64),
    /// The bits of a computed value.
    Cooked(u64),
}

impl Cell {
    /// Counts and computed values can't be compared.
    fn is_raw(self) -> bool {
        matches!(self, Cell::Raw(..))
    }
}

enum Values<'a> {
    Run(&'a Run, BTreeSet<CellFault>),
    /// With the column of each counter.
    Cooked(&'a Cooked, HashMap<usize, usize>),
}

/// A run or a stretch of cooked values.
pub(crate) struct Block<'a> {
    pub(crate) host: &'a str,
    pub(crate) object: &'a ObjectDef,
    pub(crate) instances: &'a [Instance],
    values: Values<'a>,
}

impl<'a> Block<'a> {
    pub(crate) fn of_run(run: &'a Run) -> Block<'a> {
        let values = Values::Run(run, run.faults.iter().copied().collect());
        Block { host: &run.host, object: &run.object, instances: &run.instances, values }
    }

    pub(crate) fn of_cooked(cooked: &'a Cooked) -> Block<'a> {
        let columns = cooked.columns.iter().enumerate().map(|(at, column)| (column.counter, at)).collect();
        let values = Values::Cooked(cooked, columns);
        Block { host: &cooked.host, object: &cooked.object, instances: &cooked.instances, values }
    }

    pub(crate) fn times(&self) -> &'a [SampleTime] {
        match &self.values {
            Values::Run(run, _) => &run.clocks.time,
            Values::Cooked(cooked, _) => &cooked.times,
        }
    }

    /// Whether an instance has a counter, with or without a value.
    pub(crate) fn has(&self, counter: usize, instance: usize) -> bool {
        match &self.values {
            Values::Run(run, _) => run.columns.get(counter).is_some_and(|column| column.covers(instance)),
            Values::Cooked(cooked, columns) => {
                columns.get(&counter).is_some_and(|at| cooked.columns[*at].covers(instance))
            }
        }
    }

    /// The text of a cell, if there is one.
    pub(crate) fn text(&self, row: usize, counter: usize, instance: usize) -> Option<&str> {
        let at = row * self.instances.len() + instance;
        match &self.values {
            Values::Run(run, _) => run.columns.get(counter)?.texts.as_ref()?.get(at)?.as_deref(),
            Values::Cooked(cooked, columns) => {
                cooked.columns[*columns.get(&counter)?].text_at(at).map(|text| &**text)
            }
        }
    }

    /// The value of a cell, if there is one.
    pub(crate) fn cell(&self, row: usize, counter: usize, instance: usize) -> Option<Cell> {
        let at = row * self.instances.len() + instance;
        match &self.values {
            Values::Run(run, faults) => {
                let column = run.columns.get(counter).filter(|column| column.covers(instance))?;
                let fault =
                    CellFault { sample: row as u32, counter: counter as u32, instance: instance as u32 };
                let second = match &column.second {
                    Second::None => 0,
                    Second::Clock(timer) => run.clocks.ticks(*timer).get(row).copied().unwrap_or_default(),
                    Second::Base(base) => *run.columns.get(*base)?.first.get(at).unwrap_or(&0),
                    Second::Own(values) => values.get(at).copied().unwrap_or_default(),
                };
                let first = *column.first.get(at)?;
                (faults.is_empty() || !faults.contains(&fault)).then_some(Cell::Raw(first, second))
            }
            Values::Cooked(cooked, columns) => {
                let column = &cooked.columns[*columns.get(&counter)?];
                let value = column.value_at(at).filter(|_| column.covers(instance))?;
                Some(Cell::Cooked(value.to_bits()))
            }
        }
    }
}

impl Block<'_> {
    /// Seconds that a computed value covers; infinite if unknown. Counts cover none.
    fn interval_s(&self, row: usize, instance: usize) -> f64 {
        match &self.values {
            Values::Run(..) => 0.0,
            Values::Cooked(cooked, _) => cooked.interval_of(row, instance).unwrap_or(f64::INFINITY),
        }
    }
}

/// Decoded samples, by time.
pub(super) struct Rows<'a> {
    source: &'a dyn Source,
    blocks: Vec<Block<'a>>,
    /// The blocks that have a time, each with its row.
    by_time: HashMap<Timestamp, Vec<(usize, usize)>>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(source: &'a dyn Source, decoded: &'a Decoded) -> Rows<'a> {
        let runs = decoded.runs.iter().map(Block::of_run);
        let blocks: Vec<Block<'_>> = runs.chain(decoded.cooked.iter().map(Block::of_cooked)).collect();
        let mut by_time: HashMap<Timestamp, Vec<(usize, usize)>> = HashMap::new();
        for (number, block) in blocks.iter().enumerate() {
            for (row, time) in block.times().iter().enumerate() {
                by_time.entry(time.utc).or_default().push((number, row));
            }
        }
        Rows { source, blocks, by_time }
    }
}

/// How many values of one capture another has, too.
#[derive(Debug, Default)]
pub(super) struct Share {
    /// Values, and counters without a value that the other doesn't have.
    pub(super) num_known: usize,
    /// Values that the other has, too.
    pub(super) num_same: usize,
    /// Whether the other has one of them over a longer or unknown interval.
    pub(super) is_longer: bool,
    /// Whether it has another value somewhere, and which counter's.
    pub(super) differing: Option<String>,
}

/// For a block of one capture and one of the other: which instance and counter is which.
struct Match {
    instances: Vec<Option<usize>>,
    counters: Vec<Option<usize>>,
}

impl Match {
    fn of(one: &Block<'_>, other: &Block<'_>) -> Match {
        let counters: HashMap<_, usize> =
            keys(other.object).into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        Match {
            instances: places_among(one.instances, other.instances),
            counters: keys(one.object).iter().map(|key| counters.get(key).copied()).collect(),
        }
    }
}

/// What each counter of an object is known by. A base often has the name of the counter that it serves.
pub(crate) fn keys(object: &ObjectDef) -> Vec<(&str, bool, u32)> {
    let mut known: HashMap<(&str, bool), u32> = HashMap::new();
    let mut keys = Vec::with_capacity(object.counters.len());
    for counter in &object.counters {
        let (name, is_base) = (&*counter.name, counter.is_base());
        let num = known.entry((name, is_base)).or_default();
        keys.push((name, is_base, *num));
        *num += 1;
    }
    keys
}

/// The samples of two captures, compared.
pub(super) struct Pair<'a> {
    of: Rows<'a>,
    others: Rows<'a>,
    matches: HashMap<(usize, usize), Match>,
}

impl<'a> Pair<'a> {
    pub(super) fn new(of: Rows<'a>, others: Rows<'a>) -> Pair<'a> {
        Pair { of, others, matches: HashMap::new() }
    }

    /// How much of what one capture has at a time the other has, too.
    pub(super) fn share(&mut self, time: Timestamp) -> Share {
        let mut share = Share::default();
        let (Some(of), Some(others)) = (self.of.by_time.get(&time), self.others.by_time.get(&time)) else {
            return share;
        };
        for &(number, row) in of {
            let block = &self.of.blocks[number];
            let is_same = |(other, _): &&(usize, usize)| {
                let other = &self.others.blocks[*other];
                other.host == block.host && other.object.name == block.object.name
            };
            let others: Vec<(usize, usize)> = others.iter().filter(is_same).copied().collect();
            for (other, _) in &others {
                let make = || Match::of(block, &self.others.blocks[*other]);
                self.matches.entry((number, *other)).or_insert_with(make);
            }
            for counter in 0..block.object.counters.len() {
                for instance in 0..block.instances.len() {
                    let places = others.iter().filter_map(|(other, row)| {
                        let places = self.matches.get(&(number, *other))?;
                        let (counter, instance) = (places.counters[counter]?, places.instances[instance]?);
                        let (source, block) = (self.others.source, &self.others.blocks[*other]);
                        Some(Place { source, block, row: *row, counter, instance })
                    });
                    share.add(&Place { source: self.of.source, block, row, counter, instance }, places);
                }
            }
        }
        share
    }
}

/// Where a cell is.
struct Place<'a, 'b> {
    source: &'b dyn Source,
    block: &'b Block<'a>,
    row: usize,
    counter: usize,
    instance: usize,
}

impl Place<'_, '_> {
    fn cell(&self) -> Option<Cell> {
        self.block.cell(self.row, self.counter, self.instance)
    }

    fn interval_s(&self) -> f64 {
        self.block.interval_s(self.row, self.instance)
    }

    /// Whether its capture has the values of which the other is the sum or the mean: the other is of a thinned table.
    fn covers(&self, other: &Place<'_, '_>) -> bool {
        let (short_s, long_s) = (self.interval_s(), other.interval_s());
        let time = other.block.times()[other.row].utc;
        short_s > 0.0 && long_s.is_finite() && covers(self.source, time, Some(short_s), long_s)
    }
}

impl Share {
    /// Adds a cell, and where the other capture has it.
    fn add<'a: 'b, 'b>(&mut self, own: &Place<'a, 'b>, mut others: impl Iterator<Item = Place<'a, 'b>>) {
        let Some(cell) = own.cell() else {
            // Another capture without the counter doesn't say that there is no value.
            let is_there = !own.block.has(own.counter, own.instance)
                || others.any(|other| other.block.has(other.counter, other.instance));
            self.num_known += usize::from(!is_there);
            return;
        };
        self.num_known += 1;
        let mut shortest: Option<f64> = None;
        let mut has_other = false;
        for other in others {
            let Some(found) = other.cell() else { continue };
            if found == cell {
                shortest = Some(shortest.map_or(other.interval_s(), |known| known.min(other.interval_s())));
            } else {
                let is_thinned = || own.covers(&other) || other.covers(own);
                has_other |= found.is_raw() == cell.is_raw() && !is_thinned();
            }
        }
        if let Some(shortest) = shortest {
            self.num_same += 1;
            self.is_longer |= shortest > own.interval_s();
        } else if has_other {
            self.differing.get_or_insert_with(|| path(own.block, own.counter, own.instance));
        }
    }
}

fn path(block: &Block<'_>, counter: usize, instance: usize) -> String {
    let instance = block.instances[instance].shown();
    let instance = if instance.is_empty() { instance } else { format!("({instance})") };
    format!("\\{}{instance}\\{}", block.object.name, block.object.counters[counter].name)
}
