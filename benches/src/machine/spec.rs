//! The objects, and the behaviour of each of their counters.

use super::Work;

/// A performance object.
#[derive(Debug)]
pub struct ObjectSpec {
    /// Index of its name.
    pub index: u32,
    /// Its name.
    pub name: &'static str,
    /// Names of the instances it begins with, `_Total` not among them; empty: an object without instances.
    pub instances: &'static [&'static str],
    /// Whether its last instance is `_Total`.
    pub with_total: Option<TotalKind>,
    /// Whether it has a clock of its own (100 ns UTC), as objects with start times do.
    pub own_clock: bool,
    /// Seconds between instances that come or go, on average; 0: never.
    pub change_every_s: u64,
    /// What an instance does in a second.
    pub per_second: PerSecond,
    /// Its counters, each base directly after its counter.
    pub counters: &'static [CounterSpec],
}

/// What `_Total` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalKind {
    /// The sum of the instances. As on Windows, it decreases when one of them ends.
    Sum,
    /// Sums of counts, and the mean of what shares time among the instances.
    MeanOfTimers,
}

/// How lively instances are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerSecond {
    /// One of this many instances is busy; each of the others does something once in `idle_seconds`.
    pub one_busy_of: u64,
    /// See `one_busy_of`.
    pub idle_seconds: u64,
    /// Operations per second of a busy instance, at most.
    pub operations: u64,
    /// Bytes per operation, at most.
    pub len_operation: u64,
}

/// A counter.
#[derive(Clone, Copy, Debug)]
pub struct CounterSpec {
    /// Index of its name.
    pub index: u32,
    /// Its name.
    pub name: &'static str,
    /// Type word.
    pub word: u32,
    /// How it moves.
    pub behaviour: Behaviour,
}

/// How a raw value moves.
#[derive(Clone, Copy, Debug)]
pub enum Behaviour {
    /// Counts up by what was done; wraps at its size.
    Rises(fn(&Work) -> u64),
    /// A level in units of `unit`, which wanders around `typical` while the instance does something.
    Wanders {
        /// Where it begins, at most.
        typical: u64,
        /// What it moves by, a few times a second.
        unit: u64,
    },
    /// The highest that the next counter has been.
    PeakOfNext,
    /// Always the same.
    Fixed(u64),
    /// Id of the process.
    Id,
    /// Id of the process that started it.
    ParentId,
    /// When the instance began.
    Started,
}

pub(super) const fn counter(index: u32, name: &'static str, word: u32, behaviour: Behaviour) -> CounterSpec {
    CounterSpec { index, name, word, behaviour }
}

/// Type words that the tables use, by their names in `formats/counter-types.md`.
pub(super) mod words {
    pub(crate) const COUNTER: u32 = 0x1041_0400;
    pub(crate) const BULK_COUNT: u32 = 0x1041_0500;
    pub(crate) const RAWCOUNT: u32 = 0x0001_0000;
    pub(crate) const LARGE_RAWCOUNT: u32 = 0x0001_0100;
    pub(crate) const TIMER_100NS: u32 = 0x2051_0500;
    pub(crate) const TIMER_100NS_INV: u32 = 0x2151_0500;
    pub(crate) const ELAPSED_TIME: u32 = 0x3024_0500;
    pub(crate) const RAW_FRACTION: u32 = 0x2002_0400;
    pub(crate) const RAW_BASE: u32 = 0x4003_0403;
    pub(crate) const PRECISION_100NS: u32 = 0x2057_0500;
    pub(crate) const LARGE_RAW_BASE: u32 = 0x4003_0500;
    pub(crate) const QUEUELEN_100NS: u32 = 0x0055_0500;
    pub(crate) const AVERAGE_TIMER: u32 = 0x3002_0400;
    pub(crate) const AVERAGE_BULK: u32 = 0x4002_0500;
    pub(crate) const AVERAGE_BASE: u32 = 0x4003_0402;
}
