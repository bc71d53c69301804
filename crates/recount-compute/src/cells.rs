//! What captures have of one time: which values are of one cell, and what they say of each other.
//!
//! A cell is one of a machine, an object, a counter, an instance and a time. Of its values, equal ones are one, a value stands for
//! one that is missing or can't be read, and different ones are all kept (`formats/tables.md#several-captures`). Samples are
//! compared by this before anything is computed, and rows after.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use recount_model::{
    Authority, CellFault, Cooked, CookedColumn, CounterDef, Instance, ObjectDef, Run, SampleTime, Second,
    Source, Status, Timer, Timestamp, places_among,
};

use crate::{covers, tolerance_s};

/// A value as its capture has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CellValue {
    /// First and second value.
    Raw(u64, u64),
    /// The bits of a computed value.
    Cooked(u64),
}

impl CellValue {
    /// Counts and computed values can't be compared.
    pub fn is_raw(self) -> bool {
        matches!(self, CellValue::Raw(..))
    }

    /// What was counted, without the base or the time, or the bits of the computed value.
    pub fn first(self) -> u64 {
        match self {
            CellValue::Raw(first, _) | CellValue::Cooked(first) => first,
        }
    }

    /// Whether nothing was counted.
    pub fn is_zero(self) -> bool {
        match self {
            CellValue::Raw(first, _) => first == 0,
            // Of either sign.
            CellValue::Cooked(bits) => bits << 1 == 0,
        }
    }
}

enum Values<'a> {
    Run(&'a Run, BTreeSet<CellFault>),
    /// With the column of each counter.
    Cooked(&'a Cooked, Vec<Option<usize>>),
}

/// The cells of a run or of a stretch of computed values, by row (a sample), counter and instance, all of them indices.
pub struct Block<'a> {
    /// The machine.
    pub host: &'a str,
    /// The object.
    pub object: &'a ObjectDef,
    /// Its instances.
    pub instances: &'a [Instance],
    values: Values<'a>,
    ignores_clocks: bool,
    /// Whether the machine's clock and the object's tick in some row.
    ticks: [bool; 2],
}

impl<'a> Block<'a> {
    /// The raw values of a run.
    pub fn of_run(run: &'a Run) -> Block<'a> {
        let values = Values::Run(run, run.faults.iter().copied().collect());
        let (host, object, instances) = (&run.host, &run.object, &run.instances);
        let ticks =
            [&run.clocks.perf_freq, &run.clocks.object_freq].map(|all| all.iter().any(|one| *one > 0));
        Block { host, object, instances, values, ignores_clocks: false, ticks }
    }

    /// Computed values.
    pub fn of_cooked(cooked: &'a Cooked) -> Block<'a> {
        let mut columns = vec![None; cooked.object.counters.len()];
        for (at, column) in cooked.columns.iter().enumerate() {
            if let Some(of_counter) = columns.get_mut(column.counter) {
                *of_counter = Some(at);
            }
        }
        let (host, object, instances) = (&cooked.host, &cooked.object, &cooked.instances);
        let values = Values::Cooked(cooked, columns);
        Block { host, object, instances, values, ignores_clocks: false, ticks: [false; 2] }
    }

    /// Without clocks, so that what was counted is compared whichever time it was: they are often the sample's time.
    pub fn without_clocks(self) -> Block<'a> {
        Block { ignores_clocks: true, ..self }
    }

    /// The times of the rows.
    pub fn times(&self) -> &'a [SampleTime] {
        match &self.values {
            Values::Run(run, _) => &run.clocks.time,
            Values::Cooked(cooked, _) => &cooked.times,
        }
    }

    /// Whether it has raw values.
    pub fn is_raw(&self) -> bool {
        matches!(self.values, Values::Run(..))
    }

    /// Which column has the computed values of a counter.
    pub(crate) fn column_number(&self, counter: usize) -> Option<usize> {
        let Values::Cooked(_, columns) = &self.values else { return None };
        *columns.get(counter)?
    }

    fn column(&self, counter: usize) -> Option<&'a CookedColumn> {
        let Values::Cooked(cooked, _) = &self.values else { return None };
        Some(&cooked.columns[self.column_number(counter)?])
    }

    fn number(&self, row: usize, instance: usize) -> usize {
        row * self.instances.len() + instance
    }

    /// Whether it has a counter, of any instance.
    fn has_counter(&self, counter: usize) -> bool {
        match &self.values {
            Values::Run(run, _) => counter < run.columns.len(),
            Values::Cooked(..) => self.column(counter).is_some(),
        }
    }

    /// Whether an instance has a counter, with or without a value.
    pub fn has(&self, counter: usize, instance: usize) -> bool {
        match &self.values {
            Values::Run(run, _) => run.columns.get(counter).is_some_and(|column| column.covers(instance)),
            Values::Cooked(..) => self.column(counter).is_some_and(|column| column.covers(instance)),
        }
    }

    /// The text of a cell, if there is one.
    pub fn text(&self, row: usize, counter: usize, instance: usize) -> Option<&str> {
        let at = self.number(row, instance);
        match &self.values {
            Values::Run(run, _) => run.columns.get(counter)?.texts.as_ref()?.get(at)?.as_deref(),
            Values::Cooked(..) => self.column(counter)?.text_at(at).map(|text| &**text),
        }
    }

    /// The value of a cell, if there is one.
    pub fn value(&self, row: usize, counter: usize, instance: usize) -> Option<CellValue> {
        let at = self.number(row, instance);
        match &self.values {
            Values::Run(run, faults) => {
                let column = run.columns.get(counter).filter(|column| column.covers(instance))?;
                let fault =
                    CellFault { sample: row as u32, counter: counter as u32, instance: instance as u32 };
                let second = match &column.second {
                    Second::None => 0,
                    Second::Clock(_) if self.ignores_clocks => 0,
                    Second::Clock(timer) => run.clocks.ticks(*timer).get(row).copied().unwrap_or_default(),
                    Second::Base(base) => *run.columns.get(*base)?.first.get(at).unwrap_or(&0),
                    Second::Own(values) => values.get(at).copied().unwrap_or_default(),
                };
                let first = *column.first.get(at)?;
                (faults.is_empty() || !faults.contains(&fault)).then_some(CellValue::Raw(first, second))
            }
            Values::Cooked(..) => {
                let value = self.column(counter)?.value_at(at).filter(|_| self.has(counter, instance))?;
                Some(CellValue::Cooked(value.to_bits()))
            }
        }
    }

    /// Ticks per second of a clock at a row, if there is such a clock. One that doesn't tick in this row only is damaged: 0.
    fn frequency(&self, row: usize, timer: Timer) -> Option<u64> {
        let Values::Run(run, _) = &self.values else { return None };
        let (all, ticks) = match timer {
            Timer::Tick => (&run.clocks.perf_freq, self.ticks[0]),
            Timer::Object => (&run.clocks.object_freq, self.ticks[1]),
            Timer::HundredNs => return None,
        };
        all.get(row).copied().filter(|_| ticks)
    }

    /// Seconds that a computed value covers, if that is known. Counts cover none.
    fn interval_s(&self, row: usize, instance: usize) -> Option<f64> {
        match &self.values {
            Values::Run(..) => Some(0.0),
            Values::Cooked(cooked, _) => cooked.interval_of(row, instance),
        }
    }
}

/// What each counter of an object is known by. A base often has the name of the counter that it serves.
pub fn counter_keys(object: &ObjectDef) -> Vec<(&str, bool, u32)> {
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

/// Which instance and which counter of a block are which of another.
pub struct Match {
    /// Per instance, its place in the other block.
    pub instances: Vec<Option<usize>>,
    /// Per counter, its place in the other block's object.
    pub counters: Vec<Option<usize>>,
    /// Instances that the other block has otherwise: under another number, as one of several of the same name, or with another id. One of the two
    /// is wrong.
    pub is_renumbered: Vec<bool>,
}

impl Match {
    /// By identity: an instance is the same one if all agrees that both blocks know of it.
    pub fn of(one: &Block<'_>, other: &Block<'_>) -> Match {
        Match::new(one, other, places_among(one.instances, other.instances), places_of_counters(one, other))
    }

    /// By what is shown of instances: each of two recordings has its own idea of who is who.
    pub fn of_shown(one: &Block<'_>, other: &Block<'_>) -> Match {
        let shown: HashMap<String, usize> =
            other.instances.iter().enumerate().map(|(at, instance)| (instance.shown(), at)).collect();
        let instances = one.instances.iter().map(|instance| shown.get(&instance.shown()).copied());
        Match {
            instances: instances.collect(),
            counters: places_of_counters(one, other),
            is_renumbered: vec![false; one.instances.len()],
        }
    }

    /// Of two files of one format: both know the ids of raw values, or neither does. An id that only one of them has is damage.
    pub fn of_one_format(one: &Block<'_>, other: &Block<'_>) -> Match {
        let mut instances = places_among(one.instances, other.instances);
        let counters = places_of_counters(one, other);
        let has_all = counters.len() == other.object.counters.len() && counters.iter().all(Option::is_some);
        if one.is_raw() && other.is_raw() && has_all {
            for (instance, place) in one.instances.iter().zip(&mut instances) {
                *place = place.filter(|place| other.instances[*place].id == instance.id);
            }
        }
        Match::new(one, other, instances, counters)
    }

    fn new(
        one: &Block<'_>,
        other: &Block<'_>,
        instances: Vec<Option<usize>>,
        counters: Vec<Option<usize>>,
    ) -> Match {
        let is_raw = one.is_raw() && other.is_raw();
        let mut is_renumbered = vec![false; instances.len()];
        if is_raw && instances.iter().any(Option::is_none) {
            let taken: HashSet<usize> = instances.iter().copied().flatten().collect();
            let free = || other.instances.iter().enumerate().filter(|(at, _)| !taken.contains(at));
            let shown: HashSet<String> = free().map(|(_, instance)| instance.shown()).collect();
            let identity = |instance: &Instance| {
                Some((Arc::clone(&instance.name), instance.parent.clone(), instance.id?))
            };
            let known: HashSet<_> = free().filter_map(|(_, instance)| identity(instance)).collect();
            for (at, instance) in one.instances.iter().enumerate().filter(|(at, _)| instances[*at].is_none())
            {
                is_renumbered[at] = shown.contains(&instance.shown())
                    || identity(instance).is_some_and(|identity| known.contains(&identity));
            }
        }
        Match { instances, counters, is_renumbered }
    }
}

/// Per counter of a block, the place of the same one in another. A table doesn't say which of its counters are bases.
fn places_of_counters(one: &Block<'_>, other: &Block<'_>) -> Vec<Option<usize>> {
    let has_base = |block: &Block<'_>| block.object.counters.iter().any(CounterDef::is_base);
    let is_raw = one.is_raw() && other.is_raw();
    let knows_bases = is_raw || has_base(one) && has_base(other);
    let known: HashMap<_, usize> = keys_among(other, knows_bases)
        .into_iter()
        .enumerate()
        .filter_map(|(at, key)| Some((key?, at)))
        .collect();
    keys_among(one, knows_bases).iter().map(|key| known.get(key.as_ref()?).copied()).collect()
}

/// [`counter_keys`], or names and numbers only: then without bases that the block doesn't have.
fn keys_among<'b>(block: &Block<'b>, knows_bases: bool) -> Vec<Option<(&'b str, bool, u32)>> {
    if knows_bases {
        return counter_keys(block.object).into_iter().map(Some).collect();
    }
    let mut known: HashMap<&str, u32> = HashMap::new();
    let key = |(at, counter): (usize, &'b CounterDef)| {
        let is_there = !counter.is_base() || block.has_counter(at);
        is_there.then(|| {
            let num = known.entry(&counter.name).or_default();
            *num += 1;
            (&*counter.name, false, *num)
        })
    };
    block.object.counters.iter().enumerate().map(key).collect()
}

/// A cell of a capture.
#[derive(Clone, Copy)]
pub struct Cell<'a, 'b> {
    /// The capture.
    pub source: &'b dyn Source,
    /// Where its values are.
    pub block: &'b Block<'a>,
    /// The sample's place in the block.
    pub row: usize,
    /// The counter's place in the object.
    pub counter: usize,
    /// The instance's place in the block.
    pub instance: usize,
    /// Whether it was made from the capture's raw values, which say more than computed ones.
    pub is_raw: bool,
}

/// Why a value is missing, in the order of how much that says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// A blank in a text.
    None,
    /// The capture begins there: another may have what was before.
    First,
    /// It isn't known what was counted, there or before.
    Unread,
    /// The counts say that there is no value.
    Known,
}

impl Cell<'_, '_> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<CellValue> {
        self.block.value(self.row, self.counter, self.instance)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        self.block.text(self.row, self.counter, self.instance)
    }

    /// Whether the instance has the counter, with or without a value.
    pub fn is_there(&self) -> bool {
        self.block.has(self.counter, self.instance)
    }

    pub(crate) fn interval_s(&self) -> Option<f64> {
        self.block.interval_s(self.row, self.instance)
    }

    /// Seconds that the value covers; infinite if that isn't known. Counts cover none.
    pub fn len_s(&self) -> f64 {
        self.interval_s().unwrap_or(f64::INFINITY)
    }

    pub(crate) fn time(&self) -> Timestamp {
        self.block.times()[self.row].utc
    }

    /// Why there is a value, or none. Of raw values it isn't known.
    pub(crate) fn status(&self) -> Status {
        let at = self.block.number(self.row, self.instance);
        self.block.column(self.counter).map_or(Status::Ok, |column| column.status_at(at))
    }

    /// How much the capture says of its values.
    pub(crate) fn rank(&self) -> (bool, Authority) {
        (self.is_raw, self.source.info().authority)
    }

    pub(crate) fn reason(&self) -> Reason {
        match self.status() {
            Status::InvalidData if self.source.info().authority == Authority::Text => Reason::None,
            Status::FirstSample => Reason::First,
            status if status.rules_out_value() => Reason::Known,
            _ => Reason::Unread,
        }
    }

    fn definition(&self) -> &CounterDef {
        &self.block.object.counters[self.counter]
    }

    /// Whether the same counts mean the same in both: the type, and how fast the clock goes that it needs.
    pub fn is_same_type(&self, other: &Cell<'_, '_>) -> bool {
        let is_same_rate = || {
            let recipe = self.definition().recipe().filter(|recipe| recipe.formula.needs_frequency());
            let Some(timer) = recipe.and_then(|recipe| recipe.clock) else { return true };
            let [one, other] = [self, other].map(|cell| cell.block.frequency(cell.row, timer));
            one == other || one.is_none() || other.is_none()
        };
        let is_raw = self.block.is_raw() && other.block.is_raw();
        !is_raw || (self.definition().counter_type == other.definition().counter_type && is_same_rate())
    }

    /// Whether it is over a longer interval, by more than clocks and digits differ.
    pub fn is_longer(&self, other: &Cell<'_, '_>) -> bool {
        self.len_s() > other.len_s() + tolerance_s(other.len_s())
    }

    /// Whether there is no value, for a reason that is known, and the capture knows more than that of a value that is there. It says nothing of
    /// a value over a shorter interval.
    pub fn rules_out(&self, there: &Cell<'_, '_>) -> bool {
        self.is_there()
            && self.reason() == Reason::Known
            && self.rank() > there.rank()
            && (self.interval_s().is_none() || !self.is_longer(there))
    }

    /// Whether its capture has the values of which the other one is the sum or the mean, as when the other capture was thinned out.
    pub fn covers(&self, long: &Cell<'_, '_>) -> bool {
        let (short_s, Some(long_s)) = (self.interval_s(), long.interval_s()) else { return false };
        // The interval of a value is known, or its reason to be missing.
        let is_interval = short_s.map_or(self.value().is_none(), |short_s| short_s > 0.0);
        is_interval && !self.block.is_raw() && covers(self.source, long.time(), short_s, long_s)
    }
}
