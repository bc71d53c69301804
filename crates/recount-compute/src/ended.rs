//! Processes that have ended by the time of a sample: they have counts, but no current state
//! (`formats/linux-objects.md#processes-that-ended`).

use recount_model::{CellFault, Column, ENDED_PROCESSES, Run};

/// The memory and the handles of a process: it has given all of them back when its address space is gone.
const HELD: [&str; 5] =
    ["Virtual Bytes", "Working Set", "Working Set - Private", "Private Bytes", "Handle Count"];
/// A counter of the processes of Linux that no other system has.
const OF_LINUX: &str = "Major Page Faults/sec";
const PARENT: &str = "Creating Process ID";
/// The id of the kernel's thread that is the parent of all others.
const KERNEL_THREADS: u64 = 2;

/// Takes the memory, threads and handles of ended processes out of a run, where they are 0: a trend isn't to end there.
pub(crate) fn take_out_gauges(run: &mut Run) {
    if *run.object.name != *"Process" {
        return;
    }
    let mut faults = of_ended(run);
    faults.extend(of_zombies(run));
    run.faults.extend(faults);
}

/// Of instances that stand for processes that ended.
fn of_ended(run: &Run) -> Vec<CellFault> {
    let Some(ended) = column(run, ENDED_PROCESSES) else { return Vec::new() };
    let cells = cells(run, |cell| ended.first.get(cell).is_some_and(|num| *num > 0));
    let is_gauge = |at: &usize| !run.object.counters[*at].formula().needs_two_samples();
    let gauges = (0..run.object.counters.len()).filter(is_gauge);
    gauges.flat_map(|gauge| empty(run, gauge, &cells)).collect()
}

/// Of processes of Linux that are still listed because nobody has waited for their end. Only threads of the kernel live
/// without an address space.
fn of_zombies(run: &Run) -> Vec<CellFault> {
    let (Some(_), Some(len), Some(parent)) =
        (column(run, OF_LINUX), column(run, HELD[0]), column(run, PARENT))
    else {
        return Vec::new();
    };
    let num_instances = run.instances.len();
    let kernel = run.instances.iter().position(|instance| instance.id == Some(KERNEL_THREADS));
    // Where processes have ids of their own (a container), the second one is like any other, and the kernel's aren't listed.
    let is_kernel = |cell: usize| {
        let of_sample = kernel.and_then(|at| len.first.get(cell - cell % num_instances + at));
        of_sample.is_none_or(|len| *len == 0)
    };
    let is_thread_of_kernel = |cell: usize| {
        let id = run.instances[cell % num_instances].id;
        let is_named = |id: Option<u64>| id.is_none_or(|id| id == KERNEL_THREADS);
        is_kernel(cell) && (is_named(id) || is_named(parent.first.get(cell).copied()))
    };
    let cells = cells(run, |cell| len.first.get(cell) == Some(&0) && !is_thread_of_kernel(cell));
    let held = HELD.iter().filter_map(|name| place(run, name));
    held.flat_map(|counter| empty(run, counter, &cells)).collect()
}

fn place(run: &Run, counter: &str) -> Option<usize> {
    run.object.counters.iter().position(|def| *def.name == *counter)
}

fn column<'a>(run: &'a Run, counter: &str) -> Option<&'a Column> {
    run.columns.get(place(run, counter)?)
}

/// The cells of single processes for which something holds.
fn cells(run: &Run, holds: impl Fn(usize) -> bool) -> Vec<usize> {
    let num_instances = run.instances.len();
    let is_one = |cell: &usize| !run.instances[*cell % num_instances].is_total();
    (0..num_instances * run.num_samples()).filter(is_one).filter(|cell| holds(*cell)).collect()
}

/// Those of the cells in which a counter is 0.
fn empty<'a>(run: &'a Run, counter: usize, cells: &'a [usize]) -> impl Iterator<Item = CellFault> + 'a {
    let num_instances = run.instances.len();
    let is_empty =
        move |cell: &&usize| run.columns.get(counter).and_then(|column| column.first.get(**cell)) == Some(&0);
    cells.iter().filter(is_empty).map(move |cell| CellFault {
        sample: (cell / num_instances) as u32,
        counter: counter as u32,
        instance: (cell % num_instances) as u32,
    })
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

    #[test]
    fn a_zombie_has_no_memory() {
        let run_of = |parents: [u64; 4], ids: [u64; 4]| {
            let names = [HELD[0], "Private Bytes", "Priority Base", PARENT, OF_LINUX];
            let gauge = |name: &str| CounterDef { name: name.into(), ..CounterDef::default() };
            let counters = names.map(gauge).into();
            let instance = |id| Instance { id: Some(id), ..Instance::named("bash") };
            let column = |first: [u64; 4]| Column { first: first.into(), ..Column::default() };
            Run {
                host: "".into(),
                object: Arc::new(ObjectDef { name: "Process".into(), counters, ..ObjectDef::default() }),
                instances: ids.map(instance).into_iter().collect(),
                clocks: Clocks { time: vec![SampleTime::default()], ..Clocks::default() },
                columns: [[7, 0, 0, 0], [7, 0, 0, 0], [0; 4], parents, [0; 4]].map(column).into(),
                faults: Vec::new(),
            }
        };
        let faults = |parents, ids| {
            let mut run = run_of(parents, ids);
            take_out_gauges(&mut run);
            run.faults.iter().map(|fault| (fault.counter, fault.instance)).collect::<Vec<_>>()
        };
        // One that runs, the kernel's first thread, another of its threads, and one that has ended.
        assert_eq!(faults([1, 0, 2, 1], [5, 2, 3, 6]), [(0, 3), (1, 3)]);
        assert_eq!(faults([1, 0, 1, 1], [5, 2, 3, 6]), [(0, 2), (0, 3), (1, 2), (1, 3)]);
        // The second process of a container, and its children.
        assert_eq!(faults([1, 2, 2, 1], [2, 3, 4, 6]), [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)]);
    }

    #[test]
    fn processes_of_windows_may_have_no_address_space() {
        let mut run = run(0, 0);
        take_out_gauges(&mut run);
        assert!(run.faults.is_empty());
    }
}
