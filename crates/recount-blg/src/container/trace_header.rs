//! The logfile header: the first event of the file (formats/blg.md#trace-header).

use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{le_i32, le_i64, le_u32};
use recount_blocks::parse::{Parsed, field, structure};
use recount_blocks::perf_data::{ByteOrder, SystemTime};
use recount_model::Timestamp;

use crate::local_time::ZoneRecord;
use crate::text::{self, Utf16};

/// Bytes of the system event header in front of the logfile header.
pub(crate) const LEN_SYSTEM_EVENT_HEADER: usize = 32;
pub(crate) const LEN_ZONE_NAME: usize = 64;

/// What the trace session says about itself and its machine. Times are UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceHeader {
    /// Bytes of every buffer of the file.
    pub len_buffer: u32,
    /// Windows version: major, minor, and two further bytes.
    pub os_version: [u8; 4],
    /// Windows build.
    pub os_build: u32,
    /// Processors of the session, not of the machine.
    pub num_processors: u32,
    /// When the log was closed; 0 or stale if it wasn't.
    pub end_time: Timestamp,
    /// Timer resolution in 100 ns.
    pub timer_resolution: u32,
    /// Maximum size in MB, 0 = none.
    pub max_size_mb: u32,
    /// Log file mode: bit 0x2 circular.
    pub mode: u32,
    /// Buffers written.
    pub num_buffers: u32,
    /// Buffers at the start of the file that a circular log doesn't overwrite.
    pub num_start_buffers: u32,
    /// Bytes of a pointer in the session: 4 or 8.
    pub len_pointer: u32,
    /// Events the session lost.
    pub num_events_lost: u32,
    /// Clock of the processor in MHz.
    pub cpu_mhz: u32,
    /// The zone of local time.
    pub zone: ZoneRecord,
    /// When the machine was booted.
    pub boot_time: Timestamp,
    /// Ticks per second of the performance counter.
    pub perf_freq: i64,
    /// When the trace was started.
    pub start_time: Timestamp,
    /// Clock of the time stamps: 2 = system time.
    pub clock_type: u32,
    /// Buffers the session lost.
    pub num_buffers_lost: u32,
    /// Name of the session: the log's GUID as text.
    pub logger_name: String,
    /// Path of the file on the machine that wrote it.
    pub file_name: String,
}

impl TraceHeader {
    /// Log file mode bit: the file wraps around at its maximum size.
    pub const MODE_CIRCULAR: u32 = 0x2;

    /// Whether the file wraps around at its maximum size.
    pub fn is_circular(&self) -> bool {
        self.mode & Self::MODE_CIRCULAR != 0
    }
}

/// The logfile header, behind its event header, to the end of the event.
pub(crate) fn trace_header(input: &[u8]) -> Parsed<'_, TraceHeader> {
    structure("TRACE_LOGFILE_HEADER", |i| body(input, i)).parse(input)
}

fn body<'a>(whole: &'a [u8], i: &'a [u8]) -> Parsed<'a, TraceHeader> {
    let (i, len_buffer) = field("BufferSize", le_u32).parse(i)?;
    let (i, version) = field("Version", take(4_usize)).parse(i)?;
    let (i, os_build) = field("ProviderVersion", le_u32).parse(i)?;
    let (i, num_processors) = field("NumberOfProcessors", le_u32).parse(i)?;
    let (i, end_time) = field("EndTime", le_i64).parse(i)?;
    let (i, timer_resolution) = field("TimerResolution", le_u32).parse(i)?;
    let (i, max_size_mb) = field("MaximumFileSize", le_u32).parse(i)?;
    let (i, mode) = field("LogFileMode", le_u32).parse(i)?;
    let (i, num_buffers) = field("BuffersWritten", le_u32).parse(i)?;
    let (i, num_start_buffers) = field("StartBuffers", le_u32).parse(i)?;
    let (i, len_pointer) = field("PointerSize", le_u32).parse(i)?;
    let (i, num_events_lost) = field("EventsLost", le_u32).parse(i)?;
    let (i, cpu_mhz) = field("CpuSpeedInMHz", le_u32).parse(i)?;
    // Two pointers that mean nothing outside the writing process. A session that isn't 64-bit is 32-bit.
    let pointers = if len_pointer == 8 { 16_usize } else { 8 };
    let (i, _) = field("LoggerName, LogFileName", take(pointers)).parse(i)?;
    let (i, zone) = time_zone(i)?;
    let (i, _) = field("padding", take((whole.len() - i.len()).wrapping_neg() % 8)).parse(i)?;
    let (i, boot_time) = field("BootTime", le_i64).parse(i)?;
    let (i, perf_freq) = field("PerfFreq", le_i64).parse(i)?;
    let (i, start_time) = field("StartTime", le_i64).parse(i)?;
    let (i, clock_type) = field("ReservedFlags", le_u32).parse(i)?;
    let (i, num_buffers_lost) = field("BuffersLost", le_u32).parse(i)?;
    let mut names = text::strings(i);
    let header = TraceHeader {
        len_buffer,
        os_version: [version[0], version[1], version[2], version[3]],
        os_build,
        num_processors,
        end_time: Timestamp(end_time),
        timer_resolution,
        max_size_mb,
        mode,
        num_buffers,
        num_start_buffers,
        len_pointer,
        num_events_lost,
        cpu_mhz,
        zone,
        boot_time: Timestamp(boot_time),
        perf_freq,
        start_time: Timestamp(start_time),
        clock_type,
        num_buffers_lost,
        logger_name: names.next().map(Utf16::to_text).unwrap_or_default(),
        file_name: names.next().map(Utf16::to_text).unwrap_or_default(),
    };
    Ok((&i[i.len()..], header))
}

/// `TIME_ZONE_INFORMATION`, 172 bytes.
fn time_zone(i: &[u8]) -> Parsed<'_, ZoneRecord> {
    structure("TIME_ZONE_INFORMATION", |i| {
        let (i, bias) = field("Bias", le_i32).parse(i)?;
        let (i, standard_name) = field("StandardName", take(LEN_ZONE_NAME)).parse(i)?;
        let (i, standard_date) =
            field("StandardDate", |i| SystemTime::parse(i, ByteOrder::Little)).parse(i)?;
        let (i, standard_bias) = field("StandardBias", le_i32).parse(i)?;
        let (i, daylight_name) = field("DaylightName", take(LEN_ZONE_NAME)).parse(i)?;
        let (i, daylight_date) =
            field("DaylightDate", |i| SystemTime::parse(i, ByteOrder::Little)).parse(i)?;
        let (i, daylight_bias) = field("DaylightBias", le_i32).parse(i)?;
        let name = |bytes| text::strings(bytes).next().map(Utf16::to_text).unwrap_or_default();
        let zone = ZoneRecord {
            bias,
            standard_name: name(standard_name),
            standard_date,
            standard_bias,
            daylight_name: name(daylight_name),
            daylight_date,
            daylight_bias,
        };
        Ok((i, zone))
    })
    .parse(i)
}
