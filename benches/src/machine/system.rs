//! `System`: no instances, always something to do.

use super::spec::counter;
use super::spec::words::{BULK_COUNT, COUNTER, ELAPSED_TIME, RAW_BASE, RAW_FRACTION, RAWCOUNT};
use super::{Behaviour, CounterSpec, ObjectSpec, PerSecond, Work};

use Behaviour::{Fixed, Rises, Started, Wanders};

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 2,
    name: "System",
    instances: &[],
    with_total: None,
    own_clock: true,
    change_every_s: 0,
    per_second: PerSecond { one_busy_of: 1, idle_seconds: 1, operations: 2000, len_operation: 60000 },
    counters: COUNTERS,
};

#[rustfmt::skip]
static COUNTERS: &[CounterSpec] = &[
    counter(10, "File Read Operations/sec", COUNTER, Rises(|work| work.reads)),
    counter(12, "File Write Operations/sec", COUNTER, Rises(|work| work.writes)),
    counter(14, "File Control Operations/sec", COUNTER, Rises(|work| work.events / 2)),
    counter(16, "File Read Bytes/sec", BULK_COUNT, Rises(|work| work.bytes_read)),
    counter(18, "File Write Bytes/sec", BULK_COUNT, Rises(|work| work.bytes_written)),
    counter(20, "File Control Bytes/sec", BULK_COUNT, Rises(|work| work.events * 37)),
    counter(146, "Context Switches/sec", COUNTER, Rises(|work| 3000 + 11 * work.events)),
    counter(150, "System Calls/sec", COUNTER, Rises(|work| 9000 + 31 * work.events)),
    counter(406, "File Data Operations/sec", COUNTER, Rises(Work::operations)),
    counter(674, "System Up Time", ELAPSED_TIME, Started),
    counter(44, "Processor Queue Length", RAWCOUNT, Wanders { typical: 6, unit: 1 }),
    counter(248, "Processes", RAWCOUNT, Wanders { typical: 300, unit: 1 }),
    counter(250, "Threads", RAWCOUNT, Wanders { typical: 4000, unit: 1 }),
    counter(686, "Alignment Fixups/sec", COUNTER, Rises(|_| 0)),
    counter(688, "Exception Dispatches/sec", COUNTER, Rises(|work| work.events / 50)),
    counter(690, "Floating Emulations/sec", COUNTER, Rises(|_| 0)),
    counter(1350, "% Registry Quota In Use", RAW_FRACTION, Wanders { typical: 80_000_000, unit: 4096 }),
    counter(1350, "% Registry Quota In Use", RAW_BASE, Fixed(2_147_483_648)),
];
