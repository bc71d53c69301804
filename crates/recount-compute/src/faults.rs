//! Cells that the source marks as failed: they have no value and can't be used for the next sample's values.

use recount_model::{CellFault, Run, Status};

use crate::carry::Carry;
use crate::operand::Links;
use crate::sheet::Sheet;

/// The faults of a run, by counter.
#[derive(Debug)]
pub(crate) struct Faults(Vec<CellFault>);

fn place(fault: &CellFault) -> (u32, u32, u32) {
    (fault.counter, fault.sample, fault.instance)
}

impl Faults {
    pub(crate) fn of(run: &Run) -> Faults {
        let mut all = run.faults.clone();
        all.sort_unstable_by_key(place);
        Faults(all)
    }

    /// Whether a cell is one of them.
    pub(crate) fn contains(&self, fault: &CellFault) -> bool {
        self.0.binary_search_by_key(&place(fault), place).is_ok()
    }

    fn of_counter(&self, counter: usize) -> &[CellFault] {
        let start = self.0.partition_point(|fault| (fault.counter as usize) < counter);
        let end = self.0.partition_point(|fault| fault.counter as usize <= counter);
        &self.0[start..end]
    }

    fn of_counters(&self, counters: impl Iterator<Item = usize>) -> impl Iterator<Item = &CellFault> {
        counters.flat_map(|counter| self.of_counter(counter))
    }

    /// Marks the cells of the counter that are affected by a fault in the counter itself or in one that its
    /// value depends on. For two-sample types a fault in the counter, its base or its clock also removes the
    /// next sample's value; instance counts and frequencies only affect their own sample.
    pub(crate) fn mark(&self, run: &Run, counter: usize, two_samples: bool, sheet: &mut Sheet) {
        let num_instances = run.instances.len();
        let links = Links::of(run, counter);
        let read_twice = self.of_counters(std::iter::once(counter).chain(links.second));
        let read_once = self.of_counters(links.multi.into_iter().chain(links.frequency));
        let reach = if two_samples { 2 } else { 1 };
        for (fault, reach) in read_twice.map(|fault| (fault, reach)).chain(read_once.map(|fault| (fault, 1)))
        {
            let (sample, instance) = (fault.sample as usize, fault.instance as usize);
            for sample in (sample..sample.saturating_add(reach)).take_while(|s| *s < run.num_samples()) {
                if instance < num_instances {
                    sheet.mark(sample * num_instances + instance, Status::InvalidData);
                }
            }
        }
        for column in links.all().filter_map(|link| run.columns.get(link)) {
            // An instance without the base counter has no base value.
            for instance in (0..num_instances).filter(|i| column.covers.is_some() && !column.covers(*i)) {
                let cells = (0..run.num_samples()).map(|sample| sample * num_instances + instance);
                cells.for_each(|cell| sheet.mark(cell, Status::InvalidData));
            }
        }
    }

    /// Marks the cells of the first sample whose predecessor in the carry is a fault, or lacks the base or
    /// clock. `self` are the faults of the previous run, `counter` is the counter's index in it.
    pub(crate) fn mark_carried(
        &self,
        carry: &Carry<'_>,
        counter: usize,
        num_instances: usize,
        sheet: &mut Sheet,
    ) {
        let link = Links::of(carry.run, counter).second;
        let linked = link.and_then(|link| carry.run.columns.get(link)).filter(|link| link.covers.is_some());
        if self.0.is_empty() && linked.is_none() {
            return;
        }
        let mut failed = vec![false; carry.run.instances.len()];
        let faults = self.of_counters(std::iter::once(counter).chain(link));
        for fault in faults.filter(|fault| fault.sample as usize == carry.sample) {
            if let Some(failed) = failed.get_mut(fault.instance as usize) {
                *failed = true;
            }
        }
        if let (Some(linked), Some(column)) = (linked, carry.run.columns.get(counter)) {
            // An instance that lacked the counter, too, is reported as missing from the previous sample.
            let lacks = |instance: usize| column.covers(instance) && !linked.covers(instance);
            for (instance, failed) in failed.iter_mut().enumerate() {
                *failed |= lacks(instance);
            }
        }
        for instance in 0..num_instances {
            if carry.source(instance).is_some_and(|source| failed[source]) {
                sheet.mark(instance, Status::InvalidData);
            }
        }
    }
}
