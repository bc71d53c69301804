//! The machine: the values of its counters at every sample. They are chosen to produce columns of every form:
//! steady, with steady steps, multiples of something, sums and differences of others, irregular, and idle
//! ones.

use crate::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{CounterType, Timestamp};

/// Samples of the recording.
pub(super) const NUM_SAMPLES: i64 = 24;
/// Seconds without a sample before sample 15.
pub(super) const SKIPPED_S: i64 = 3;

const LITTLE: ByteOrder = ByteOrder::Little;
/// 10 ms, Linux' tick for processor time, in 100 ns.
const JIFFY: u64 = 100_000;
const PAGE: u64 = 4_096;

const COUNTER: u32 = 0x1041_0400;
const BULK_COUNT: u32 = 0x1041_0500;
const TIMER: u32 = 0x2051_0500;
const TIMER_INV: u32 = 0x2151_0500;
const RAW: u32 = 0x0001_0000;
const LARGE_RAW: u32 = 0x0001_0100;
const ELAPSED: u32 = 0x3024_0500;
const AVERAGE_TIMER: u32 = 0x3002_0400;
const AVERAGE_BASE: u32 = 0x4003_0402;

/// When a sample was taken: every second, up to 3 ms late. The clock is set by 90 s before sample 18.
pub(super) fn time(k: i64) -> Timestamp {
    let stepped = if k < 18 { 0 } else { 90 };
    Timestamp(134_192_195_900_000_000 + uptime(k) + stepped * Timestamp::TICKS_PER_SECOND)
}

/// 100 ns since the first sample, by a clock that is never set.
fn uptime(k: i64) -> i64 {
    let skipped = if k < 15 { 0 } else { SKIPPED_S };
    (k + skipped) * Timestamp::TICKS_PER_SECOND + noise(k as u64, 30_000) as i64
}

/// A pseudo-random number below `limit`, derived from `seed`.
fn noise(seed: u64, limit: u64) -> u64 {
    let mixed = (seed ^ 0x5DEE_CE66).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) % limit
}

/// The sum up to a sample, with `noise` below `limit` in each.
fn total(seed: u64, k: i64, limit: u64) -> u64 {
    (0..=k as u64).map(|k| noise(seed * 1_000 + k, limit)).sum()
}

/// A counter: its name index and type word.
type Counter = (u32, u32);

fn object(k: i64, name_index: u32, counters: &[Counter], is_instanced: bool) -> ObjectBuf {
    let mut object = ObjectBuf::new(name_index, is_instanced);
    (object.header.perf_time, object.header.perf_freq) = (time(k).0, Timestamp::TICKS_PER_SECOND);
    for &(name_index, word) in counters {
        object.add_counter(name_index, CounterType(word));
    }
    object
}

fn values(object: &ObjectBuf, row: &[u64]) -> Vec<u8> {
    let mut values = object.zeroed_values();
    for (counter, value) in row.iter().enumerate() {
        object.set_value(&mut values, LITTLE, counter, *value);
    }
    values
}

fn with_instances(mut object: ObjectBuf, rows: &[(&str, Vec<u64>)]) -> ObjectBuf {
    let instances = rows.iter().map(|(name, row)| InstanceBuf::named(name, LITTLE, values(&object, row)));
    object.instances = InstancesBuf::Many(instances.collect());
    object
}

/// The block of a sample.
pub(super) fn block(k: i64) -> Vec<u8> {
    let mut block = BlockBuf::new("größe1", LITTLE);
    block.header.system_time = SystemTime::from_utc(time(k)).unwrap_or_default();
    block.header.perf_time = 5_000_000_000_000 + 100 * uptime(k);
    block.header.perf_freq = 1_000_000_000;
    block.header.perf_time_100ns = time(k).0;
    block.objects = vec![system(k), memory(k), processor(k), process(k)];
    if k >= 12 {
        block.objects.push(disk(k));
    }
    // Fails for parts that are longer than 4 GiB only.
    block.write().unwrap_or_default()
}

fn system(k: i64) -> ObjectBuf {
    let counters =
        [(10, COUNTER), (12, COUNTER), (406, COUNTER), (146, COUNTER), (44, RAW), (248, RAW), (674, ELAPSED)];
    let mut system = object(k, 2, &counters, false);
    let (reads, writes) = (total(1, k, 900), total(2, k, 300));
    let booted = 134_192_088_000_000_000;
    let row = [
        reads,
        writes,
        reads + writes,
        4_000_000 + total(3, k, 40_000),
        noise(40 + k as u64, 7),
        processes(k).len() as u64,
        booted,
    ];
    system.instances = InstancesBuf::Single(values(&system, &row));
    system
}

fn memory(k: i64) -> ObjectBuf {
    let mut memory = object(k, 4, &[(24, LARGE_RAW), (26, LARGE_RAW), (28, COUNTER)], false);
    let used = PAGE * noise(500 + k as u64, 3_000);
    // Page faults wrap around 2^32 on the way.
    let faults = (u64::from(u32::MAX) - 5_000 + total(5, k, 2_000)) & u64::from(u32::MAX);
    let row = [(6 << 30) - used, (2 << 30) + used, faults];
    memory.instances = InstancesBuf::Single(values(&memory, &row));
    memory
}

fn processor(k: i64) -> ObjectBuf {
    let counters = [(6, TIMER_INV), (142, TIMER), (144, TIMER), (148, COUNTER)];
    let seconds = k as u64 + 1 + if k < 15 { 0 } else { SKIPPED_S as u64 };
    let of_cpu = |cpu: u64| {
        let (user, privileged) = (total(10 + cpu, k, 60), total(20 + cpu, k, 30));
        let idle = 1_000_000 + 100 * seconds - user - privileged;
        // 250 more in every second than in the one before.
        let interrupts = 90_000 + 250 * seconds * (seconds + 1) / 2;
        [idle * JIFFY, user * JIFFY, privileged * JIFFY, interrupts]
    };
    let (one, other) = (of_cpu(0), of_cpu(1));
    let sum = one.iter().zip(other).enumerate().map(|(at, (a, b))| if at < 3 { (a + b) / 2 } else { a + b });
    let rows = [("0", one.to_vec()), ("1", other.to_vec()), ("_Total", sum.collect())];
    with_instances(object(k, 238, &counters, true), &rows)
}

/// Name, id and second of the start of every process of a sample.
fn processes(k: i64) -> Vec<(&'static str, u64, i64)> {
    let mut processes = vec![("systemd", 1, -10_000), ("kthreadd", 2, -10_000), ("sh", 800, -300)];
    if k < 7 {
        processes.insert(2, ("sh", 790, -310));
    }
    processes.push(("größe", 900, -50));
    // Another worker every five samples, none in the fifth.
    if k % 5 != 4 {
        processes.push(("worker", 2_000 + k as u64 / 5, k - k % 5));
    }
    // A shell with namesakes before it.
    if k >= 10 {
        processes.push(("sh", 3_000, 10));
    }
    processes
}

fn process(k: i64) -> ObjectBuf {
    let counters = [
        (6, TIMER),
        (142, TIMER),
        (144, TIMER),
        (180, LARGE_RAW),
        (186, LARGE_RAW),
        (28, COUNTER),
        (684, ELAPSED),
        (784, RAW),
    ];
    let row = |&(name, id, start): &(&'static str, u64, i64)| {
        // The kernel's thread does nothing, and a shell only now and then.
        let busy = match id {
            2 => 0,
            800 => k as u64 / 6,
            _ => total(id, k, 40),
        };
        let user = busy * 2 / 3;
        let set = if id == 2 { 0 } else { 900 + busy / 10 };
        let began = time(0).0 + start * Timestamp::TICKS_PER_SECOND;
        let row = vec![
            busy * JIFFY,
            user * JIFFY,
            (busy - user) * JIFFY,
            set * PAGE,
            (set + 2_000) * PAGE,
            busy * 3,
            began as u64,
            id,
        ];
        (name, row)
    };
    let rows: Vec<(&str, Vec<u64>)> = processes(k).iter().map(row).collect();
    with_instances(object(k, 230, &counters, true), &rows)
}

fn disk(k: i64) -> ObjectBuf {
    let counters = [(208, AVERAGE_TIMER), (1400, AVERAGE_BASE), (220, BULK_COUNT)];
    // Nothing is read in every third second.
    let reads: u64 = (12..=k as u64).filter(|k| k % 3 != 0).map(|k| noise(7_000 + k, 50)).sum();
    let row = |share: u64| vec![reads * 4_200_000 / share, reads / share, reads / share * 8_192];
    with_instances(object(k, 234, &counters, true), &[("sda", row(1)), ("_Total", row(1))])
}

/// Names of all objects and counters but those of the disk.
pub(super) fn names() -> Vec<(u32, &'static str)> {
    vec![
        (2, "System"),
        (4, "Memory"),
        (6, "% Processor Time"),
        (10, "File Read Operations/sec"),
        (12, "File Write Operations/sec"),
        (24, "Available Bytes"),
        (26, "Committed Bytes"),
        (28, "Page Faults/sec"),
        (44, "Processor Queue Length"),
        (142, "% User Time"),
        (144, "% Privileged Time"),
        (146, "Context Switches/sec"),
        (148, "Interrupts/sec"),
        (180, "Working Set"),
        (186, "Private Bytes"),
        (230, "Process"),
        (238, "Processor"),
        (248, "Processes"),
        (406, "File Data Operations/sec"),
        (674, "System Up Time"),
        (684, "Elapsed Time"),
        (784, "ID Process"),
    ]
}

/// Names of the disk and its counters.
pub(super) fn disk_names() -> Vec<(u32, &'static str)> {
    vec![
        (208, "Avg. Disk sec/Read"),
        (220, "Disk Read Bytes/sec"),
        (234, "PhysicalDisk"),
        (1400, "Avg. Disk sec/Read BASE"),
    ]
}
