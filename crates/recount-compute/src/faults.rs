//! Cells that the source marks as failed: they have no value, and give none to the next sample.

use recount_model::{CellFault, Run, Status};

use crate::carry::Carry;
use crate::operand::links;
use crate::sheet::Sheet;

/// The faults of a run by counter.
#[derive(Debug)]
pub(crate) struct Faults(Vec<CellFault>);

impl Faults {
    pub(crate) fn of(run: &Run) -> Faults {
        let mut all = run.faults.clone();
        all.sort_unstable_by_key(|fault| fault.counter);
        Faults(all)
    }

    fn of_counter(&self, counter: usize) -> &[CellFault] {
        let start = self.0.partition_point(|fault| (fault.counter as usize) < counter);
        let end = self.0.partition_point(|fault| fault.counter as usize <= counter);
        &self.0[start..end]
    }

    /// Faults of a counter and of the base and the multi base that go with it.
    fn touching(&self, run: &Run, counter: usize) -> impl Iterator<Item = &CellFault> {
        let counters = [Some(counter)].into_iter().chain(links(run, counter)).flatten();
        counters.flat_map(|counter| self.of_counter(counter))
    }

    /// Marks the cells of the counter that a fault touches; of two-sample types also those of the sample after.
    pub(crate) fn mark(&self, run: &Run, counter: usize, two_samples: bool, sheet: &mut Sheet) {
        let num_instances = run.instances.len();
        for fault in self.touching(run, counter) {
            let (sample, instance) = (fault.sample as usize, fault.instance as usize);
            let reach = if two_samples { 2 } else { 1 };
            for sample in (sample..sample.saturating_add(reach)).take_while(|s| *s < run.num_samples()) {
                if instance < num_instances {
                    sheet.mark(sample * num_instances + instance, Status::InvalidData);
                }
            }
        }
    }

    /// Marks the cells of the first sample whose predecessor in the carry is a fault. `self` are the faults of the
    /// run before, `counter` the counter's index in it.
    pub(crate) fn mark_carried(
        &self,
        carry: &Carry<'_>,
        counter: usize,
        num_instances: usize,
        sheet: &mut Sheet,
    ) {
        if self.0.is_empty() {
            return;
        }
        let mut failed = vec![false; carry.run.instances.len()];
        for fault in self.touching(carry.run, counter).filter(|fault| fault.sample as usize == carry.sample) {
            if let Some(failed) = failed.get_mut(fault.instance as usize) {
                *failed = true;
            }
        }
        for instance in 0..num_instances {
            if carry.source(instance).is_some_and(|source| failed[source]) {
                sheet.mark(instance, Status::InvalidData);
            }
        }
    }
}
