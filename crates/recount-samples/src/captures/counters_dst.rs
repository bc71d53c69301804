//! `counters-dst.blg`: a counter list over the end of daylight saving time in Berlin, every 20 minutes, in a 64-bit
//! session. No record has a UTC clock: the zone and the order of the samples have to do.

use std::io;

use recount_blg::{InstanceValue, RecordBuf};
use recount_model::Timestamp;

use super::log::{after, berlin, counter, header, seconds, writer};

const HOST: &str = "BERLIN";
/// 2019-10-26T23:40:00Z
const START: Timestamp = seconds(13_216_606_800);
const INTERVAL_S: i64 = 1_200;
const NUM_SAMPLES: u64 = 9;
const PERF_FREQ: i64 = 2_500_000;
/// The end of daylight saving time, 01:00 UTC, is that of sample 4.
const FIRST_STANDARD: u64 = 4;
/// `PDH_CSTATUS_INVALID_DATA`
const INVALID_DATA: u32 = 0xC000_0BBA;

/// The log.
pub(crate) fn log() -> io::Result<Vec<u8>> {
    let mut log = writer(header(8, after(START, -1), PERF_FREQ, berlin()))?;
    let entries = [
        counter(HOST, "Memory", None, "Available Bytes", 0x0001_0100, 0),
        counter(HOST, "Memory", None, "Pages/sec", 0x1041_0400, PERF_FREQ),
        counter(HOST, "LogicalDisk", Some("C:"), "Avg. Disk Bytes/Read", 0x4002_0500, PERF_FREQ),
        counter(HOST, "Network Interface", Some("*"), "Bytes Total/sec", 0x1041_0500, PERF_FREQ),
    ];
    log.counter_list(local(0), &entries)?;
    for k in 0..NUM_SAMPLES {
        log.data_block(local(k), &records(k))?;
    }
    Ok(log.finish(after(START, NUM_SAMPLES as i64 * INTERVAL_S))?.into_inner())
}

fn local(k: u64) -> Timestamp {
    let offset_s = if k < FIRST_STANDARD { 7_200 } else { 3_600 };
    after(START, k as i64 * INTERVAL_S + offset_s)
}

fn records(k: u64) -> Vec<RecordBuf> {
    let ticks = 80_000_000_000 + k * (INTERVAL_S * PERF_FREQ) as u64;
    let single = |status, first, second| RecordBuf::Single { status, first, second, multi: 1 };
    // Sample 5 could not be taken, which also costs the following interval.
    let pages_status = if k == 5 { INVALID_DATA } else { 0 };
    // Nothing is read between samples 1 and 2.
    let reads = if k < 2 { 100 * k } else { 100 * (k - 1) };
    let value = |name: &str, first| InstanceValue { name: name.to_owned(), first, second: ticks };
    let mut interfaces = vec![value("Ethernet", 1_000_000 + 600_000 * k * k)];
    if k >= 3 {
        interfaces.push(value("Wi-Fi [5 GHz]", 2_400 * k));
    }
    vec![
        single(0, 8_000_000_000 - 1_048_576 * k, 0),
        single(pages_status, 4_294_966_000 + 1_200 * k, ticks),
        single(0, 65_536 * reads, reads),
        RecordBuf::Instances { status: 0, values: interfaces },
    ]
}
