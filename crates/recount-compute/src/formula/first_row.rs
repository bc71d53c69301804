//! The sample before the first one of a run.

use std::ops::Range;

use recount_model::{Formula, Status};

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
        let is_newborn =
            |i: &usize| carry.is_newborn(*i) && matches!(second, Some(CarriedSecond::PerSample(_)));
        let missing = (0..inputs.run.instances.len())
            .filter(|i| carry.source(*i).is_none_or(|source| !column.covers(source)))
            .filter(|i| !is_newborn(i))
            .collect();
        let newborn = (0..inputs.run.instances.len()).filter(is_newborn).collect();
        FirstRow::Carried(CarriedRow { first: carry.gather(first), second, missing, newborn })
    }
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
