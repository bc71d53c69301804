//! The logfile header, to be written (formats/blg.md#trace-header).

use recount_blocks::perf_data::SystemTime;
use recount_model::Timestamp;

use crate::container::TraceHeader;
use crate::container::trace_header::{LEN_SYSTEM_EVENT_HEADER, LEN_ZONE_NAME};
use crate::text;

/// The first event of the file: system event header and logfile header.
pub(super) fn event(header: &TraceHeader) -> Vec<u8> {
    let body = body(header);
    let is_64_bit = header.len_pointer == 8;
    let len = (LEN_SYSTEM_EVENT_HEADER + body.len()) as u16;
    let mut bytes = Vec::with_capacity(usize::from(len));
    bytes.extend(if is_64_bit { 2_u16 } else { 0 }.to_le_bytes());
    bytes.extend([if is_64_bit { 2 } else { 1 }, 0xC0]);
    bytes.extend(len.to_le_bytes());
    bytes.extend([0; 2 + 4 + 4]); // hook id, thread, process
    bytes.extend(header.start_time.0.to_le_bytes());
    bytes.extend([0; 8]); // processor time
    bytes.extend(body);
    bytes
}

fn body(header: &TraceHeader) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(header.len_buffer.to_le_bytes());
    bytes.extend(header.os_version);
    bytes.extend(header.os_build.to_le_bytes());
    bytes.extend(header.num_processors.to_le_bytes());
    bytes.extend(header.end_time.0.to_le_bytes());
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
        bytes.extend(word.to_le_bytes());
    }
    bytes.resize(bytes.len() + 2 * header.len_pointer as usize, 0);
    let zone = &header.zone;
    bytes.extend(zone.bias.to_le_bytes());
    bytes.extend(zone_name(&zone.standard_name));
    bytes.extend(date(zone.standard_date));
    bytes.extend(zone.standard_bias.to_le_bytes());
    bytes.extend(zone_name(&zone.daylight_name));
    bytes.extend(date(zone.daylight_date));
    bytes.extend(zone.daylight_bias.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let Timestamp(boot_time) = header.boot_time;
    bytes.extend(boot_time.to_le_bytes());
    bytes.extend(header.perf_freq.to_le_bytes());
    bytes.extend(header.start_time.0.to_le_bytes());
    bytes.extend(header.clock_type.to_le_bytes());
    bytes.extend(header.num_buffers_lost.to_le_bytes());
    bytes.extend(text::encode(&header.logger_name));
    bytes.extend(text::encode(&header.file_name));
    bytes
}

/// 64 bytes: the name, cut where it is too long, and at least one NUL.
fn zone_name(name: &str) -> Vec<u8> {
    let mut bytes = text::encode(name);
    bytes.truncate(LEN_ZONE_NAME - 2);
    bytes.resize(LEN_ZONE_NAME, 0);
    bytes
}

fn date(date: SystemTime) -> Vec<u8> {
    date.words().into_iter().flat_map(u16::to_le_bytes).collect()
}
