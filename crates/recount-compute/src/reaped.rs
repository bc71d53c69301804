//! The I/O that Linux adds to a process when it waits for a child that ended.
//!
//! The kernel adds everything that the child has read and written to its parent at once, so a shell seems to have written in a
//! moment what its child wrote in an hour. What was last seen of the child is taken off the parent's step; what the child did
//! after that sample stays, since no other process of the later sample has it (`formats/linux-objects.md#children-that-ended`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use recount_model::{CellFault, ObjectDef, Run};

/// The counter with the id of the parent, and what the names of the inherited counters begin with. A name that no other system
/// has comes last.
const NAMES: [(&str, &[&str], &str); 2] = [
    ("Creating Process ID", &["IO ", "Storage "], "Storage Write Bytes/sec"),
    ("psinfo.ppid", &["io."], "io.write_bytes"),
];
/// Ancestors looked at: damaged ids may form a circle.
const MAX_DEPTH: usize = 64;

/// The counters of an object of processes of Linux.
struct Inherited {
    parent: usize,
    counters: Vec<usize>,
}

impl Inherited {
    fn of(object: &ObjectDef) -> Option<Inherited> {
        let place = |name: &str| object.counters.iter().position(|counter| *counter.name == *name);
        let (parent, begins, _) =
            NAMES.iter().find(|(parent, _, own)| place(parent).is_some() && place(own).is_some())?;
        let is_inherited = |at: &usize| {
            let counter = &object.counters[*at];
            begins.iter().any(|begin| counter.name.starts_with(begin))
        };
        let counters = (0..object.counters.len()).filter(is_inherited).collect();
        Some(Inherited { parent: place(parent)?, counters })
    }
}

/// The previous run as the next one is to be compared with: processes have in advance what they inherited in between.
pub(crate) fn with_inheritance(previous: Arc<Run>, run: &Run) -> Arc<Run> {
    let is_same_object = Arc::ptr_eq(&previous.object, &run.object) || previous.object == run.object;
    let inherited = Inherited::of(&run.object).filter(|_| is_same_object && run.num_samples() > 0);
    let (Some(inherited), Some(_)) = (inherited, previous.num_samples().checked_sub(1)) else {
        return previous;
    };
    let heirs = heirs(&previous, run, &inherited);
    if heirs.is_empty() {
        return previous;
    }
    let last = previous.num_samples();
    let mut before = previous.part(last - 1..last);
    for (heir, ended) in heirs {
        let direct = ended.iter().filter(|(_, is_direct)| *is_direct).map(|(at, _)| *at).collect();
        let all: Vec<usize> = ended.into_iter().map(|(at, _)| at).collect();
        // A grandchild may have been adopted by another process, or not been waited for.
        for children in [all, direct] {
            if let Some(sums) = sums(&before, run, heir, &children, &inherited) {
                for (counter, sum) in inherited.counters.iter().zip(sums) {
                    if let Some(cell) = before.columns[*counter].first.get_mut(heir.0) {
                        *cell = sum;
                    }
                }
                break;
            }
        }
    }
    Arc::new(before)
}

/// An instance, in the previous run and in the next.
type Heir = (usize, usize);

/// Which processes ended, by the nearest ancestor that didn't; each with whether that is its parent.
fn heirs(previous: &Run, run: &Run, inherited: &Inherited) -> BTreeMap<Heir, Vec<(usize, bool)>> {
    let last = previous.num_samples() - 1;
    let now: HashMap<u64, usize> =
        run.instances.iter().enumerate().filter_map(|(at, instance)| Some((instance.id?, at))).collect();
    let time = previous.start_clock(last);
    let later = |at: usize| {
        let instance = &previous.instances[at];
        let place = *now.get(&instance.id?)?;
        run.instances[place].is_same(instance, time).then_some(place)
    };
    let is_process = |at: &usize| previous.instances[*at].id.is_some_and(|id| id != 0);
    let places: HashMap<u64, usize> = (0..previous.instances.len())
        .filter(is_process)
        .filter_map(|at| Some((previous.instances[at].id?, at)))
        .collect();
    let ended: BTreeSet<usize> = places
        .values()
        .copied()
        .filter(|at| later(*at).is_none() && !is_renamed(previous, run, *at, &now))
        .collect();
    let parent = |at: usize| {
        let cell = last * previous.instances.len() + at;
        places.get(previous.columns.get(inherited.parent)?.first.get(cell)?).copied()
    };
    let mut heirs: BTreeMap<Heir, Vec<(usize, bool)>> = BTreeMap::new();
    for &child in &ended {
        let mut ancestor = parent(child);
        let mut depth = 1;
        while let Some(at) = ancestor.filter(|at| ended.contains(at) && depth < MAX_DEPTH) {
            (ancestor, depth) = (parent(at), depth + 1);
        }
        if let Some((at, place)) = ancestor.and_then(|at| Some((at, later(at)?))) {
            heirs.entry((at, place)).or_default().push((child, depth == 1));
        }
    }
    heirs
}

/// Whether a process goes on under another name, because it executed another program.
fn is_renamed(previous: &Run, run: &Run, at: usize, now: &HashMap<u64, usize>) -> bool {
    let before = &previous.instances[at];
    let after = before.id.and_then(|id| now.get(&id)).map(|place| &run.instances[*place]);
    after.is_some_and(|after| after.start == before.start)
}

/// Per inherited counter, what the heir had with what it inherited from these children; `None` if it can't have inherited
/// it all: it has not grown by as much.
fn sums(before: &Run, run: &Run, heir: Heir, children: &[usize], inherited: &Inherited) -> Option<Vec<u64>> {
    let is_known = |counter: usize, at: usize| {
        let is_it = |fault: &CellFault| fault.counter as usize == counter && fault.instance as usize == at;
        before.columns.get(counter).is_some_and(|column| column.covers(at))
            && !before.faults.iter().any(is_it)
    };
    let sum = |counter: &usize| {
        let column = before.columns.get(*counter)?;
        let seen = children.iter().filter(|at| is_known(*counter, **at)).map(|at| column.first.get(*at));
        let mut sum = *column.first.get(heir.0)?;
        for value in seen {
            sum = sum.checked_add(*value?)?;
        }
        (sum <= *run.columns.get(*counter)?.first.get(heir.1)?).then_some(sum)
    };
    inherited.counters.iter().map(sum).collect()
}

#[cfg(test)]
mod tests {
    use recount_model::{Clocks, Column, CounterDef, Instance, SampleTime, Timestamp};

    use super::*;

    /// Id, parent, and bytes written.
    type Process = (u64, u64, u64);

    fn run(names: &[&str], time: i64, processes: &[Process]) -> Run {
        let named = |name: &&str| CounterDef { name: Arc::from(*name), ..CounterDef::default() };
        let object = ObjectDef {
            name: "Process".into(),
            counters: names.iter().map(named).collect(),
            ..ObjectDef::default()
        };
        let instance = |(id, ..): &Process| Instance {
            id: Some(*id),
            start: Some(Timestamp(1)),
            ..Instance::named(if *id == 10 { "sh" } else { "dd" })
        };
        let cells = |of: fn(&Process) -> u64| Column {
            first: processes.iter().map(of).collect(),
            ..Column::default()
        };
        let utc = Timestamp(time * Timestamp::TICKS_PER_SECOND);
        Run {
            host: "".into(),
            object: Arc::new(object),
            instances: processes.iter().map(instance).collect(),
            clocks: Clocks { time: vec![SampleTime { utc, offset_min: 0 }], ..Clocks::default() },
            columns: vec![
                cells(|process| process.1),
                cells(|process| process.2),
                cells(|process| process.2 / 2),
            ],
            faults: Vec::new(),
        }
    }

    const LINUX: [&str; 3] = ["Creating Process ID", "IO Write Bytes/sec", "Storage Write Bytes/sec"];

    /// What the shell had written at the first sample, as the second is compared with it.
    fn compared_with(names: &[&str], before: &[Process], after: &[Process]) -> u64 {
        let (before, after) = (Arc::new(run(names, 1, before)), run(names, 2, after));
        let before = with_inheritance(before, &after);
        let shell = before.instances.iter().position(|instance| instance.id == Some(10)).expect("the shell");
        before.columns[1].first[shell]
    }

    #[test]
    fn what_was_seen_of_a_child_is_taken_off() {
        let before = [(10, 1, 4), (11, 10, 1_000)];
        assert_eq!(compared_with(&LINUX, &before, &[(10, 1, 1_024)]), 1_004);
        // It goes on; or nobody waited for it.
        assert_eq!(compared_with(&LINUX, &before, &[(10, 1, 1_024), (11, 10, 1_010)]), 4);
        assert_eq!(compared_with(&LINUX, &before, &[(10, 1, 900)]), 4);
    }

    #[test]
    fn grandchildren_come_through_their_parents() {
        let before = [(10, 1, 4), (12, 11, 1_000), (11, 10, 50)];
        assert_eq!(compared_with(&LINUX, &before, &[(10, 1, 1_060)]), 1_054);
        // Another process adopted the grandchild.
        assert_eq!(compared_with(&LINUX, &before, &[(10, 1, 60)]), 54);
        // Damaged ids: each the parent of the other.
        assert_eq!(compared_with(&LINUX, &[(10, 1, 4), (12, 11, 9), (11, 12, 9)], &[(10, 1, 60)]), 4);
    }

    #[test]
    fn other_systems_add_nothing_to_parents() {
        let windows = ["Creating Process ID", "IO Write Bytes/sec", "IO Other Bytes/sec"];
        assert_eq!(compared_with(&windows, &[(10, 1, 4), (11, 10, 1_000)], &[(10, 1, 1_024)]), 4);
    }

    #[test]
    fn a_process_that_executes_another_program_has_not_ended() {
        let after = run(&LINUX, 2, &[(10, 1, 2_000), (11, 10, 1_000)]);
        let mut before = run(&LINUX, 1, &[(10, 1, 4), (11, 10, 1_000)]);
        let renamed = Instance { name: "sh2".into(), ..before.instances[1].clone() };
        before.instances = Arc::from([before.instances[0].clone(), renamed]);
        assert_eq!(with_inheritance(Arc::new(before), &after).columns[1].first[0], 4);
    }
}
