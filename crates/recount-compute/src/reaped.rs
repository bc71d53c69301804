//! The I/O that Linux adds to a process when it waits for a child that ended.
//!
//! The kernel adds everything that the child has read and written to its parent at once, so a shell seems to have written in a
//! moment what its child wrote in an hour. What was last seen of the child is taken off the parent's step. What the child did
//! after that sample can't be told from what the parent did, so a step with a remainder has no value
//! (`formats/linux-objects.md#children-that-ended`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use recount_model::{CellFault, ENDED_PROCESSES, ObjectDef, Run};

use crate::carry::place_of_counter;
use crate::living::Living;

/// The counter with the id of the parent, and what the names of the inherited counters begin with. A name that no other system
/// has comes last.
const NAMES: [(&str, &[&str], &str); 2] = [
    ("Creating Process ID", &["IO ", "Storage "], "Storage Write Bytes/sec"),
    ("psinfo.ppid", &["io."], "io.write_bytes"),
];
/// Ancestors looked at: damaged ids may form a circle.
const MAX_DEPTH: usize = 64;

/// The counters of an object of processes of Linux. Two sources may define them in another order.
struct Inherited {
    /// The place of the parent's id in the previous run.
    parent: usize,
    /// The places of each counter in the previous run and in the next.
    counters: Vec<(usize, usize)>,
}

impl Inherited {
    fn of(before: &ObjectDef, object: &ObjectDef) -> Option<Inherited> {
        let place = |object: &ObjectDef, name: &str| {
            object.counters.iter().position(|counter| *counter.name == *name)
        };
        let is_there = |object: &ObjectDef, name: &str| place(object, name).is_some();
        // A recorder with exit records has taken off what was inherited.
        if is_there(before, ENDED_PROCESSES) && is_there(object, ENDED_PROCESSES) {
            return None;
        }
        let (parent, begins, _) =
            NAMES.iter().find(|(parent, _, own)| is_there(before, parent) && is_there(object, own))?;
        let is_inherited = |at: &usize| {
            let counter = &object.counters[*at];
            begins.iter().any(|begin| counter.name.starts_with(begin))
        };
        let counters = (0..object.counters.len())
            .filter(is_inherited)
            .filter_map(|at| Some((place_of_counter(before, object, at)?, at)));
        Some(Inherited { parent: place(before, parent)?, counters: counters.collect() })
    }
}

/// The previous run as the next one is to be compared with: processes have in advance what they inherited in between, and
/// a fault where that is unknown.
pub(crate) fn with_inheritance(previous: Arc<Run>, run: &Run) -> Arc<Run> {
    let inherited = Inherited::of(&previous.object, &run.object).filter(|_| run.num_samples() > 0);
    let (Some(inherited), Some(_)) = (inherited, previous.num_samples().checked_sub(1)) else {
        return previous;
    };
    let heirs = heirs(&previous, run, &inherited);
    if heirs.is_empty() {
        return previous;
    }
    let last = previous.num_samples();
    let mut before = previous.part(last - 1..last);
    let steps = Steps::new(&before, run, &inherited);
    let changes: Vec<(usize, Change)> = heirs
        .into_iter()
        .flat_map(|(heir, ended)| steps.of(heir, ended).into_iter().map(move |change| (heir.0, change)))
        .collect();
    for (heir, Change { counter, inherited }) in changes {
        match inherited {
            Some(sum) => before.columns[counter].first[heir] = sum,
            None => {
                before.faults.push(CellFault { sample: 0, counter: counter as u32, instance: heir as u32 });
            }
        }
    }
    Arc::new(before)
}

/// An instance, in the previous run and in the next.
type Heir = (usize, usize);

/// A process that ended, as one that may have inherited its I/O sees it.
#[derive(Clone, Copy)]
struct Ended {
    /// Its place in the previous run.
    at: usize,
    /// Whether the heir is its parent, and not one that may have adopted it.
    is_child: bool,
}

/// Which processes ended, by the ancestors that didn't. Only a process whose own parent ended can have been adopted by one
/// that is further away than the nearest.
fn heirs(previous: &Run, run: &Run, inherited: &Inherited) -> BTreeMap<Heir, Vec<Ended>> {
    let last = previous.num_samples() - 1;
    let Some(living) = Living::new(previous, run) else { return BTreeMap::new() };
    let is_process = |at: &usize| previous.instances[*at].id.is_some_and(|id| id != 0);
    let places: HashMap<u64, usize> = (0..previous.instances.len())
        .filter(is_process)
        .filter_map(|at| Some((previous.instances[at].id?, at)))
        .collect();
    let ended: BTreeSet<usize> = living.ended().into_iter().collect();
    let parent = |at: usize| {
        let cell = last * previous.instances.len() + at;
        places.get(previous.columns.get(inherited.parent)?.first.get(cell)?).copied()
    };
    let mut heirs: BTreeMap<Heir, Vec<Ended>> = BTreeMap::new();
    for &child in &ended {
        let ancestors = std::iter::successors(parent(child), |at| parent(*at)).take(MAX_DEPTH);
        for (depth, at) in ancestors.enumerate().filter(|(_, at)| !ended.contains(at)) {
            let is_child = depth == 0;
            if let Some(place) = living.later(at) {
                let of_heir = heirs.entry((at, place)).or_default();
                if !of_heir.iter().any(|known| known.at == child) {
                    of_heir.push(Ended { at: child, is_child });
                }
            }
            if is_child {
                break;
            }
        }
    }
    heirs
}

/// What a counter of an heir is compared with.
struct Change {
    /// Its place in the previous run.
    counter: usize,
    /// What it had with what it inherited; `None` if that is unknown.
    inherited: Option<u64>,
}

/// The steps of the inherited counters between two samples.
struct Steps<'a> {
    before: &'a Run,
    run: &'a Run,
    inherited: &'a Inherited,
    /// Counter and instance of the cells that the earlier sample lacks.
    lacking: HashSet<(usize, usize)>,
}

impl Steps<'_> {
    fn new<'a>(before: &'a Run, run: &'a Run, inherited: &'a Inherited) -> Steps<'a> {
        let lacking =
            before.faults.iter().map(|fault| (fault.counter as usize, fault.instance as usize)).collect();
        Steps { before, run, inherited, lacking }
    }

    /// The value of the earlier sample.
    fn seen(&self, counter: usize, at: usize) -> Option<u64> {
        let column = self.before.columns.get(counter)?;
        let is_known = column.covers(at) && !self.lacking.contains(&(counter, at));
        column.first.get(at).copied().filter(|_| is_known)
    }

    /// By how much a counter has grown; `None` if the step has no value anyway.
    fn grown(&self, (before, now): (usize, usize), heir: Heir) -> Option<u64> {
        let now = *self.run.columns.get(now)?.first.get(heir.1)?;
        now.checked_sub(self.seen(before, heir.0)?)
    }

    /// What is to be changed in the earlier sample because of these processes.
    fn of(&self, heir: Heir, mut ended: Vec<Ended>) -> Vec<Change> {
        let counters = &self.inherited.counters;
        let grown: Vec<(usize, u64)> =
            counters.iter().filter_map(|counter| Some((counter.0, self.grown(*counter, heir)?))).collect();
        // Who grew by less than a process had, in any counter, has not inherited it.
        let fits = |at: usize| {
            grown.iter().all(|(counter, grown)| self.seen(*counter, at).is_none_or(|seen| seen <= *grown))
        };
        ended.retain(|ended| fits(ended.at));
        if ended.is_empty() {
            return Vec::new();
        }
        let is_certain = ended.iter().all(|ended| ended.is_child);
        let change = |(counter, grown): (usize, u64)| {
            let sum =
                ended.iter().try_fold(0u64, |sum, ended| sum.checked_add(self.seen(counter, ended.at)?));
            let is_all = is_certain && sum == Some(grown);
            let inherited = is_all.then(|| self.seen(counter, heir.0)?.checked_add(grown)).flatten();
            Change { counter, inherited }
        };
        grown.into_iter().filter(|(_, grown)| *grown > 0).map(change).collect()
    }
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
                cells(|_| 0),
            ][..names.len()]
                .to_vec(),
            faults: Vec::new(),
        }
    }

    const LINUX: [&str; 3] = ["Creating Process ID", "IO Write Bytes/sec", "Storage Write Bytes/sec"];

    /// By how much the shell's own writing grew; `None` if that is unknown.
    fn own_step(names: &[&str], before: &[Process], after: &[Process]) -> Option<u64> {
        let (before, after) = (Arc::new(run(names, 1, before)), run(names, 2, after));
        let shell = |run: &Run| run.instances.iter().position(|instance| instance.id == Some(10));
        let before = with_inheritance(before, &after);
        let (earlier, later) = (shell(&before).expect("the shell"), shell(&after).expect("the shell"));
        let is_it = |fault: &CellFault| fault.counter == 1 && fault.instance as usize == earlier;
        let is_known = !before.faults.iter().any(is_it);
        is_known.then(|| after.columns[1].first[later] - before.columns[1].first[earlier])
    }

    #[test]
    fn what_was_seen_of_a_child_is_taken_off() {
        let before = [(10, 1, 4), (11, 10, 1_000)];
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 1_004)]), Some(0));
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 4)]), Some(0));
        // It goes on; or nobody waited for it.
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 1_024), (11, 10, 1_010)]), Some(1_020));
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 900)]), Some(896));
    }

    /// Two files of one recording, in two formats.
    #[test]
    fn counters_in_another_order_are_inherited() {
        let before = run(&LINUX, 1, &[(10, 1, 4), (11, 10, 1_000)]);
        let mut after = run(&LINUX, 2, &[(10, 1, 1_024)]);
        let mut object = (*after.object).clone();
        object.counters.reverse();
        after.object = Arc::new(object);
        after.columns.reverse();
        let before = with_inheritance(Arc::new(before), &after);
        let faults: Vec<u32> = before.faults.iter().map(|fault| fault.counter).collect();
        assert_eq!(faults.iter().collect::<BTreeSet<_>>(), BTreeSet::from([&1, &2]));
        // All of it was seen of the child.
        after.columns[1].first[0] = 1_004;
        after.columns[0].first[0] = 502;
        let before = run(&LINUX, 1, &[(10, 1, 4), (11, 10, 1_000)]);
        let before = with_inheritance(Arc::new(before), &after);
        assert_eq!((before.columns[1].first[0], before.columns[2].first[0]), (1_004, 502));
    }

    /// The rest is the child's last writing, or the shell's own.
    #[test]
    fn a_remainder_has_no_value() {
        let before = [(10, 1, 4), (11, 10, 1_000)];
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 1_024)]), None);
        // A child that had written nothing yet.
        assert_eq!(own_step(&LINUX, &[(10, 1, 4), (11, 10, 0)], &[(10, 1, 1_024)]), None);
        // Only that step.
        assert_eq!(own_step(&LINUX, &[(10, 1, 1_024)], &[(10, 1, 1_030)]), Some(6));
    }

    #[test]
    fn grandchildren_come_through_their_parents() {
        let before = [(10, 1, 4), (12, 11, 1_000), (11, 10, 50)];
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 1_060)]), None);
        // Another process adopted the grandchild.
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 54)]), Some(0));
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 60)]), None);
        // Damaged ids: each the parent of the other.
        assert_eq!(own_step(&LINUX, &[(10, 1, 4), (12, 11, 9), (11, 12, 9)], &[(10, 1, 60)]), Some(56));
    }

    /// The shell is the one that adopts what its living child leaves behind.
    #[test]
    fn ancestors_may_have_adopted_a_grandchild() {
        let before = [(10, 1, 4), (20, 10, 0), (11, 20, 50), (12, 11, 1_000)];
        assert_eq!(own_step(&LINUX, &before, &[(10, 1, 1_304), (20, 10, 60)]), None);
        // Too little for the grandchild, but not for its parent, which nobody but its own parent waits for.
        let own = [(10, 1, 4), (20, 10, 0), (11, 20, 50)];
        assert_eq!(own_step(&LINUX, &own, &[(10, 1, 304), (20, 10, 60)]), Some(300));
    }

    #[test]
    fn a_recorder_with_exit_records_has_taken_it_off() {
        let names = [LINUX[0], LINUX[1], LINUX[2], ENDED_PROCESSES];
        let own = |before: &[Process], after: &[Process]| own_step(&names, before, after);
        // The shell wrote as much as a child that ended.
        assert_eq!(own(&[(10, 1, 4), (11, 10, 1_000)], &[(10, 1, 1_024)]), Some(1_020));
    }

    #[test]
    fn other_systems_add_nothing_to_parents() {
        let windows = ["Creating Process ID", "IO Write Bytes/sec", "IO Other Bytes/sec"];
        assert_eq!(own_step(&windows, &[(10, 1, 4), (11, 10, 1_000)], &[(10, 1, 1_024)]), Some(1_020));
    }

    #[test]
    fn a_process_that_executes_another_program_has_not_ended() {
        let after = run(&LINUX, 2, &[(10, 1, 2_000), (11, 10, 1_000)]);
        let mut before = run(&LINUX, 1, &[(10, 1, 4), (11, 10, 1_000)]);
        let renamed = Instance { name: "sh2".into(), ..before.instances[1].clone() };
        before.instances = Arc::from([before.instances[0].clone(), renamed]);
        let before = with_inheritance(Arc::new(before), &after);
        assert_eq!((before.columns[1].first[0], before.faults.len()), (4, 0));
    }
}
