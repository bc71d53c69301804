//! Instances that were registered again between two runs, and CPUs whose earlier times would have to be corrected. Within the
//! samples of a file the reader finds them: they aren't the same instance there. Two files that follow each other, or alternate, have
//! no sample in common in which it could.

use std::sync::Arc;

use recount_model::{Basis, CellFault, CounterDef, Instance, Renewal, Run, Width};

use crate::carry::Carry;
use crate::compact::compact;
use crate::faults::Faults;

/// The previous run as the next one is to be compared with: without the instances that were registered again in between.
pub(crate) fn without_renewed(previous: Arc<Run>, run: &Run) -> Arc<Run> {
    let Some(renewal) = run.object.renewal.as_ref().filter(|_| run.num_samples() > 0) else {
        return previous;
    };
    let Some(carry) = Carry::new(&previous, &run.object, &run.instances) else { return previous };
    let faults = [Faults::of(&previous), Faults::of(run)];
    // Of what counts from elsewhere, its reader has found what was corrected.
    let is_plain = |instance: &Instance| instance.parent.is_none() && instance.basis == Basis::default();
    let mut renewed: Vec<usize> = (0..run.instances.len())
        .filter(|instance| is_plain(&run.instances[*instance]))
        .filter_map(|instance| Some((instance, carry.source(instance)?)))
        .filter(|(instance, source)| is_renewed(renewal, &carry, run, &faults, *instance, *source))
        .map(|(_, source)| source)
        .collect();
    if renewed.is_empty() {
        return previous;
    }
    let is_sum = |instance: &Instance| renewal.sum.is_some_and(|sum| *instance.name == *sum);
    let sum = run.instances.iter().position(is_sum);
    renewed.extend(sum.and_then(|sum| carry.source(sum)));
    let kept: Vec<usize> = (0..previous.instances.len()).filter(|at| !renewed.contains(at)).collect();
    let last = carry.sample;
    Arc::new(compact(&previous.part(last..last + 1), &kept, |_| true))
}

/// Whether the first sample of a run shows that an instance was registered again since the last one of the run before.
fn is_renewed(
    renewal: &Renewal,
    carry: &Carry<'_>,
    run: &Run,
    [faults_before, faults]: &[Faults; 2],
    instance: usize,
    source: usize,
) -> bool {
    let values = |counter: &usize| {
        let before = carry.counter(run, *counter);
        let before = before.and_then(|place| cell(carry.run, faults_before, carry.sample, place, source));
        // What one of the two lacks says nothing.
        before.zip(cell(run, faults, 0, *counter, instance)).unwrap_or_default()
    };
    let half = |counter: &usize| match run.object.counters.get(*counter).map(CounterDef::raw_width) {
        Some(Width::Dword) => 1 << 31,
        _ => 1 << 63,
    };
    renewal.is_between(values, half)
}

fn cell(run: &Run, faults: &Faults, sample: usize, counter: usize, instance: usize) -> Option<u64> {
    let column = run.columns.get(counter).filter(|column| column.covers(instance))?;
    let value = column.first.get(sample * run.instances.len() + instance).copied()?;
    let cell = CellFault { sample: sample as u32, counter: counter as u32, instance: instance as u32 };
    (!faults.contains(&cell)).then_some(value)
}
