//! In which direction a counter gets worse.

use recount_model::{CounterPath, Instance};
use recount_tables::processes::is_process;

/// Which direction is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worse {
    /// Larger values.
    Larger,
    /// Smaller values.
    Smaller,
    /// Neither: it depends on the workload (throughput), or it isn't known.
    Unknown,
}

/// Parts of names of counters that get worse as they shrink, unless they are rates.
const SMALLER: [&str; 6] = ["available", "free", "% idle", "hit ratio", "hits %", "page life expectancy"];
/// Parts of names of counters that get worse as they grow.
const LARGER: [&str; 26] = [
    "% processor time",
    "% user time",
    "% privileged time",
    "% interrupt time",
    "% dpc time",
    "% disk time",
    "% disk read time",
    "% disk write time",
    "io wait",
    "steal",
    "pressure",
    "queue length",
    "avg. disk sec/",
    "latency",
    "wait",
    "working set",
    "private bytes",
    "virtual bytes",
    "committed bytes",
    "pool nonpaged",
    "pool paged",
    "errors",
    "discarded",
    "faults/sec",
    "handle count",
    "thread count",
];

/// By the counter's name. What the idle process uses is what is left.
pub(super) fn worse(CounterPath { instance, counter, .. }: &CounterPath) -> Worse {
    let name = counter.to_lowercase();
    let is_rate = name.ends_with("/s") || name.ends_with("/sec");
    let is_idle = |name: &str| {
        let instance = Instance::named(name);
        !instance.is_total() && !is_process(&instance)
    };
    if instance.as_deref().is_some_and(is_idle) {
        Worse::Unknown
    } else if !is_rate && SMALLER.iter().any(|part| name.contains(part)) {
        Worse::Smaller
    } else if LARGER.iter().any(|part| name.contains(part)) {
        Worse::Larger
    } else {
        Worse::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_neither_good_nor_bad() {
        for (path, expected) in [
            (r"\Processor(_Total)\% Processor Time", Worse::Larger),
            (r"\Process(Idle)\% Processor Time", Worse::Unknown),
            (r"\Memory\Available MBytes", Worse::Smaller),
            (r"\Memory\Free System Page Table Entries", Worse::Smaller),
            (r"\sar.page\pgfree/s", Worse::Unknown),
            (r"\PhysicalDisk(0 C:)\Avg. Disk sec/Read", Worse::Larger),
            (r"\PhysicalDisk(0 C:)\Disk Bytes/sec", Worse::Unknown),
            (r"\PhysicalDisk(0 C:)\% Idle Time", Worse::Smaller),
        ] {
            assert_eq!(worse(&path.parse().expect(path)), expected, "{path}");
        }
    }
}
