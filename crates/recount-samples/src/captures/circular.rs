//! `circular.blg`: a circular log that has gone round: the oldest samples stand at its end.

use std::io;

use recount_blg::{InstanceValue, RecordBuf, TraceHeader, ZoneRecord};
use recount_model::Timestamp;

use super::log::{after, counter, header, seconds, writer};

const HOST: &str = "RING";
/// 2020-01-01T08:00:00Z
const START: Timestamp = seconds(13_222_339_200);
const NUM_SAMPLES: u64 = 30;
const NUM_INSTANCES: u64 = 40;
const PERF_FREQ: i64 = 10_000_000;
const LEN_BUFFER: usize = 0x4000;
/// The buffers of the trace header and of the counter list, which stay.
const NUM_FIXED: usize = 2;

/// The log.
pub(crate) fn log() -> io::Result<Vec<u8>> {
    let zone =
        ZoneRecord { standard_name: "UTC".into(), daylight_name: "UTC".into(), ..ZoneRecord::default() };
    let mut log = writer(TraceHeader {
        mode: TraceHeader::MODE_CIRCULAR,
        max_size_mb: 1,
        num_start_buffers: NUM_FIXED as u32,
        ..header(8, START, PERF_FREQ, zone)
    })?;
    let entries = [
        counter(HOST, "System", None, "Context Switches/sec", 0x1041_0400, PERF_FREQ),
        counter(HOST, "Process", Some("*"), "Handle Count", 0x0001_0000, 0),
    ];
    log.counter_list(START, &entries)?;
    for k in 0..NUM_SAMPLES {
        log.data_block(after(START, k as i64), &records(k))?;
    }
    let bytes = log.finish(after(START, NUM_SAMPLES as i64))?.into_inner();
    let mut buffers: Vec<&[u8]> = bytes.chunks(LEN_BUFFER).collect();
    if buffers.len() < NUM_FIXED + 3 {
        return Err(io::Error::other("too few buffers to go round"));
    }
    buffers[NUM_FIXED..].rotate_left(1);
    Ok(buffers.concat())
}

fn records(k: u64) -> Vec<RecordBuf> {
    let ticks = 9_000_000_000 + k * PERF_FREQ as u64;
    let handles =
        |number: u64| InstanceValue { name: format!("process {number}"), first: 100 * number + k, second: 0 };
    vec![
        RecordBuf::Single { status: 0, first: 1_000 * k + 7 * k * k, second: ticks, multi: 1 },
        RecordBuf::Instances { status: 0, values: (0..NUM_INSTANCES).map(handles).collect() },
    ]
}
