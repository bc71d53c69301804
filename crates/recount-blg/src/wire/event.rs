//! Events of the PDH provider (formats/blg.md#full-event-header).

use recount_model::Timestamp;

use super::WireError;
use super::fields::{Fields, Found};
use crate::container::event::{LEN_HEADERS, PDH_PROVIDER};

/// `Version` of the events of every file seen.
pub(crate) const EVENT_VERSION: u16 = 60;
/// The marker byte of the events of every file seen.
pub(crate) const MARKER: u8 = 0xC0;

/// `EVENT_TRACE_HEADER` and the PDH prefix, less sizes, message type and fragment numbers, which follow from the
/// message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHeader {
    /// `HeaderType`: 0x0A in a 32-bit session, 0x14 in a 64-bit one.
    pub header_type: u8,
    /// 0xC0.
    pub marker: u8,
    /// `Level`.
    pub level: u8,
    /// `Version`.
    pub version: u16,
    /// `ThreadId`.
    pub thread_id: u32,
    /// `ProcessId`.
    pub process_id: u32,
    /// `TimeStamp`, local.
    pub local: Timestamp,
    /// `ProcessorTime` of the writer.
    pub processor_time: u64,
    /// GUID of the log.
    pub log: [u8; 16],
}

impl EventHeader {
    /// Reads an event that is known to be the PDH provider's.
    pub(super) fn parse(bytes: &[u8]) -> Found<EventHeader> {
        let mut fields = Fields::new("PDH event", bytes, 0);
        fields.u16("Size")?;
        let header_type = fields.u8("HeaderType")?;
        let marker = fields.u8("marker")?;
        fields.u8("Type")?;
        let level = fields.u8("Level")?;
        let version = fields.u16("Version")?;
        let thread_id = fields.u32("ThreadId")?;
        let process_id = fields.u32("ProcessId")?;
        let local = Timestamp(fields.i64("TimeStamp")?);
        fields.take("Guid", PDH_PROVIDER.len())?;
        let processor_time = fields.u64("ProcessorTime")?;
        let log = fields.array("log")?;
        Ok(EventHeader {
            header_type,
            marker,
            level,
            version,
            thread_id,
            process_id,
            local,
            processor_time,
            log,
        })
    }
}

/// Appends an event, without padding. `fragment` counts from 1.
pub(crate) fn write_event(
    header: &EventHeader,
    message_type: u8,
    fragment: usize,
    num_fragments: usize,
    payload: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    let too_large = |field, value| WireError::TooLarge { structure: "PDH event", field, value };
    let len = LEN_HEADERS + payload.len();
    let size = u16::try_from(len).map_err(|_| too_large("Size", len))?;
    let num = u32::try_from(num_fragments).map_err(|_| too_large("num_fragments", num_fragments))?;
    let number = u32::try_from(fragment).map_err(|_| too_large("fragment", fragment))?;
    out.extend(size.to_le_bytes());
    out.extend([header.header_type, header.marker, message_type, header.level]);
    out.extend(header.version.to_le_bytes());
    out.extend(header.thread_id.to_le_bytes());
    out.extend(header.process_id.to_le_bytes());
    out.extend(header.local.0.to_le_bytes());
    out.extend(PDH_PROVIDER);
    out.extend(header.processor_time.to_le_bytes());
    out.extend(header.log);
    out.extend(number.to_le_bytes());
    out.extend(num.to_le_bytes());
    out.extend_from_slice(payload);
    Ok(())
}
