//! `Memory`: no instances; levels and rates.

use super::spec::counter;
use super::spec::words::{COUNTER, LARGE_RAWCOUNT, RAW_BASE, RAW_FRACTION, RAWCOUNT};
use super::{Behaviour, CounterSpec, ObjectSpec, PerSecond, Work};

use Behaviour::{Fixed, Rises, Wanders};

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 4,
    name: "Memory",
    instances: &[],
    with_total: None,
    own_clock: false,
    change_every_s: 0,
    per_second: PerSecond { one_busy_of: 1, idle_seconds: 1, operations: 1000, len_operation: 4096 },
    counters: COUNTERS,
};

#[rustfmt::skip]
static COUNTERS: &[CounterSpec] = &[
    counter(24, "Available Bytes", LARGE_RAWCOUNT, Wanders { typical: 32 << 30, unit: 4096 }),
    counter(26, "Committed Bytes", LARGE_RAWCOUNT, Wanders { typical: 40 << 30, unit: 4096 }),
    counter(30, "Commit Limit", LARGE_RAWCOUNT, Fixed(96 << 30)),
    counter(28, "Page Faults/sec", COUNTER, Rises(|work| 2000 + 9 * work.events)),
    counter(32, "Write Copies/sec", COUNTER, Rises(|work| work.events / 20)),
    counter(34, "Transition Faults/sec", COUNTER, Rises(|work| 700 + 3 * work.events)),
    counter(36, "Cache Faults/sec", COUNTER, Rises(|work| work.events / 2)),
    counter(38, "Demand Zero Faults/sec", COUNTER, Rises(|work| 900 + 4 * work.events)),
    counter(40, "Pages/sec", COUNTER, Rises(Work::operations)),
    counter(822, "Pages Input/sec", COUNTER, Rises(|work| work.reads)),
    counter(42, "Page Reads/sec", COUNTER, Rises(|work| work.reads / 4)),
    counter(48, "Pages Output/sec", COUNTER, Rises(|work| work.writes / 100)),
    counter(50, "Page Writes/sec", COUNTER, Rises(|work| work.writes / 400)),
    counter(56, "Pool Paged Bytes", LARGE_RAWCOUNT, Wanders { typical: 900 << 20, unit: 4096 }),
    counter(58, "Pool Nonpaged Bytes", LARGE_RAWCOUNT, Wanders { typical: 700 << 20, unit: 4096 }),
    counter(60, "Pool Paged Allocs", RAWCOUNT, Wanders { typical: 600_000, unit: 1 }),
    counter(64, "Pool Nonpaged Allocs", RAWCOUNT, Wanders { typical: 800_000, unit: 1 }),
    counter(676, "Free System Page Table Entries", RAWCOUNT, Wanders { typical: 12_000_000, unit: 1 }),
    counter(818, "Cache Bytes", LARGE_RAWCOUNT, Wanders { typical: 3 << 30, unit: 4096 }),
    counter(820, "Cache Bytes Peak", LARGE_RAWCOUNT, Fixed(5 << 30)),
    counter(66, "Pool Paged Resident Bytes", LARGE_RAWCOUNT, Wanders { typical: 800 << 20, unit: 4096 }),
    counter(68, "System Code Total Bytes", LARGE_RAWCOUNT, Fixed(0)),
    counter(70, "System Code Resident Bytes", LARGE_RAWCOUNT, Fixed(8192)),
    counter(72, "System Driver Total Bytes", LARGE_RAWCOUNT, Wanders { typical: 20 << 20, unit: 4096 }),
    counter(74, "System Driver Resident Bytes", LARGE_RAWCOUNT, Wanders { typical: 16 << 20, unit: 4096 }),
    counter(76, "System Cache Resident Bytes", LARGE_RAWCOUNT, Wanders { typical: 3 << 30, unit: 4096 }),
    counter(1406, "% Committed Bytes In Use", RAW_FRACTION, Wanders { typical: 1_400_000_000, unit: 4096 }),
    counter(1406, "% Committed Bytes In Use", RAW_BASE, Fixed(4_000_000_000)),
    counter(1380, "Available KBytes", LARGE_RAWCOUNT, Wanders { typical: 32 << 20, unit: 4 }),
    counter(1382, "Available MBytes", LARGE_RAWCOUNT, Wanders { typical: 32 << 10, unit: 1 }),
];
