//! What a capture says about processes besides their counters: who they are, and how they ended.

use std::sync::Arc;

use crate::Timestamp;

/// Who a process is. It is described when a sample first has it, and again when that changes: when it executes another program.
///
/// The instance of `Process` with this id ([`Instance::id`](crate::Instance::id)) and this start
/// ([`Instance::start`](crate::Instance::start)) is the same process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessDescription {
    /// From when on it is known to be so: the time of a sample. The description before it, if there is one, holds until then.
    pub since: Timestamp,
    /// Its id.
    pub pid: u32,
    /// When it began; executing another program doesn't change that.
    pub start: Timestamp,
    /// The id of its parent when it was described.
    pub parent: u32,
    /// The name of its instance, without a number for namesakes.
    pub name: Arc<str>,
    /// The path of its program. Threads of the kernel have none, and those of other users may not be known.
    pub executable: Option<Arc<str>>,
    /// The words of its command line, with secrets masked. Empty if it has none, or if it wasn't recorded.
    pub command: Vec<Arc<str>>,
    /// Whether the end of a longer command line is missing.
    pub is_command_cut: bool,
    /// The number of its user (effective).
    pub user_id: Option<u32>,
    /// The name of its user.
    pub user: Option<Arc<str>>,
    /// The path of its cgroup, as in the instances of the object `Cgroup`, with a slash before it.
    pub cgroup: Option<Arc<str>>,
    /// The unit of systemd that it belongs to, such as `nginx.service`, by its cgroup.
    pub unit: Option<Arc<str>>,
    /// The id of the container that it belongs to, as its runtime writes it, by its cgroup.
    pub container: Option<Arc<str>>,
    /// The name of that container, if a runtime says it.
    pub container_name: Option<Arc<str>>,
    /// The id of its session: that of the process which leads it.
    pub session: Option<u32>,
    /// How it is scheduled: `other`, `batch`, `idle`, `fifo`, `rr`, `deadline`, `ext`.
    pub scheduling_class: Option<Arc<str>>,
}

/// A process that ended, by its exit record; or several that were too many to be kept one by one.
///
/// Its instance of `Process`, with this id and this start, has its last values in the sample after its end. Of several, the id is that of
/// one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndedProcess {
    /// The time of the sample that has its last values.
    pub sample: Timestamp,
    /// Its id.
    pub pid: u32,
    /// When it began; of several, the start of their instance.
    pub start: Timestamp,
    /// When it ended, as closely as it is known; of several, the last.
    pub end: Timestamp,
    /// The id of its parent when it ended.
    pub parent: u32,
    /// The name of its instance, without a number for namesakes.
    pub name: Arc<str>,
    /// The number of its user.
    pub user_id: Option<u32>,
    /// The name of its user.
    pub user: Option<Arc<str>>,
    /// The path of its cgroup, with a slash before it, if it was seen while it ran.
    pub cgroup: Option<Arc<str>>,
    /// The processor time that it used outside the kernel, in 100 ns, from its start to its end; of several, their sum. So with all that
    /// follow.
    pub user_time: u64,
    /// The processor time that it used in the kernel, in 100 ns.
    pub privileged_time: u64,
    /// Bytes that read calls gave it.
    pub len_read: u64,
    /// Bytes that write calls took from it.
    pub len_written: u64,
    /// Bytes that were fetched from storage for it.
    pub len_storage_read: u64,
    /// Bytes that it caused to be written to storage.
    pub len_storage_written: u64,
    /// The most memory that it had resident at a time, in bytes; of several, the largest of these.
    pub peak_memory: Option<u64>,
    /// What it returned, as the system's `wait` gives it: the exit code times 256, or the number of the signal that ended it. Of several,
    /// that of the first that failed.
    pub exit_status: Option<u32>,
    /// How many processes this stands for: 1, or more.
    pub count: u64,
}

/// What a capture says about a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessNote {
    /// Who it is.
    Described(ProcessDescription),
    /// How it ended.
    Ended(EndedProcess),
}

impl ProcessNote {
    /// The time of the sample that it belongs to.
    pub fn time(&self) -> Timestamp {
        match self {
            ProcessNote::Described(described) => described.since,
            ProcessNote::Ended(ended) => ended.sample,
        }
    }
}
