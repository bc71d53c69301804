//! `objects.blg`: whole objects of a machine, every 15 seconds, in a 32-bit session.
//!
//! `k` is the number of the sample throughout, from 0.

use std::collections::BTreeMap;
use std::io;

use crate::blocks::ObjectBuf;
use recount_blg::RecordBuf;
use recount_bytes::ByteOrder;
use recount_model::Timestamp;

use super::block::{Clocks, Counter, Rows, block, object};
use super::log::{after, header, pacific, seconds, whole_object, writer};

const HOST: &str = "PACIFIC";
/// 2013-02-20T10:00:00Z
const START: Timestamp = seconds(13_005_828_000);
const BIAS_S: i64 = 480 * 60;
const INTERVAL_S: i64 = 15;
const NUM_SAMPLES: u64 = 8;
const PERF_FREQ: i64 = 3_579_545;
/// One interval in 100 ns.
const INTERVAL_100NS: u64 = INTERVAL_S as u64 * Timestamp::TICKS_PER_SECOND as u64;

const NAMES: [(u32, &str); 20] = [
    (1, "1847"),
    (4, "Memory"),
    (6, "% Processor Time"),
    (24, "Available Bytes"),
    (28, "Page Faults/sec"),
    (142, "% User Time"),
    (148, "Interrupts/sec"),
    (180, "Working Set"),
    (198, "Current Disk Queue Length"),
    (208, "Avg. Disk sec/Read"),
    (226, "Avg. Disk Bytes/Read"),
    (230, "Process"),
    (234, "PhysicalDisk"),
    (238, "Processor"),
    (684, "Elapsed Time"),
    (784, "ID Process"),
    (1406, "% Committed Bytes In Use"),
    (1408, "Commit Limit Base"),
    (1482, "% Idle Time"),
    (1484, "% Idle Time Base"),
];

const PROCESSOR: [Counter; 3] = [(6, 0x2151_0500, 0), (142, 0x2051_0500, 0), (148, 0x1041_0400, -2)];
const MEMORY: [Counter; 4] =
    [(24, 0x0001_0100, -6), (28, 0x1041_0400, -1), (1406, 0x2002_0400, 0), (1408, 0x4003_0403, 0)];
const DISK: [Counter; 7] = [
    (198, 0x0001_0000, 1),
    (208, 0x3002_0400, 3),
    (208, 0x4003_0402, 3),
    (226, 0x4002_0500, -2),
    (226, 0x4003_0402, -2),
    (1482, 0x2057_0500, 0),
    (1484, 0x4003_0500, 0),
];
const PROCESS: [Counter; 4] =
    [(6, 0x2051_0500, 0), (180, 0x0001_0100, -5), (684, 0x3024_0500, -4), (784, 0x0001_0000, -1)];

/// The log.
pub(crate) fn log() -> io::Result<Vec<u8>> {
    let local = |k: u64| after(START, k as i64 * INTERVAL_S - BIAS_S);
    let mut log = writer(header(4, after(START, -1), PERF_FREQ, pacific()))?;
    let names: BTreeMap<u32, String> =
        NAMES.iter().map(|(index, name)| (*index, (*name).to_owned())).collect();
    log.name_table(local(0), &format!(r"\\{HOST}"), &names)?;
    let entries = [
        whole_object(HOST, "Processor", Some("*")),
        whole_object(HOST, "Memory", None),
        whole_object(HOST, "PhysicalDisk", Some("*")),
        whole_object(HOST, "Process", Some("*")),
    ];
    log.counter_list(local(0), &entries)?;
    for k in 0..NUM_SAMPLES {
        let records = [processor(k), memory(k), disk(k), process(k)].map(|object| {
            let clocks =
                Clocks { utc: utc(k), shown: local(k), perf_time: perf_time(k), perf_freq: PERF_FREQ };
            Ok(RecordBuf::Object(block(ByteOrder::Little, HOST, clocks, vec![object])?))
        });
        let records = records.into_iter().collect::<io::Result<Vec<_>>>()?;
        log.data_block(local(k), &records)?;
    }
    Ok(log.finish(after(START, 120))?.into_inner())
}

fn utc(k: u64) -> Timestamp {
    after(START, k as i64 * INTERVAL_S)
}

fn perf_time(k: u64) -> i64 {
    5_000_000_000 + k as i64 * INTERVAL_S * PERF_FREQ
}

fn sample(k: u64, name_index: u32, counters: &[Counter], rows: Rows) -> ObjectBuf {
    object(ByteOrder::Little, name_index, counters, rows, (perf_time(k), PERF_FREQ))
}

fn named(name: &str, row: &[u64]) -> (String, Vec<u64>) {
    (name.to_owned(), row.to_vec())
}

/// Two processors, 10 % and 20 % busy, a little less in every interval. The DWORD of the interrupts wraps between
/// samples 5 and 6.
fn processor(k: u64) -> ObjectBuf {
    let idle = |cpu: u64| 7_000_000_000 + k * (INTERVAL_100NS - 15_000_000 * (cpu + 1)) + 100_000 * k * k;
    let user = |cpu: u64| 300_000_000 + k * 6_000_000 * (cpu + 1);
    let interrupts = |cpu: u64| 4_000_000_000 + (50_000_000 + 15 * cpu) * k;
    let row = |cpu| [idle(cpu), user(cpu), interrupts(cpu)];
    // Windows gives the mean of the times, and the sum of the counts.
    let total = [idle(0).midpoint(idle(1)), user(0).midpoint(user(1)), interrupts(0) + interrupts(1)];
    let rows = vec![named("0", &row(0)), named("1", &row(1)), named("_Total", &total)];
    sample(k, 238, &PROCESSOR, Rows::Many(rows))
}

/// 1,500 page faults per interval, over the wrap of the DWORD between samples 0 and 1.
fn memory(k: u64) -> ObjectBuf {
    let page_faults = u64::from(u32::MAX) - 1_000 + 1_500 * k;
    sample(k, 4, &MEMORY, Rows::Single(vec![1_000_000_000 - 4_096 * k, page_faults, 25 + k, 80]))
}

/// `0 C:` reads 10 + k times in interval k, each time 8,192 bytes in 35,795 ticks (10 ms); `1 D:` never.
fn disk(k: u64) -> ObjectBuf {
    let reads = 10 * k + k * (k + 1) / 2;
    let clock = utc(k).0 as u64;
    let idle_c = 600_000_000_000 + 90_000_000 * k;
    let idle_d = 600_000_000_000 + INTERVAL_100NS * k;
    let busy = [k % 3, 77 + reads * 35_795, 7 + reads, 555 + reads * 8_192, 7 + reads, idle_c, clock];
    let idle = [0, 9_000, 3, 4_096, 3, idle_d, clock];
    let total = [
        k % 3,
        busy[1] + idle[1],
        busy[2] + idle[2],
        busy[3] + idle[3],
        busy[4] + idle[4],
        idle_c.midpoint(idle_d),
        clock,
    ];
    let rows = vec![named("0 C:", &busy), named("1 D:", &idle), named("_Total", &total)];
    sample(k, 234, &DISK, Rows::Many(rows))
}

/// A process: name, id, and when it began, in seconds from the first sample.
type Process = (&'static str, u64, i64);

/// - The first `svchost` is gone from sample 5 on, so that `svchost#1` and `#2` move up.
/// - A `worker` is gone after sample 2, and its name and id are taken by another, begun 40 seconds in.
/// - 64 short-lived processes make samples 3 and 4 too long for one event.
fn processes(k: u64) -> Vec<Process> {
    let mut all: Vec<Process> = vec![("Idle", 0, -86_400), ("System", 4, -86_400)];
    if k < 5 {
        all.push(("svchost", 700, -80_000));
    }
    all.extend([("svchost", 800, -79_000), ("svchost", 900, -78_000)]);
    all.push(if k < 3 { ("worker", 1_200, -100) } else { ("worker", 1_200, 40) });
    if (3..5).contains(&k) {
        all.extend((0..64).map(|number| ("compile-worker", 5_000 + 4 * number, 41)));
    }
    all
}

fn process(k: u64) -> ObjectBuf {
    // The compilers begin at nothing; everything else has run for long, or looks like it.
    let cpu = |pid: u64| match pid {
        5_000.. => (k - 2) * pid * 100,
        _ => pid * 1_000_000 + k * pid * 10_000,
    };
    let working_set = |pid: u64| 4_096 * (pid + k);
    let start = |began: i64| after(START, began).0 as u64;
    let all = processes(k);
    let mut rows: Vec<(String, Vec<u64>)> = all
        .iter()
        .map(|(name, pid, began)| named(name, &[cpu(*pid), working_set(*pid), start(*began), *pid]))
        .collect();
    let sum = |of: &dyn Fn(u64) -> u64| all.iter().map(|(_, pid, _)| of(*pid)).sum::<u64>();
    rows.push(named("_Total", &[sum(&cpu), sum(&working_set), start(-86_400), 0]));
    let clock = (utc(k).0, Timestamp::TICKS_PER_SECOND);
    object(ByteOrder::Little, 230, &PROCESS, Rows::Many(rows), clock)
}
