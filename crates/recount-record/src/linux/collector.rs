//! What an object's file has to provide.

use std::fmt;

use recount_perf_data::ObjectStream;

use super::cgroup::Tree;
use super::object_spec::ObjectSpec;
use super::system_files::{SystemFile, SystemFiles};

/// Reads one performance object.
pub(crate) trait Collector {
    /// What the object is.
    fn spec(&self) -> &'static ObjectSpec;

    /// Whether this machine has the object at all; asked once, at the start.
    fn is_present(&self) -> bool {
        true
    }

    /// Whether this machine has a counter of the object; asked once, at the start. A counter that isn't there is left
    /// out of the definitions: there is no value that could stand for it. A base goes with its counter.
    fn has_counter(&self, _counter: usize) -> bool {
        true
    }

    /// Reads what the object consists of, before it is begun in the block. `false`: nothing could be read (which was told
    /// to `tick`), and the object is left out of this sample.
    fn prepare(&mut self, _tick: &mut Tick) -> bool {
        true
    }

    /// Reads the object's values of this sample and appends its instances; of an object without instances, its one
    /// counter block. What can't be read is told to `tick` and left out.
    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>);
}

/// One sample as far as all collectors share it.
#[derive(Debug, Default)]
pub(crate) struct Tick {
    /// Wall clock of the sample as `FILETIME`.
    pub(crate) time_100ns: i64,
    /// Time since the machine was booted in 100 ns, sleep included: the block's `PerfTime`.
    pub(crate) since_boot_100ns: i64,
    /// Process ids by ascending id, in the order of the instances of `Process` in this block (`_Total` is the last and
    /// not among them): what `Thread` points to its parents with.
    pub(crate) processes: Vec<i32>,
    /// The cgroups, once an object has walked them in this sample.
    pub(crate) cgroups: Tree,
    files: SystemFiles,
    num_unreadable: u64,
    first_unreadable: Option<String>,
}

impl Tick {
    /// Begins a sample.
    pub(crate) fn begin(&mut self, time_100ns: i64) {
        self.time_100ns = time_100ns;
        self.processes.clear();
        self.files.begin();
        self.num_unreadable = 0;
        self.first_unreadable = None;
    }

    /// The text of a file that several objects are read from, as it is in this sample. One that can't be read is counted
    /// once, however many ask for it.
    pub(crate) fn file(&mut self, file: SystemFile) -> Option<&str> {
        if let Err(error) = self.files.read(file)
            && let Some(error) = error
        {
            self.unreadable(file.path(), error);
        }
        self.files.text(file)
    }

    /// Counts a reading that failed; the first is kept for people. A process that ended between listing and reading
    /// is no failure and isn't told.
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
