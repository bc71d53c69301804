//! Processes that have ended by the time of a sample: they have counts, but no current state.

use recount_model::{CellFault, ENDED_PROCESSES, Run};

/// Takes the memory, threads and handles of ended processes out of a run, where they are 0: a trend isn't to end there.
pub(crate) fn take_out_gauges(run: &mut Run) {
    let Some(ended) = run.object.counters.iter().position(|counter| *counter.name == *ENDED_PROCESSES) else {
        return;
    };
    let num_instances = run.instances.len();
    let is_ended = |cell: &usize| {
        run.columns[ended].first.get(*cell).is_some_and(|num| *num > 0)
            && !run.instances[*cell % num_instances].is_total()
    };
    let cells: Vec<usize> = (0..num_instances * run.num_samples()).filter(is_ended).collect();
    let gauges =
        run.object.counters.iter().enumerate().filter(|(_, counter)| !counter.formula().needs_two_samples());
    let mut faults = Vec::new();
    for (counter, _) in gauges {
        let is_empty = |cell: &&usize| run.columns[counter].first.get(**cell) == Some(&0);
        faults.extend(cells.iter().filter(is_empty).map(|cell| CellFault {
            sample: (cell / num_instances) as u32,
            counter: counter as u32,
            instance: (cell % num_instances) as u32,
        }));
    }
    run.faults.extend(faults);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use recount_model::{Clocks, Column, CounterDef, Instance, ObjectDef, SampleTime};

    use super::*;

    /// A run of one sample: memory and ended processes of `bash`, and of `_Total`.
    fn run(memory: u64, ended: u64) -> Run {
        let gauge = |name: &str| CounterDef { name: name.into(), ..CounterDef::default() };
        let counters = [gauge("Private Bytes"), gauge(ENDED_PROCESSES)].into();
        let column = |value: u64| Column { first: vec![value, value], ..Column::default() };
        Run {
            host: "".into(),
            object: Arc::new(ObjectDef { name: "Process".into(), counters, ..ObjectDef::default() }),
            instances: [Instance::named("bash"), Instance::named("_Total")].into_iter().collect(),
            clocks: Clocks { time: vec![SampleTime::default()], ..Clocks::default() },
            columns: vec![column(memory), column(ended)],
            faults: Vec::new(),
        }
    }

    #[test]
    fn what_has_ended_is_not_gauged() {
        let faults = |memory, ended| {
            let mut run = run(memory, ended);
            take_out_gauges(&mut run);
            run.faults
        };
        assert_eq!(faults(0, 1), [CellFault { sample: 0, counter: 0, instance: 0 }]);
        assert!(faults(0, 0).is_empty() && faults(7, 1).is_empty());
    }
}
