//! The first event of the file: system event header and logfile header (formats/blg.md#trace-header).

use recount_blocks::parse;
use recount_blocks::perf_data::SystemTime;
use recount_model::Timestamp;

use super::WireError;
use super::event::MARKER;
use super::fields::{Fault, Fields, Found};
use crate::container::TraceHeader;
use crate::container::trace_header::{LEN_SYSTEM_EVENT_HEADER, LEN_ZONE_NAME, trace_header};
use crate::text;

/// The event of the trace header. Its size, and the `BufferSize` in it, are worked out on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// `Version`: 0 in a 32-bit session, 2 in a 64-bit one.
    pub version: u16,
    /// `HeaderType`: 1 in a 32-bit session, 2 in a 64-bit one.
    pub header_type: u8,
    /// 0xC0.
    pub marker: u8,
    /// The hook's id, 0.
    pub hook: u16,
    /// `ThreadId`.
    pub thread_id: u32,
    /// `ProcessId`.
    pub process_id: u32,
    /// `SystemTime`, UTC.
    pub system_time: Timestamp,
    /// `ProcessorTime`.
    pub processor_time: u64,
    /// The logfile header.
    pub header: TraceHeader,
    /// The two pointers of the logfile header.
    pub pointers: [u64; 2],
    /// What stands behind the NUL of the zone's standard name, to its 64 bytes.
    pub stale_standard_name: Vec<u8>,
    /// What stands behind the NUL of the zone's daylight name, to its 64 bytes.
    pub stale_daylight_name: Vec<u8>,
    /// What stands behind the zone, to a multiple of 8.
    pub stale_zone: Vec<u8>,
    /// What stands behind the names of session and file, to the end of the event.
    pub tail: Vec<u8>,
    /// What stands behind the event, to a multiple of 8.
    pub padding: Vec<u8>,
}

impl TraceEvent {
    /// The event that a log from nothing begins with.
    pub fn new(header: TraceHeader) -> TraceEvent {
        let is_64_bit = header.len_pointer == 8;
        TraceEvent {
            version: if is_64_bit { 2 } else { 0 },
            header_type: if is_64_bit { 2 } else { 1 },
            marker: MARKER,
            hook: 0,
            thread_id: 0,
            process_id: 0,
            system_time: header.start_time,
            processor_time: 0,
            header,
            pointers: [0; 2],
            stale_standard_name: Vec::new(),
            stale_daylight_name: Vec::new(),
            stale_zone: Vec::new(),
            tail: Vec::new(),
            padding: Vec::new(),
        }
    }

    /// Reads the event in exactly `bytes`.
    pub(super) fn parse(bytes: &[u8]) -> Found<TraceEvent> {
        let mut fields = Fields::new("trace header event", bytes, 0);
        let version = fields.u16("Version")?;
        let header_type = fields.u8("HeaderType")?;
        let marker = fields.u8("marker")?;
        fields.u16("Size")?;
        let hook = fields.u16("hook")?;
        let thread_id = fields.u32("ThreadId")?;
        let process_id = fields.u32("ProcessId")?;
        let system_time = Timestamp(fields.i64("SystemTime")?);
        let processor_time = fields.u64("ProcessorTime")?;
        let body = fields.rest();
        let (_, header) = trace_header(body).map_err(|error| {
            let error = parse::owned(error, body, LEN_SYSTEM_EVENT_HEADER as u64);
            Fault {
                ofs: error.place().map_or(0, |place| place.ofs as usize),
                ..fields.fault("body", error.what())
            }
        })?;
        let mut event = TraceEvent {
            version,
            header_type,
            marker,
            hook,
            thread_id,
            process_id,
            system_time,
            processor_time,
            ..TraceEvent::new(header)
        };
        event.parse_stale(body)?;
        Ok(event)
    }

    /// What the logfile header has between its fields.
    fn parse_stale(&mut self, body: &[u8]) -> Found<()> {
        let mut fields = Fields::new("TRACE_LOGFILE_HEADER", body, LEN_SYSTEM_EVENT_HEADER);
        fields.take("fields", 56)?;
        for pointer in &mut self.pointers {
            *pointer = match self.header.len_pointer {
                8 => fields.u64("pointer")?,
                _ => u64::from(fields.u32("pointer")?),
            };
        }
        fields.take("Bias", 4)?;
        self.stale_standard_name = behind_text(fields.take("StandardName", LEN_ZONE_NAME)?);
        fields.take("standard date and bias", SystemTime::LEN + 4)?;
        self.stale_daylight_name = behind_text(fields.take("DaylightName", LEN_ZONE_NAME)?);
        fields.take("daylight date and bias", SystemTime::LEN + 4)?;
        self.stale_zone = fields.take("padding", fields.at().wrapping_neg() % 8)?.to_vec();
        fields.take("fields", 32)?;
        let (_, behind) = text::string(fields.rest());
        let (_, behind) = text::string(behind);
        self.tail = behind.to_vec();
        Ok(())
    }

    /// The event, without padding.
    pub(crate) fn encode(&self, len_buffer: u32) -> Result<Vec<u8>, WireError> {
        let body = self.body(len_buffer);
        let len = LEN_SYSTEM_EVENT_HEADER + body.len();
        let size = u16::try_from(len).map_err(|_| WireError::TooLarge {
            structure: "trace header event",
            field: "Size",
            value: len,
        })?;
        let mut out = Vec::with_capacity(len);
        out.extend(self.version.to_le_bytes());
        out.extend([self.header_type, self.marker]);
        out.extend(size.to_le_bytes());
        out.extend(self.hook.to_le_bytes());
        out.extend(self.thread_id.to_le_bytes());
        out.extend(self.process_id.to_le_bytes());
        out.extend(self.system_time.0.to_le_bytes());
        out.extend(self.processor_time.to_le_bytes());
        out.extend(body);
        Ok(out)
    }

    fn body(&self, len_buffer: u32) -> Vec<u8> {
        let header = &self.header;
        let mut out = Vec::new();
        out.extend(len_buffer.to_le_bytes());
        out.extend(header.os_version);
        out.extend(header.os_build.to_le_bytes());
        out.extend(header.num_processors.to_le_bytes());
        out.extend(header.end_time.0.to_le_bytes());
        for word in [
            header.timer_resolution,
            header.max_size_mb,
            header.mode,
            header.num_buffers,
            header.num_start_buffers,
            header.len_pointer,
            header.num_events_lost,
            header.cpu_mhz,
        ] {
            out.extend(word.to_le_bytes());
        }
        for pointer in self.pointers {
            // A session that isn't 64-bit is 32-bit.
            let len = if header.len_pointer == 8 { 8 } else { 4 };
            out.extend(&pointer.to_le_bytes()[..len]);
        }
        let zone = &header.zone;
        out.extend(zone.bias.to_le_bytes());
        out.extend(zone_name(&zone.standard_name, &self.stale_standard_name));
        out.extend(date(zone.standard_date));
        out.extend(zone.standard_bias.to_le_bytes());
        out.extend(zone_name(&zone.daylight_name, &self.stale_daylight_name));
        out.extend(date(zone.daylight_date));
        out.extend(zone.daylight_bias.to_le_bytes());
        super::pad(&mut out, 0, &self.stale_zone);
        out.extend(header.boot_time.0.to_le_bytes());
        out.extend(header.perf_freq.to_le_bytes());
        out.extend(header.start_time.0.to_le_bytes());
        out.extend(header.clock_type.to_le_bytes());
        out.extend(header.num_buffers_lost.to_le_bytes());
        out.extend(text::encode(&header.logger_name));
        out.extend(text::encode(&header.file_name));
        out.extend_from_slice(&self.tail);
        out
    }
}

/// 64 bytes: the name, cut where it is too long, at least one NUL, and what stood behind it.
fn zone_name(name: &str, stale: &[u8]) -> Vec<u8> {
    let mut bytes = text::encode(name);
    if bytes.len() > LEN_ZONE_NAME {
        bytes.truncate(LEN_ZONE_NAME - 2);
    }
    bytes.extend_from_slice(stale);
    bytes.resize(LEN_ZONE_NAME, 0);
    bytes
}

fn behind_text(bytes: &[u8]) -> Vec<u8> {
    let (_, behind) = text::string(bytes);
    // Zeros are what is put there anyway.
    if behind.iter().all(|&byte| byte == 0) { Vec::new() } else { behind.to_vec() }
}

fn date(date: SystemTime) -> Vec<u8> {
    date.words().into_iter().flat_map(u16::to_le_bytes).collect()
}
