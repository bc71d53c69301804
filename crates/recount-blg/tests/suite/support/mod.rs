//! Logs made for the tests.

use std::io::Cursor;

use recount_blg::{BlgWriter, Entry, TraceHeader, ZoneRecord};
use recount_bytes::SystemTime;
use recount_model::{CounterType, Timestamp};

/// The GUID of the logs made here.
pub(crate) const LOG: [u8; 16] = *b"recount test log";

/// A local or UTC time as ticks.
pub(crate) fn time(text: &str) -> Timestamp {
    Timestamp::from_jiff(format!("{text}Z").parse().expect(text))
}

/// A 32-bit session on the Pacific coast.
pub(crate) fn header(start_utc: &str) -> TraceHeader {
    let date = |month, day| SystemTime { month, day, hour: 2, ..SystemTime::default() };
    TraceHeader {
        len_buffer: 0x1_0000,
        os_version: [6, 0, 1, 5],
        os_build: 6000,
        len_pointer: 4,
        start_time: time(start_utc),
        perf_freq: 3_579_545,
        num_start_buffers: 1,
        zone: ZoneRecord {
            bias: 480,
            standard_name: "@tzres.dll,-212".into(),
            standard_date: date(11, 1),
            standard_bias: 0,
            daylight_name: "@tzres.dll,-211".into(),
            daylight_date: date(3, 2),
            daylight_bias: -60,
        },
        logger_name: "{72656365-6f75-6e74-2074-657374206c6f}".into(),
        file_name: r"C:\PerfLogs\test.blg".into(),
        ..TraceHeader::default()
    }
}

/// An entry for one counter.
pub(crate) fn counter(
    object: &str,
    instance: Option<&str>,
    counter: &str,
    word: u32,
    time_base: u64,
) -> Entry {
    Entry {
        kind: u32::from(instance == Some("*")),
        counter_type: CounterType(word),
        time_base,
        default_scale: 0,
        host: "HOST".into(),
        object: object.into(),
        instance: instance.map(Into::into),
        parent: None,
        index: 0,
        counter: counter.into(),
    }
}

/// An entry for a whole object.
pub(crate) fn whole_object(object: &str) -> Entry {
    Entry { kind: 0x10, counter_type: CounterType(0x10), ..counter(object, Some("*"), "*", 0, 0) }
}

/// A writer into memory.
pub(crate) fn writer(header: TraceHeader) -> BlgWriter<Cursor<Vec<u8>>> {
    BlgWriter::new(Cursor::new(Vec::new()), header, LOG).expect("a writer")
}
