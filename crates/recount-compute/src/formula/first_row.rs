//! The sample before the first one of a run.

use std::ops::Range;

use recount_model::{CounterDef, Formula, ObjectDef, Status};

use super::Inputs;
use crate::operand::{self, Operand};
use crate::sheet::Sheet;

/// The comparison for the first sample of a run.
pub(super) enum FirstRow {
    /// Nothing: no instance has a value, for this reason.
    NoValue(Status),
    /// The previous sample.
    Carried(CarriedRow),
}

/// Values of the previous sample, in the order of this run's instances.
pub(super) struct CarriedRow {
    pub(super) first: Vec<u64>,
    /// `None` for a formula that has no second value.
    pub(super) second: Option<CarriedSecond>,
    /// Instances that were missing or lacked this counter, ascending.
    missing: Vec<usize>,
    /// Instances that have begun since, at zero, ascending.
    newborn: Vec<usize>,
}

pub(super) enum CarriedSecond {
    PerSample(u64),
    PerCell(Vec<u64>),
}

impl FirstRow {
    pub(super) fn new(inputs: &Inputs<'_>, counter: usize, formula: Formula) -> FirstRow {
        let Some(carry) = &inputs.carry else { return FirstRow::NoValue(Status::FirstSample) };
        let Some(before) = carry.counter(inputs.run, counter) else {
            return FirstRow::NoValue(Status::NoPreviousInstance);
        };
        let Some(first) = operand::cells(carry.run, before) else {
            return FirstRow::NoValue(Status::InvalidData);
        };
        let second = match operand::second(carry.run, before, formula) {
            _ if !(formula.needs_clock() || formula.needs_base()) => None,
            None => return FirstRow::NoValue(Status::InvalidData),
            Some(Operand::PerSample(clock)) => Some(CarriedSecond::PerSample(clock[carry.sample])),
            Some(Operand::PerCell(cells)) => Some(CarriedSecond::PerCell(carry.gather(cells))),
        };
        let column = &carry.run.columns[before];
        let is_newborn = |i: &usize| match second {
            Some(CarriedSecond::PerSample(clock)) => {
                carry.is_newborn(*i) && is_possible(inputs, counter, formula, (*i, clock))
            }
            _ => false,
        };
        let missing = (0..inputs.run.instances.len())
            .filter(|i| carry.source(*i).is_none_or(|source| !column.covers(source)))
            .filter(|i| !is_newborn(i))
            .collect();
        let newborn = (0..inputs.run.instances.len()).filter(is_newborn).collect();
        FirstRow::Carried(CarriedRow { first: carry.gather(first), second, missing, newborn })
    }
}

/// Whether what an instance has counted from zero on, since a clock reading, can be true.
fn is_possible(
    inputs: &Inputs<'_>,
    counter: usize,
    formula: Formula,
    (instance, before): (usize, u64),
) -> bool {
    let (run, object) = (inputs.run, &inputs.run.object);
    let Some(carry) = &inputs.carry else { return true };
    if formula != Formula::Timer || !is_processor_time(object, &object.counters[counter]) {
        return true;
    }
    let clock = match operand::second(run, counter, formula) {
        Some(Operand::PerSample(clock)) => clock.first().copied(),
        _ => None,
    };
    let used = operand::cells(run, counter).and_then(|cells| cells.get(instance).copied());
    let (Some(passed), Some(used)) = (clock.and_then(|clock| clock.checked_sub(before)), used) else {
        return true;
    };
    passed == 0 || carry.can_have_used(run, instance, used as f64 / passed as f64)
}

/// Whether a counter is the time that the instance had a processor: other times, such as those of waiting, are sums over threads.
fn is_processor_time(object: &ObjectDef, counter: &CounterDef) -> bool {
    const NAMES: [&str; 3] = ["% Processor Time", "% User Time", "% Privileged Time"];
    /// The same in every language of Windows, of its objects `Process` and `Thread`.
    const INDICES: [u32; 3] = [6, 142, 144];
    const OBJECTS: [u32; 2] = [230, 232];
    let is_named = NAMES.iter().any(|name| counter.name.eq_ignore_ascii_case(name));
    let is_of = |index: Option<u32>, known: &[u32]| index.is_some_and(|index| known.contains(&index));
    is_named || (is_of(object.index, &OBJECTS) && is_of(counter.index, &INDICES))
}

impl CarriedRow {
    /// Removes the values of the first sample for those `instances` that have nothing to compare with, and says which ones
    /// are of instances that weren't there before.
    pub(super) fn mark_missing(&self, instances: Range<usize>, sheet: &mut Sheet) {
        for instance in within(&self.missing, &instances) {
            sheet.mark(*instance, Status::NoPreviousInstance);
        }
        for instance in within(&self.newborn, &instances) {
            sheet.qualify(*instance, Status::SinceStart);
        }
    }
}

/// Those of ascending numbers that are in a range.
fn within<'a>(ascending: &'a [usize], range: &Range<usize>) -> &'a [usize] {
    let at = |limit: usize| ascending.partition_point(|number| *number < limit);
    &ascending[at(range.start)..at(range.end)]
}
