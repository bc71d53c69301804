//! Start times of instances.

use recount_model::{Formula, Second, Timestamp};

use super::counterset::Counterset;

/// Counters whose values are ids of processes and threads: instances of objects with one of them come and go.
const ID_COUNTERS: [&str; 2] = ["ID Process", "ID Thread"];

/// The columns for the start of an instance, as in a classic object: an elapsed time on a 100 ns clock, and
/// the id of a process or thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StartColumns {
    start: usize,
    time: usize,
    frequency: usize,
    ids: [Option<usize>; 2],
}

impl StartColumns {
    /// `None` if the counterset's counters don't say.
    pub(super) fn of(set: &Counterset) -> Option<StartColumns> {
        let counters = &set.object.counters;
        let start = counters.iter().position(|def| def.formula() == Formula::Elapsed)?;
        let links = set.links.get(start)?;
        let (Second::Base(time), Some(frequency)) = (&links.second, links.frequency) else { return None };
        let ids = ID_COUNTERS.map(|name| set.object.counter_named(name));
        ids.iter().any(Option::is_some).then_some(StartColumns { start, time: *time, frequency, ids })
    }

    /// The start of an instance, whose raw values `cell` gives by counter. Only on a 100 ns clock it is a
    /// `FILETIME`. The idle process and totals, whose id is 0, have no real start.
    pub(super) fn read(&self, cell: impl Fn(usize) -> Option<u64>) -> Option<Timestamp> {
        let is_filetime = cell(self.frequency) == Some(Timestamp::TICKS_PER_SECOND as u64);
        let has_id = self.ids.into_iter().flatten().any(|id| cell(id).is_some_and(|id| id != 0));
        if is_filetime && has_id { cell(self.start).map(|start| Timestamp(start as i64)) } else { None }
    }

    /// Time and frequency of the start's clock.
    pub(super) fn clock(&self, cell: impl Fn(usize) -> Option<u64>) -> Option<(u64, u64)> {
        cell(self.time).zip(cell(self.frequency))
    }
}
