//! `Processor`: sixteen of them, which all do something.

use super::spec::words::{BULK_COUNT, COUNTER, RAWCOUNT, TIMER_100NS, TIMER_100NS_INV};
use super::spec::{TotalKind, counter};
use super::{Behaviour, CounterSpec, ObjectSpec, PerSecond, Work};

use Behaviour::{Rises, Wanders};

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 238,
    name: "Processor",
    instances: &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"],
    with_total: Some(TotalKind::MeanOfTimers),
    own_clock: false,
    change_every_s: 0,
    per_second: PerSecond { one_busy_of: 1, idle_seconds: 1, operations: 4000, len_operation: 1 },
    counters: COUNTERS,
};

#[rustfmt::skip]
static COUNTERS: &[CounterSpec] = &[
    counter(6, "% Processor Time", TIMER_100NS_INV, Rises(Work::idle_time)),
    counter(142, "% User Time", TIMER_100NS, Rises(|work| work.user)),
    counter(144, "% Privileged Time", TIMER_100NS, Rises(|work| work.kernel)),
    counter(148, "Interrupts/sec", COUNTER, Rises(|work| 500 + work.events)),
    counter(696, "% DPC Time", TIMER_100NS, Rises(|work| work.kernel / 8)),
    counter(698, "% Interrupt Time", TIMER_100NS, Rises(|work| work.kernel / 16)),
    counter(1334, "DPCs Queued/sec", COUNTER, Rises(|work| work.events / 3)),
    counter(1336, "DPC Rate", RAWCOUNT, Wanders { typical: 40, unit: 1 }),
    counter(1746, "% Idle Time", TIMER_100NS, Rises(Work::idle_time)),
    counter(1748, "% C1 Time", TIMER_100NS, Rises(|work| work.idle_time() / 2)),
    counter(1750, "% C2 Time", TIMER_100NS, Rises(|work| work.idle_time() / 3)),
    counter(1752, "% C3 Time", TIMER_100NS, Rises(|_| 0)),
    counter(1754, "C1 Transitions/sec", BULK_COUNT, Rises(|work| 100 + work.events)),
    counter(1756, "C2 Transitions/sec", BULK_COUNT, Rises(|work| work.events)),
    counter(1758, "C3 Transitions/sec", BULK_COUNT, Rises(|_| 0)),
];
