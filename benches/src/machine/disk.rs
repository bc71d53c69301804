//! `PhysicalDisk` and `LogicalDisk`: the last ones are rarely used, so that their bases are constant.

use super::spec::words::{
    AVERAGE_BASE, AVERAGE_BULK, AVERAGE_TIMER, BULK_COUNT, COUNTER, LARGE_RAW_BASE, PRECISION_100NS,
    QUEUELEN_100NS, RAW_BASE, RAW_FRACTION, RAWCOUNT,
};
use super::spec::{TotalKind, counter};
use super::{Behaviour, CounterSpec, ObjectSpec, PerSecond, Work};

use Behaviour::{Fixed, Rises, Wanders};

pub(super) static PHYSICAL: ObjectSpec = ObjectSpec {
    index: 234,
    name: "PhysicalDisk",
    instances: &["0 C:", "1 D:", "2 E:", "3 F:", "4 G:", "5 H:"],
    with_total: Some(TotalKind::Sum),
    own_clock: false,
    change_every_s: 0,
    per_second: PerSecond { one_busy_of: 2, idle_seconds: 90, operations: 3000, len_operation: 65536 },
    counters: DISK,
};

pub(super) static LOGICAL: ObjectSpec = ObjectSpec {
    index: 236,
    name: "LogicalDisk",
    instances: &["C:", "D:", "E:", "F:", "G:", "H:", "HarddiskVolume1"],
    with_total: Some(TotalKind::Sum),
    own_clock: false,
    change_every_s: 1200,
    per_second: PerSecond { one_busy_of: 2, idle_seconds: 90, operations: 3000, len_operation: 65536 },
    counters: &LOGICAL_COUNTERS,
};

#[rustfmt::skip]
const DISK: &[CounterSpec] = &[
    counter(198, "Current Disk Queue Length", RAWCOUNT, Wanders { typical: 3, unit: 1 }),
    counter(200, "% Disk Time", PRECISION_100NS, Rises(|work| work.time_reading + work.time_writing)),
    counter(200, "% Disk Time", LARGE_RAW_BASE, Rises(|work| work.interval)),
    counter(1400, "Avg. Disk Queue Length", QUEUELEN_100NS, Rises(|work| work.time_reading + work.time_writing)),
    counter(202, "% Disk Read Time", PRECISION_100NS, Rises(|work| work.time_reading)),
    counter(202, "% Disk Read Time", LARGE_RAW_BASE, Rises(|work| work.interval)),
    counter(1402, "Avg. Disk Read Queue Length", QUEUELEN_100NS, Rises(|work| work.time_reading)),
    counter(204, "% Disk Write Time", PRECISION_100NS, Rises(|work| work.time_writing)),
    counter(204, "% Disk Write Time", LARGE_RAW_BASE, Rises(|work| work.interval)),
    counter(1404, "Avg. Disk Write Queue Length", QUEUELEN_100NS, Rises(|work| work.time_writing)),
    counter(206, "Avg. Disk sec/Transfer", AVERAGE_TIMER, Rises(|work| work.time_reading + work.time_writing)),
    counter(206, "Avg. Disk sec/Transfer", AVERAGE_BASE, Rises(Work::operations)),
    counter(208, "Avg. Disk sec/Read", AVERAGE_TIMER, Rises(|work| work.time_reading)),
    counter(208, "Avg. Disk sec/Read", AVERAGE_BASE, Rises(|work| work.reads)),
    counter(210, "Avg. Disk sec/Write", AVERAGE_TIMER, Rises(|work| work.time_writing)),
    counter(210, "Avg. Disk sec/Write", AVERAGE_BASE, Rises(|work| work.writes)),
    counter(212, "Disk Transfers/sec", COUNTER, Rises(Work::operations)),
    counter(214, "Disk Reads/sec", COUNTER, Rises(|work| work.reads)),
    counter(216, "Disk Writes/sec", COUNTER, Rises(|work| work.writes)),
    counter(218, "Disk Bytes/sec", BULK_COUNT, Rises(Work::bytes)),
    counter(220, "Disk Read Bytes/sec", BULK_COUNT, Rises(|work| work.bytes_read)),
    counter(222, "Disk Write Bytes/sec", BULK_COUNT, Rises(|work| work.bytes_written)),
    counter(224, "Avg. Disk Bytes/Transfer", AVERAGE_BULK, Rises(Work::bytes)),
    counter(224, "Avg. Disk Bytes/Transfer", AVERAGE_BASE, Rises(Work::operations)),
    counter(226, "Avg. Disk Bytes/Read", AVERAGE_BULK, Rises(|work| work.bytes_read)),
    counter(226, "Avg. Disk Bytes/Read", AVERAGE_BASE, Rises(|work| work.reads)),
    counter(228, "Avg. Disk Bytes/Write", AVERAGE_BULK, Rises(|work| work.bytes_written)),
    counter(228, "Avg. Disk Bytes/Write", AVERAGE_BASE, Rises(|work| work.writes)),
    counter(1482, "% Idle Time", PRECISION_100NS, Rises(Work::device_idle_time)),
    counter(1482, "% Idle Time", LARGE_RAW_BASE, Rises(|work| work.interval)),
    counter(1484, "Split IO/Sec", COUNTER, Rises(|work| work.operations() / 9)),
];

#[rustfmt::skip]
const FREE_SPACE: &[CounterSpec] = &[
    counter(408, "% Free Space", RAW_FRACTION, Wanders { typical: 400_000, unit: 1 }),
    counter(408, "% Free Space", RAW_BASE, Fixed(512_000)),
    counter(410, "Free Megabytes", RAWCOUNT, Wanders { typical: 400_000, unit: 1 }),
];

/// Those of `FREE_SPACE`, then those of `DISK`.
static LOGICAL_COUNTERS: [CounterSpec; FREE_SPACE.len() + DISK.len()] = {
    let mut counters = [FREE_SPACE[0]; FREE_SPACE.len() + DISK.len()];
    let mut at = 0;
    while at < counters.len() {
        counters[at] = if at < FREE_SPACE.len() { FREE_SPACE[at] } else { DISK[at - FREE_SPACE.len()] };
        at += 1;
    }
    counters
};
