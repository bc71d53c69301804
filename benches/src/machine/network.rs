//! `Network Interface`: one busy, the others less so.

use super::spec::counter;
use super::spec::words::{BULK_COUNT, COUNTER, LARGE_RAWCOUNT, RAWCOUNT};
use super::{Behaviour, CounterSpec, ObjectSpec, PerSecond, Work};

use Behaviour::{Fixed, Rises, Wanders};

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 510,
    name: "Network Interface",
    instances: &[
        "Ethernet 10G 2P X550-t Adapter",
        "Ethernet 10G 2P X550-t Adapter _2",
        "isatap.{5A0F3B2C-8D1E-4F67-9B1A-0C2D3E4F5A6B}",
        "Teredo Tunneling Pseudo-Interface",
    ],
    with_total: None,
    own_clock: false,
    change_every_s: 1800,
    per_second: PerSecond { one_busy_of: 2, idle_seconds: 30, operations: 90000, len_operation: 1400 },
    counters: COUNTERS,
};

#[rustfmt::skip]
static COUNTERS: &[CounterSpec] = &[
    counter(388, "Bytes Total/sec", BULK_COUNT, Rises(Work::bytes)),
    counter(400, "Packets/sec", COUNTER, Rises(Work::operations)),
    counter(266, "Packets Received/sec", COUNTER, Rises(|work| work.reads)),
    counter(452, "Packets Sent/sec", COUNTER, Rises(|work| work.writes)),
    counter(520, "Current Bandwidth", LARGE_RAWCOUNT, Fixed(10_000_000_000)),
    counter(264, "Bytes Received/sec", BULK_COUNT, Rises(|work| work.bytes_read)),
    counter(522, "Packets Received Unicast/sec", COUNTER, Rises(|work| work.reads - work.reads / 50)),
    counter(524, "Packets Received Non-Unicast/sec", COUNTER, Rises(|work| work.reads / 50)),
    counter(526, "Packets Received Discarded", RAWCOUNT, Fixed(0)),
    counter(528, "Packets Received Errors", RAWCOUNT, Fixed(0)),
    counter(530, "Packets Received Unknown", RAWCOUNT, Wanders { typical: 3000, unit: 1 }),
    counter(506, "Bytes Sent/sec", BULK_COUNT, Rises(|work| work.bytes_written)),
    counter(532, "Packets Sent Unicast/sec", COUNTER, Rises(|work| work.writes)),
    counter(534, "Packets Sent Non-Unicast/sec", COUNTER, Rises(|work| work.writes / 90)),
    counter(536, "Packets Outbound Discarded", RAWCOUNT, Fixed(0)),
    counter(538, "Packets Outbound Errors", RAWCOUNT, Fixed(2)),
    counter(540, "Output Queue Length", LARGE_RAWCOUNT, Fixed(0)),
];
