//! Instances that were registered again between two runs, and CPUs whose earlier times would have to be corrected. Within the
//! samples of a file the reader finds them: they aren't the same instance there. Two files that follow each other, or alternate, have
//! no sample in common in which it could.

use std::collections::HashSet;
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
    let sum = renewal.sum.and_then(|sum| run.instances.iter().position(|instance| *instance.name == *sum));
    let mut is_kept = vec![true; previous.instances.len()];
    let mut do_addends_go_on = true;
    let before: HashSet<_> = match sum {
        Some(_) => previous.instances.iter().map(Instance::key).collect(),
        None => HashSet::new(),
    };
    for (at, instance) in run.instances.iter().enumerate().filter(|(at, _)| Some(*at) != sum) {
        match carry.source(at) {
            Some(source) => {
                let is_another = is_plain(instance) && is_renewed(renewal, &carry, run, &faults, at, source);
                is_kept[source] = !is_another;
                do_addends_go_on &= !is_another;
            }
            // Another one of that name, or one that wasn't in the sum either.
            None => do_addends_go_on &= !before.contains(&instance.key()),
        }
    }
    if let Some(source) = sum.and_then(|sum| carry.source(sum)) {
        is_kept[source] = do_addends_go_on;
    }
    let kept: Vec<usize> = (0..is_kept.len()).filter(|at| is_kept[*at]).collect();
    if kept.len() == is_kept.len() {
        return previous;
    }
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
