//! What the logs share: the head of the trace, and entries of counter lists.

use std::io::{self, Cursor};

use recount_blg::{BlgWriter, Entry, TraceHeader, ZoneRecord};
use recount_bytes::SystemTime;
use recount_model::{CounterType, Timestamp};

/// The log's GUID, in memory order.
const LOG: [u8; 16] = *b"recount samples!";

/// A point in time, from seconds since 1601. The constants that use it have their dates in comments.
pub(crate) const fn seconds(since_1601: i64) -> Timestamp {
    Timestamp(since_1601 * Timestamp::TICKS_PER_SECOND)
}

/// `time` and some seconds.
pub(crate) const fn after(time: Timestamp, seconds: i64) -> Timestamp {
    Timestamp(time.0 + seconds * Timestamp::TICKS_PER_SECOND)
}

/// A header with buffers of 16 KiB.
pub(crate) fn header(
    len_pointer: u32,
    start_utc: Timestamp,
    perf_freq: i64,
    zone: ZoneRecord,
) -> TraceHeader {
    TraceHeader {
        len_buffer: 0x4000,
        os_version: if len_pointer == 8 { [10, 0, 1, 5] } else { [6, 0, 1, 5] },
        os_build: if len_pointer == 8 { 17_763 } else { 6_002 },
        num_processors: 1,
        timer_resolution: 156_250,
        num_start_buffers: 1,
        len_pointer,
        cpu_mhz: 2_400,
        zone,
        boot_time: after(start_utc, -86_400),
        perf_freq,
        start_time: start_utc,
        clock_type: 2,
        logger_name: "{6f636572-6e75-2074-7361-6d706c657321}".into(),
        file_name: r"C:\PerfLogs\sample.blg".into(),
        ..TraceHeader::default()
    }
}

/// A writer into memory.
pub(crate) fn writer(header: TraceHeader) -> io::Result<BlgWriter<Cursor<Vec<u8>>>> {
    BlgWriter::new(Cursor::new(Vec::new()), header, LOG)
}

/// The Pacific coast of America: daylight saving time from the second Sunday in March to the first in November.
pub(crate) fn pacific() -> ZoneRecord {
    ZoneRecord {
        bias: 480,
        standard_name: "@tzres.dll,-212".into(),
        standard_date: sunday(11, 1, 2),
        standard_bias: 0,
        daylight_name: "@tzres.dll,-211".into(),
        daylight_date: sunday(3, 2, 2),
        daylight_bias: -60,
    }
}

/// Berlin: daylight saving time from the last Sunday in March to the last in October.
pub(crate) fn berlin() -> ZoneRecord {
    ZoneRecord {
        bias: -60,
        standard_name: "@tzres.dll,-322".into(),
        standard_date: sunday(10, 5, 3),
        standard_bias: 0,
        daylight_name: "@tzres.dll,-321".into(),
        daylight_date: sunday(3, 5, 2),
        daylight_bias: -60,
    }
}

fn sunday(month: u16, week: u16, hour: u16) -> SystemTime {
    SystemTime { month, day: week, hour, ..SystemTime::default() }
}

/// An entry for a counter, or, with the instance `*`, for one counter of all instances.
pub(crate) fn counter(
    host: &str,
    object: &str,
    instance: Option<&str>,
    name: &str,
    word: u32,
    time_base: i64,
) -> Entry {
    Entry {
        kind: u32::from(instance == Some("*")),
        counter_type: CounterType(word),
        time_base: time_base as u64,
        default_scale: 0,
        host: host.into(),
        object: object.into(),
        instance: instance.map(Into::into),
        parent: None,
        index: 0,
        counter: name.into(),
    }
}

/// An entry for a whole object.
pub(crate) fn whole_object(host: &str, object: &str, instance: Option<&str>) -> Entry {
    const KIND_OBJECT: u32 = 0x10;
    let entry = counter(host, object, instance, "*", KIND_OBJECT, 0);
    Entry { kind: KIND_OBJECT, ..entry }
}
