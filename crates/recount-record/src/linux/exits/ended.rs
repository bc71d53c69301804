//! Processes that ended, put together from the records of their threads.

use std::collections::HashMap;

use super::taskstats::{ExitIo, Taskstats};

/// More than this many between two samples are added up by name, parent and user.
const MAX_SINGLE: usize = 8192;
/// More groups than this are not kept.
const MAX_GROUPS: usize = 8192;
/// By how much a start may be late, since a record is dated when it is received.
const TOLERANCE_100NS: i64 = 10_000_000;

/// A process that ended, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) user_id: u32,
    pub(crate) comm: Vec<u8>,
    pub(crate) exit_status: u32,
    pub(crate) user_100ns: u64,
    pub(crate) system_100ns: u64,
    /// Both together, as the scheduler measured them up to the last tick of each thread; 0 if that isn't known.
    pub(crate) run_100ns: u64,
    pub(crate) num_minor_faults: u64,
    pub(crate) num_major_faults: u64,
    pub(crate) peak_kib: u64,
    pub(crate) io: ExitIo,
    pub(crate) priority: Option<u64>,
    /// When it began and ended, on the clock since boot: the latest that is possible.
    pub(crate) start_boot_100ns: i64,
    pub(crate) end_boot_100ns: i64,
    /// How many processes it is.
    pub(crate) count: u64,
}

/// Collects them between two samples.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// Of processes that have threads left.
    parts: HashMap<u32, Ended>,
    ended: Vec<Ended>,
    /// Those that were too many.
    groups: HashMap<(Vec<u8>, u32, u32), Ended>,
    /// The time of the previous sample: what began after it, no sample has seen.
    sample_boot_100ns: i64,
    /// Records that were not kept.
    pub(super) num_dropped: u64,
}

impl Collected {
    /// Adds a record, received at this time.
    pub(super) fn add(&mut self, task: &Taskstats, now_boot_100ns: i64) {
        let mut process = self.parts.remove(&task.pid).unwrap_or_default();
        process.add(task);
        if !task.is_last() {
            self.parts.insert(task.pid, process);
            return;
        }
        process.count = 1;
        process.end_boot_100ns = now_boot_100ns;
        let elapsed = i64::try_from(task.elapsed_us.saturating_mul(10)).unwrap_or(i64::MAX);
        process.start_boot_100ns = now_boot_100ns.saturating_sub(elapsed);
        if self.ended.len() < MAX_SINGLE || !self.is_unseen(&process) {
            self.ended.push(process);
            return;
        }
        let key = (process.comm.clone(), process.parent, process.user_id);
        if let Some(group) = self.groups.get_mut(&key) {
            group.join(&process);
        } else if self.groups.len() < MAX_GROUPS {
            self.groups.insert(key, process);
        } else {
            self.num_dropped += 1;
        }
    }

    /// Whether no sample can have it.
    fn is_unseen(&self, process: &Ended) -> bool {
        process.start_boot_100ns - TOLERANCE_100NS > self.sample_boot_100ns
    }

    /// What ended since the previous sample, in order.
    pub(super) fn take(&mut self, sample_boot_100ns: i64, is_alive: impl Fn(u32) -> bool) -> Vec<Ended> {
        self.sample_boot_100ns = sample_boot_100ns;
        // The record of the last thread is lost.
        self.parts.retain(|pid, _| is_alive(*pid));
        let mut ended = std::mem::take(&mut self.ended);
        ended.extend(self.groups.drain().map(|(_, group)| group));
        ended
    }
}

impl Ended {
    /// Adds a thread.
    fn add(&mut self, task: &Taskstats) {
        let (user, system) = task.times_100ns();
        self.user_100ns = self.user_100ns.saturating_add(user);
        self.system_100ns = self.system_100ns.saturating_add(system);
        self.run_100ns = self.run_100ns.saturating_add(task.run_100ns());
        self.num_minor_faults = self.num_minor_faults.saturating_add(task.num_minor_faults);
        self.num_major_faults = self.num_major_faults.saturating_add(task.num_major_faults);
        self.peak_kib = self.peak_kib.max(task.peak_kib);
        self.io = self.io.plus(&task.io);
        (self.pid, self.parent) = (task.pid, task.parent);
        // The first thread may end before the others.
        if task.is_leader() || self.comm.is_empty() {
            self.comm.clear();
            self.comm.extend_from_slice(task.comm());
            (self.user_id, self.exit_status, self.priority) =
                (task.user_id, task.exit_status, task.priority());
        }
    }

    /// Adds other processes of the same name and parent.
    pub(crate) fn join(&mut self, other: &Ended) {
        if self.exit_status == 0 {
            self.exit_status = other.exit_status;
        }
        self.user_100ns = self.user_100ns.saturating_add(other.user_100ns);
        self.system_100ns = self.system_100ns.saturating_add(other.system_100ns);
        self.run_100ns = self.run_100ns.saturating_add(other.run_100ns);
        self.num_minor_faults = self.num_minor_faults.saturating_add(other.num_minor_faults);
        self.num_major_faults = self.num_major_faults.saturating_add(other.num_major_faults);
        self.peak_kib = self.peak_kib.max(other.peak_kib);
        self.io = self.io.plus(&other.io);
        self.start_boot_100ns = self.start_boot_100ns.min(other.start_boot_100ns);
        self.end_boot_100ns = self.end_boot_100ns.max(other.end_boot_100ns);
        self.count = self.count.saturating_add(other.count);
    }
}
