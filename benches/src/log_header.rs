//! The head of a generated log.

use recount_blg::{TraceHeader, ZoneRecord};
use recount_bytes::SystemTime;
use recount_model::Timestamp;

use crate::machine::PERF_FREQ;

/// Minutes from local time to UTC; in winter, when the log is of.
pub(crate) const BIAS_MIN: i32 = 480;

/// Pacific time, a 64-bit session, buffers of 64 KiB: what PerfMon writes by default.
pub(crate) fn header(start: Timestamp) -> TraceHeader {
    TraceHeader {
        len_buffer: 0x1_0000,
        os_version: [10, 0, 1, 5],
        os_build: 20_348,
        num_processors: 1,
        timer_resolution: 156_250,
        mode: 1,
        num_start_buffers: 1,
        len_pointer: 8,
        cpu_mhz: 2_400,
        zone: zone(),
        boot_time: Timestamp(start.0 - 36_000 * Timestamp::TICKS_PER_SECOND),
        perf_freq: PERF_FREQ,
        start_time: start,
        clock_type: 2,
        logger_name: "generated for benchmarks".into(),
        file_name: r"C:\PerfLogs\Admin\generated.blg".into(),
        ..TraceHeader::default()
    }
}

fn zone() -> ZoneRecord {
    ZoneRecord {
        bias: BIAS_MIN,
        standard_name: "Pacific Standard Time".into(),
        standard_date: SystemTime { month: 11, day: 1, hour: 2, ..SystemTime::default() },
        daylight_name: "Pacific Daylight Time".into(),
        daylight_date: SystemTime { month: 3, day: 2, hour: 2, ..SystemTime::default() },
        daylight_bias: -60,
        ..ZoneRecord::default()
    }
}
