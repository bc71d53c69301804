//! The interface of an object's module.

use std::fmt;
use std::sync::Arc;

use recount_model::{Event, ProcessDescription, ProcessNote};
use recount_perf_data::ObjectStream;

use super::cgroup::tree::Tree;
use super::exits::ExitRecords;
use super::object_spec::ObjectSpec;
use super::system_files::{SystemFile, SystemFiles};
use crate::Describe;

/// Reads one performance object.
pub(crate) trait Collector {
    /// The object's definition.
    fn spec(&self) -> &'static ObjectSpec;

    /// Whether this machine has a counter of the object; called once, at the start. A missing counter is left
    /// out of the definitions, because no value could represent it. A base is present if its counter is.
    fn has_counter(&self, _counter: usize) -> bool {
        true
    }

    /// Reads the members of the object before it is begun in the block. `false` if nothing could be read
    /// (which was reported to `tick`); the object is then left out of this sample.
    fn prepare(&mut self, _tick: &mut Tick) -> bool {
        true
    }

    /// Reads the object's values for this sample and appends its instances, or, for an object without
    /// instances, its only counter block. Anything that can't be read is reported to `tick` and left out.
    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>);
}

/// The state of one sample that all collectors share.
#[derive(Debug, Default)]
pub(crate) struct Tick {
    /// Wall clock of the sample as `FILETIME`.
    pub(crate) time_100ns: i64,
    /// Time since the machine was booted in 100 ns, sleep included: the block's `PerfTime`.
    pub(crate) since_boot_100ns: i64,
    /// Process ids in ascending order, which is the order of the instances of `Process` in this block
    /// (without `_Total`, which is the last). `Thread` refers to its parents by position in this list.
    pub(crate) processes: Vec<i32>,
    /// The cgroups, once an object has walked them in this sample.
    pub(crate) cgroups: Tree,
    /// What became known of processes with this sample.
    pub(crate) notes: Vec<ProcessNote>,
    /// Descriptions of all processes of this sample.
    pub(crate) described: Vec<Arc<ProcessDescription>>,
    /// What happened besides, for the log.
    pub(crate) events: Vec<Event>,
    /// Exit records, until the object of processes takes them.
    pub(crate) exits: Option<ExitRecords>,
    /// How it describes them.
    pub(crate) describe: Describe,
    files: SystemFiles,
    num_unreadable: u64,
    first_unreadable: Option<String>,
}

impl Tick {
    /// Begins a sample.
    pub(crate) fn begin(&mut self, time_100ns: i64) {
        self.time_100ns = time_100ns;
        self.processes.clear();
        self.notes.clear();
        self.described.clear();
        self.files.begin();
        self.num_unreadable = 0;
        self.first_unreadable = None;
    }

    /// The text, in this sample, of a file that several objects use. A file that can't be read is counted
    /// once, however many objects ask for it.
    pub(crate) fn file(&mut self, file: SystemFile) -> Option<&str> {
        if let Err(error) = self.files.read(file)
            && let Some(error) = error
        {
            self.unreadable(file.path(), error);
        }
        self.files.text(file)
    }

    /// Counts a failed reading; the first is kept as a message. A process that ended between listing and
    /// reading isn't a failure and isn't counted.
    pub(crate) fn unreadable(&mut self, what: impl fmt::Display, why: impl fmt::Display) {
        self.num_unreadable += 1;
        if self.first_unreadable.is_none() {
            self.first_unreadable = Some(format!("{what}: {why}"));
        }
    }

    /// How many readings failed, and the first of them.
    pub(crate) fn take_unreadable(&mut self) -> (u64, Option<String>) {
        (self.num_unreadable, self.first_unreadable.take())
    }
}
