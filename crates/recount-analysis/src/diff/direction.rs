//! In which direction a counter gets worse.

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

/// Parts of names of counters that get worse as they shrink.
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

/// By the counter's name.
pub(super) fn worse(counter: &str) -> Worse {
    let name = counter.to_lowercase();
    if SMALLER.iter().any(|part| name.contains(part)) {
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
        for (counter, expected) in [
            ("% Processor Time", Worse::Larger),
            ("Available MBytes", Worse::Smaller),
            ("Avg. Disk sec/Read", Worse::Larger),
            ("Disk Bytes/sec", Worse::Unknown),
            ("% Idle Time", Worse::Smaller),
        ] {
            assert_eq!(worse(counter), expected, "{counter}");
        }
    }
}
