//! The first event of the file: system event header and logfile header (formats/blg.md#trace-header).

use std::fmt;

use nom::error::ParseError;
use nom::{IResult, Parser};
use recount_bytes::ByteOrder;
use recount_bytes::SystemTime;
use recount_bytes::fields::{Fields, Lines, Scalar, Writer, narrow};
use recount_bytes::parse::{Parsed, by_fields};
use recount_bytes::{FormatError, posix_date};
use recount_model::Timestamp;

use super::event::EventHeader;
use crate::text::{self, Utf16};

/// The header of a system event. Times are UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemEventHeader {
    /// `Version`: 0 in a 32-bit session, 2 in a 64-bit one.
    pub version: u16,
    /// `HeaderType`: 1 in a 32-bit session, 2 in a 64-bit one.
    pub header_type: u8,
    /// 0xC0.
    pub marker: u8,
    /// `Size` of the event in bytes, without padding.
    pub len: u16,
    /// The hook's id, 0.
    pub hook: u16,
    /// `ThreadId`.
    pub thread_id: u32,
    /// `ProcessId`.
    pub process_id: u32,
    /// `SystemTime`.
    pub system_time: Timestamp,
    /// `ProcessorTime`.
    pub processor_time: u64,
}

impl SystemEventHeader {
    /// Length in bytes.
    pub const LEN: usize = 32;

    /// The header of the first event of a new log.
    pub fn new(header: &TraceHeader) -> SystemEventHeader {
        let kind: u8 = if header.len_pointer == 8 { 2 } else { 0 };
        SystemEventHeader {
            version: u16::from(kind),
            header_type: kind.max(1),
            marker: EventHeader::MARKER,
            system_time: header.start_time,
            ..SystemEventHeader::default()
        }
    }

    /// Parses a header.
    pub fn parse(i: &[u8]) -> Parsed<'_, SystemEventHeader> {
        by_fields("trace header event", ByteOrder::Little, SystemEventHeader::fields)(i)
    }

    /// The event with its contents, without padding. Its size is computed.
    pub fn write(mut self, body: &[u8]) -> Result<Vec<u8>, FormatError> {
        let len = Self::LEN + body.len();
        self.len = narrow(len, "trace header event", "Size")?;
        let mut out = Vec::with_capacity(len);
        let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, &mut out));
        out.extend_from_slice(body);
        Ok(out)
    }

    /// The fields in the order of the structure.
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.hidden("Version", &mut self.version)?;
        f.hidden("HeaderType", &mut self.header_type)?;
        f.hidden("marker", &mut self.marker)?;
        f.hidden("Size", &mut self.len)?;
        f.hidden("hook", &mut self.hook)?;
        f.hidden("ThreadId", &mut self.thread_id)?;
        f.hidden("ProcessId", &mut self.process_id)?;
        f.hidden("SystemTime", &mut self.system_time)?;
        f.hidden("ProcessorTime", &mut self.processor_time)
    }
}

/// `TRACE_LOGFILE_HEADER`: facts about the trace session and its machine. Times are UTC.
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
    /// When the log was closed; 0 or a stale value if it wasn't.
    pub end_time: Timestamp,
    /// Timer resolution in 100 ns.
    pub timer_resolution: u32,
    /// Maximum size in MB; 0 means no limit.
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
    /// Two pointers that are meaningless outside the writing process.
    pub pointers: [u64; 2],
    /// The zone of local time.
    pub zone: ZoneRecord,
    /// Padding before `boot_time`.
    pub padding: [u8; 4],
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
    /// Name of the structure.
    const NAME: &'static str = "TRACE_LOGFILE_HEADER";
    /// Log file mode bit: the file wraps around at its maximum size.
    pub const MODE_CIRCULAR: u32 = 0x2;

    /// Whether the file wraps around at its maximum size.
    pub fn is_circular(&self) -> bool {
        self.mode & Self::MODE_CIRCULAR != 0
    }

    /// Parses the header from the bytes after its event's header, to the end of the event. The rest is what is behind the
    /// names.
    pub fn parse(body: &[u8]) -> Parsed<'_, TraceHeader> {
        let (rest, mut header) = by_fields(Self::NAME, ByteOrder::Little, TraceHeader::fields)(body)?;
        let (logger_name, rest) = text::string(rest);
        let (file_name, rest) = text::string(rest);
        header.logger_name = logger_name.to_text();
        header.file_name = file_name.to_text();
        Ok((rest, header))
    }

    /// Appends the header and its names.
    pub fn write(&self, out: &mut Vec<u8>) {
        let Ok(()) = self.clone().fields(&mut Writer::new(ByteOrder::Little, out));
        out.extend(text::encode(&self.logger_name));
        out.extend(text::encode(&self.file_name));
    }

    /// The fields in the order of the structure, without the names.
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("BufferSize", &mut self.len_buffer)?;
        f.shown("Version", &mut self.os_version, |version| format!("{version:?}"))?;
        f.field("ProviderVersion", &mut self.os_build)?;
        f.field("NumberOfProcessors", &mut self.num_processors)?;
        f.field("EndTime", &mut self.end_time)?;
        f.field("TimerResolution", &mut self.timer_resolution)?;
        f.field("MaximumFileSize", &mut self.max_size_mb)?;
        f.shown("LogFileMode", &mut self.mode, |mode| format!("{mode:#010x}"))?;
        f.field("BuffersWritten", &mut self.num_buffers)?;
        f.field("StartBuffers", &mut self.num_start_buffers)?;
        f.field("PointerSize", &mut self.len_pointer)?;
        f.field("EventsLost", &mut self.num_events_lost)?;
        f.field("CpuSpeedInMHz", &mut self.cpu_mhz)?;
        for pointer in &mut self.pointers {
            // Any session that isn't 64-bit is 32-bit.
            if self.len_pointer == 8 {
                f.hidden("LoggerName, LogFileName", pointer)?;
            } else {
                let mut short = *pointer as u32;
                f.hidden("LoggerName, LogFileName", &mut short)?;
                *pointer = u64::from(short);
            }
        }
        self.zone.fields(f)?;
        f.hidden("padding", &mut self.padding)?;
        f.field("BootTime", &mut self.boot_time)?;
        f.field("PerfFreq", &mut self.perf_freq)?;
        f.field("StartTime", &mut self.start_time)?;
        f.field("ReservedFlags", &mut self.clock_type)?;
        f.field("BuffersLost", &mut self.num_buffers_lost)
    }

    pub(crate) fn show(&self, ofs: u64, lines: &mut Lines<'_>) -> fmt::Result {
        lines.at(ofs).structure(Self::NAME)?;
        self.clone().fields(lines)?;
        let len = text::encode(&self.logger_name).len();
        lines.value("LoggerName", len, format_args!("{:?}", self.logger_name))?;
        lines.value("LogFileName", 0, format_args!("{:?}", self.file_name))
    }
}

/// `TIME_ZONE_INFORMATION`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneRecord {
    /// UTC minus local, minutes.
    pub bias: i32,
    /// Name in standard time, possibly a resource reference (`@tzres.dll,-212`).
    pub standard_name: StoredZoneName,
    /// When standard time begins, in daylight time.
    pub standard_date: SystemTime,
    /// Added to `bias` in standard time.
    pub standard_bias: i32,
    /// Name in daylight saving time.
    pub daylight_name: StoredZoneName,
    /// When daylight saving time begins, in standard time.
    pub daylight_date: SystemTime,
    /// Added to `bias` in daylight saving time, usually −60.
    pub daylight_bias: i32,
}

impl ZoneRecord {
    fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("TimeZone.Bias", &mut self.bias)?;
        f.shown("TimeZone.StandardName", &mut self.standard_name, |name| format!("{name:?}"))?;
        f.shown("TimeZone.StandardDate", &mut self.standard_date, transition)?;
        f.field("TimeZone.StandardBias", &mut self.standard_bias)?;
        f.shown("TimeZone.DaylightName", &mut self.daylight_name, |name| format!("{name:?}"))?;
        f.shown("TimeZone.DaylightDate", &mut self.daylight_date, transition)?;
        f.field("TimeZone.DaylightBias", &mut self.daylight_bias)
    }
}

/// A transition as its POSIX rule.
fn transition(date: SystemTime) -> String {
    posix_date(date).unwrap_or_else(|| "none".to_owned())
}

/// A zone's name: 64 bytes; those after the NUL may be stale.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoredZoneName([u8; StoredZoneName::LEN]);

impl StoredZoneName {
    const LEN: usize = 64;

    /// The text up to the NUL.
    pub fn to_text(self) -> String {
        text::strings(&self.0).next().map(Utf16::to_text).unwrap_or_default()
    }
}

impl Default for StoredZoneName {
    fn default() -> StoredZoneName {
        StoredZoneName([0; Self::LEN])
    }
}

/// A name that is too long is cut: the last two bytes are a NUL.
impl From<&str> for StoredZoneName {
    fn from(text: &str) -> StoredZoneName {
        let mut bytes = text::encode(text);
        bytes.truncate(Self::LEN - 2);
        let mut name = StoredZoneName::default();
        name.0[..bytes.len()].copy_from_slice(&bytes);
        name
    }
}

impl fmt::Debug for StoredZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_text().fmt(f)
    }
}

impl Scalar for StoredZoneName {
    const LEN: usize = StoredZoneName::LEN;

    fn parse<'a, E: ParseError<&'a [u8]>>(
        i: &'a [u8],
        order: ByteOrder,
    ) -> IResult<&'a [u8], StoredZoneName, E> {
        (|i| Scalar::parse(i, order)).map(StoredZoneName).parse_complete(i)
    }

    fn write(self, _: ByteOrder, out: &mut Vec<u8>) {
        out.extend(self.0);
    }
}
