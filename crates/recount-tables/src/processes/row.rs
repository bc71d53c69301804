//! A process: what it used, who it is, and where it belongs.

use std::sync::Arc;

use recount_model::{ProcessDescription, Timestamp};

use super::name::shown_process;

/// A process, or several that ended and were added up.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ProcessRow {
    /// Machine; empty if unknown.
    pub host: Arc<str>,
    /// Its id.
    pub pid: Option<u64>,
    /// When it began.
    pub start: Option<Timestamp>,
    /// When it ended, if the capture says so.
    pub end: Option<Timestamp>,
    /// The first and the last sample that have it.
    pub seen: (Timestamp, Timestamp),
    /// The name of its instance, without a number: the last, if it has executed another program.
    pub name: Arc<str>,
    /// The id of its parent, as first seen.
    pub parent: Option<u64>,
    /// Who it is, if the capture says so.
    pub description: Option<ProcessDescription>,
    /// Name, number and cgroup of an ended process that was never described.
    pub ended_as: (Option<Arc<str>>, Option<u32>, Option<Arc<str>>),
    /// Where what started it belongs, if it was too short to be described ([`inherit_places`](super::inherit_places)).
    pub inherited: Option<Place>,
    /// Processor time in seconds while it was recorded: all, outside the kernel, in it.
    pub cpu_s: [Option<f64>; 3],
    /// Bytes while it was recorded: read, written, read from storage, written to storage.
    pub bytes: [Option<f64>; 4],
    /// The most memory that it had resident, in bytes.
    pub peak_memory: Option<f64>,
    /// What it returned, as the system's `wait` gives it.
    pub exit_status: Option<u32>,
    /// How many processes it stands for.
    pub count: u64,
}

/// Where a process belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its unit.
    pub unit: Option<Arc<str>>,
    /// Its container's id.
    pub container: Option<Arc<str>>,
    /// Its container's name.
    pub container_name: Option<Arc<str>>,
}

impl ProcessRow {
    /// As people know it: `python3 train.py (pid 1224, ml.service)`.
    pub fn shown(&self) -> String {
        if self.count > 1 {
            return format!("{} ({} processes)", self.name, self.count);
        }
        shown_process(&self.name, self.pid, self.description.as_ref())
    }

    /// The name of its user, or else the number.
    pub fn user(&self) -> Option<String> {
        self.user_name().or_else(|| self.user_id().map(|id| id.to_string()))
    }

    /// The name of its user.
    pub fn user_name(&self) -> Option<String> {
        let described = self.description.as_ref();
        let name = described.and_then(|one| one.user.clone()).or_else(|| self.ended_as.0.clone());
        name.map(|name| name.to_string())
    }

    /// How many of the processes that it stands for have used processor time, as far as that is known: all of those that were added
    /// up, or none.
    pub fn num_with_cpu(&self) -> u64 {
        if self.cpu_s[0].is_some_and(|used| used > 0.0) { self.count } else { 0 }
    }

    /// The number of its user.
    pub fn user_id(&self) -> Option<u32> {
        self.description.as_ref().and_then(|one| one.user_id).or(self.ended_as.1)
    }

    /// Its cgroup.
    pub fn cgroup(&self) -> Option<&str> {
        let described = self.description.as_ref().and_then(|one| one.cgroup.as_deref());
        described.or(self.ended_as.2.as_deref())
    }

    /// Its unit, or that of what started it.
    pub fn unit(&self) -> Option<&str> {
        let described = self.description.as_ref().and_then(|one| one.unit.as_deref());
        let inherited = || self.inherited.as_ref().and_then(|place| place.unit.as_deref());
        described.or_else(|| self.cgroup().and_then(recount_model::unit_of_cgroup)).or_else(inherited)
    }

    /// The id of its container, or that of what started it.
    pub fn container(&self) -> Option<String> {
        let described = self.description.as_ref().and_then(|one| one.container.as_deref().map(str::to_owned));
        let inherited =
            || self.inherited.as_ref().and_then(|place| place.container.as_deref().map(str::to_owned));
        described.or_else(|| self.cgroup().and_then(recount_model::container_of_cgroup)).or_else(inherited)
    }

    /// The name of its container, or that of what started it.
    pub fn container_name(&self) -> Option<&str> {
        let described = self.description.as_ref().and_then(|one| one.container_name.as_deref());
        described.or_else(|| self.inherited.as_ref().and_then(|place| place.container_name.as_deref()))
    }
}
