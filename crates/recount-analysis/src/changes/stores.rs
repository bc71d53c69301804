//! What can be full, and where nothing is left.

use recount_model::Instance;

use crate::report::Candidate;

/// A counter that has an end.
pub(super) struct Store {
    object: &'static str,
    counter: &'static str,
    /// The value at which nothing is left.
    end: End,
    pub(super) what: &'static str,
    /// What happens at the end. `{}` is the instance.
    pub(super) full: &'static str,
}

/// Where nothing is left.
#[derive(Clone, Copy)]
enum End {
    At(f64),
    /// At the value of another counter of the same object.
    Counter(&'static str),
}

const NO_MEMORY: &str = "No memory is available";
/// Physical memory may have room then.
const COMMITTED: &str = "The commit limit is reached";
const DISK: &str = "LogicalDisk({}) is full";

const STORES: [Store; 8] = [
    Store {
        object: "Memory",
        counter: "Available Bytes",
        end: End::At(0.0),
        what: "available",
        full: NO_MEMORY,
    },
    Store {
        object: "Memory",
        counter: "Available KBytes",
        end: End::At(0.0),
        what: "available",
        full: NO_MEMORY,
    },
    Store {
        object: "Memory",
        counter: "Available MBytes",
        end: End::At(0.0),
        what: "available",
        full: NO_MEMORY,
    },
    Store { object: "LogicalDisk", counter: "% Free Space", end: End::At(0.0), what: "free", full: DISK },
    Store { object: "LogicalDisk", counter: "Free Megabytes", end: End::At(0.0), what: "free", full: DISK },
    Store {
        object: "Memory",
        counter: "% Committed Bytes In Use",
        end: End::At(100.0),
        what: "committed",
        full: COMMITTED,
    },
    Store {
        object: "Memory",
        counter: "Committed Bytes",
        end: End::Counter("Commit Limit"),
        what: "committed",
        full: COMMITTED,
    },
    Store {
        object: "Paging File",
        counter: "% Usage",
        end: End::At(100.0),
        what: "used",
        full: "Paging File({}) is full",
    },
];

/// A series that may be full, and what is kept there: of two counters of the same, one sentence is enough.
pub(super) fn kept_in<'s>(series: &Candidate<'s>) -> Option<(&'s str, Option<String>, &'static str)> {
    let full = store(series.object, series.counter)?.full;
    Some((series.host, series.instance.map(Instance::shown), full))
}

pub(super) fn store(object: &str, counter: &str) -> Option<&'static Store> {
    STORES.iter().find(|store| {
        store.object.eq_ignore_ascii_case(object) && store.counter.eq_ignore_ascii_case(counter)
    })
}

/// The value at which a series is at its end, if it has one. A limit that changes may change again.
pub(super) fn end(series: &Candidate<'_>, all: &[Candidate<'_>]) -> Option<f64> {
    let name = match store(series.object, series.counter)?.end {
        End::At(end) => return Some(end),
        End::Counter(name) => name,
    };
    let is_limit = |other: &&Candidate<'_>| {
        (other.host, other.object, other.instance) == (series.host, series.object, series.instance)
            && other.counter.eq_ignore_ascii_case(name)
    };
    let limit = all.iter().find(is_limit)?;
    limit.max.filter(|most| limit.min.is_some_and(|least| least.to_bits() == most.to_bits()))
}
