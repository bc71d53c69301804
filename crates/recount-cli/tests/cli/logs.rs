//! Logs made for the tests: one rate counter per instance, one sample per second.

use std::io::Cursor;
use std::ops::Range;

use recount::Timestamp;
use recount_blg::{BlgWriter, Entry, InstanceValue, RecordBuf, TraceHeader, ZoneRecord};
use recount_model::{CounterType, PREDEFINED};

const PERF_FREQ: u64 = 1_000;

fn utc(text: &str) -> Timestamp {
    Timestamp::from_jiff(text.parse().expect(text))
}

/// A log of `Job(*)\Steps/sec` of `host`, booted at `boot`: in second k since 2024-01-01T00:00:00Z an instance has made
/// k * k steps.
pub(crate) fn log(host: &str, boot: &str, instances: &[&str], seconds: Range<u64>) -> Vec<u8> {
    let start = utc("2024-01-01T00:00:00Z");
    let at = |second: u64| Timestamp(start.0 + second as i64 * Timestamp::TICKS_PER_SECOND);
    let header = TraceHeader {
        len_buffer: 0x4000,
        os_version: [10, 0, 1, 5],
        num_start_buffers: 1,
        len_pointer: 8,
        zone: ZoneRecord { standard_name: "UTC".into(), ..ZoneRecord::default() },
        boot_time: utc(boot),
        perf_freq: PERF_FREQ as i64,
        start_time: at(seconds.start),
        ..TraceHeader::default()
    };
    let entry = Entry {
        kind: 1,
        counter_type: word("PERF_COUNTER_BULK_COUNT"),
        time_base: PERF_FREQ,
        default_scale: -1,
        host: host.into(),
        object: "Job".into(),
        instance: Some("*".into()),
        parent: None,
        index: 0,
        counter: "Steps/sec".into(),
    };
    let mut log = BlgWriter::new(Cursor::new(Vec::new()), header, *b"recount test log").expect("a writer");
    log.counter_list(at(seconds.start), &[entry]).expect("a list");
    for second in seconds.clone() {
        let value = |name: &&str| InstanceValue {
            name: (*name).to_owned(),
            first: second * second,
            second: 5_000 + second * PERF_FREQ,
        };
        let record = RecordBuf::Instances { status: 0, values: instances.iter().map(value).collect() };
        log.data_block(at(second), &[record]).expect("a sample");
    }
    log.finish(at(seconds.end)).expect("a log").into_inner()
}

/// A type word by name.
fn word(name: &str) -> CounterType {
    PREDEFINED.iter().find(|row| row.name == name).expect("a predefined type").counter_type()
}
